// @ts-nocheck
// The initial nodes and pods are stored as columns, equal ones once; in older runs, one by one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { unpack } from "../../../static/js/trace/feed.js";

const NODES = [
	{ name: "n1", allocatable: { cpu: 5 }, labels: { zone: "a", 1: "x" } },
	{ name: "n2", allocatable: { cpu: 5 }, labels: { zone: "b", 1: "y" } },
	{ name: "n3", allocatable: { cpu: 7 }, unschedulable: true, labels: {} },
];
const LOADED_NODES = {
	kinds: [
		{ name: "", allocatable: { cpu: 5 } },
		{ name: "", allocatable: { cpu: 7 }, unschedulable: true },
	],
	keys: [["zone", "1"], []],
	nodes: ["n1", "n2", "n3"],
	kind: [0, 0, 1],
	labels: [["a", "x"], ["b", "y"], []],
};
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

const AGES = {
	today: { loaded_nodes: LOADED_NODES, loaded: LOADED },
	"with schema 4": { nodes: NODES, loaded: LOADED },
	before: { nodes: NODES, pods: PODS },
};
for (const [age, told] of Object.entries(AGES)) {
	test(`nodes and pods of a run that was stored ${age} are there one by one`, () => {
		const chunk = {
			events: [
				{ type: "RunStarted", ...told },
				{ type: "ClockAdvanced", time: 1 },
			],
		};
		unpack(chunk);
		assert.deepEqual(chunk.events[0].pods, PODS);
		assert.deepEqual(chunk.events[0].nodes, NODES);
	});
}

test("a chunk from the middle of a run has no pods to unpack", () => {
	const chunk = { events: [{ type: "PodsKeptWaiting", event: "NodeAdd", pods: [], count: 0 }] };
	unpack(chunk);
	assert.deepEqual(chunk.events[0].pods, []);
});
