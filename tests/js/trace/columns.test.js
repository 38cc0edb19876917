// @ts-nocheck
// The pods as they were loaded come as columns, those that are alike once; in runs that were stored before, one by one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { unpackPods } from "../../../static/js/trace/columns.js";

const NODES = [{ name: "n1" }, { name: "n2" }];
const PODS = [
	{ pod: "default/a", priority: 7, requests: { cpu: 5 }, node: "n2", start_time: -3 },
	{ pod: "default/b", priority: 7, requests: { cpu: 5 }, node: "n1", start_time: 0 },
	{ pod: "default/lost", node: "elsewhere" },
	{ pod: "default/c", requests: { cpu: 5 } },
];
const LOADED = {
	kinds: [
		{ pod: "", priority: 7, requests: { cpu: 5 } },
		{ pod: "", node: "elsewhere" },
		{ pod: "", requests: { cpu: 5 } },
	],
	pods: PODS.map(({ pod }) => pod),
	kind: [0, 0, 1, 2],
	node: [1, 0, -1, -1],
	start_time: [-3, 0, null, null],
};

for (const [age, told] of Object.entries({ today: { loaded: LOADED }, before: { pods: PODS } })) {
	test(`pods of a run that was stored ${age} are there one by one`, () => {
		const chunk = {
			events: [
				{ type: "RunStarted", nodes: NODES, ...told },
				{ type: "ClockAdvanced", time: 1 },
			],
		};
		unpackPods(chunk);
		assert.deepEqual(chunk.events[0].pods, PODS);
	});
}

test("a chunk from the middle of a run has no pods to unpack", () => {
	const chunk = { events: [{ type: "PodsKeptWaiting", event: "NodeAdd", pods: [], count: 0 }] };
	unpackPods(chunk);
	assert.deepEqual(chunk.events[0].pods, []);
});
