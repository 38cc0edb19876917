// @ts-nocheck
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodesSeen } from "../../../static/js/steps/filter/model.js";
import { fates } from "../../../static/js/steps/preempt/candidates.js";
import { actOf, preemptionIn } from "../../../static/js/steps/preempt/model.js";
import { preemptionsInProgress as running } from "../../../static/js/steps/preempt/view.js";
import { framesOf } from "../../../static/js/steps/registry.js";
import { decodeColumn } from "../../../static/js/trace/feed.js";

const candidate = (node, rung, reprieve) => ({
	node,
	rung,
	victims: reprieve.filter((r) => !r.reprieved).map((r) => r.pod),
	pdb_violations: 0,
	removed: reprieve.map((r) => r.pod),
	reprieve,
});
const preemption = {
	type: "PreemptionEvaluated",
	eligible: true,
	reason: "",
	candidates: [
		candidate("n1", 2, [
			{ pod: "d/a", reprieved: true },
			{ pod: "d/b", reprieved: false },
		]),
		candidate("n2", 0, [{ pod: "d/c", reprieved: false }]),
	],
};

test("a column is one integer for all, or little-endian integers in base64", () => {
	assert.deepEqual([...decodeColumn(7, 3)], [7, 7, 7]);
	const i8 = Buffer.alloc(16);
	i8.writeBigInt64LE(-5n, 0);
	i8.writeBigInt64LE(2147483658n, 8);
	assert.deepEqual([...decodeColumn(`i8:${i8.toString("base64")}`, 2)], [-5, 2147483658]);
	assert.deepEqual([...decodeColumn(`u1:${Buffer.from([1, 0, 255]).toString("base64")}`, 3)], [1, 0, 255]);
	assert.deepEqual([...decodeColumn(`i4:${Buffer.from([255, 255, 255, 255]).toString("base64")}`, 1)], [-1]);
});

test("Filter has a frame per plugin, or per node when the reader asks for the real order", () => {
	const event = { type: "NodesFiltered", plugins: ["A", "B", "C"], evaluated: 5, verdicts: [], verdict: 0 };
	assert.equal(framesOf(event), 3);
	assert.equal(framesOf(event, "node"), 5);
	assert.equal(nodesSeen(event, 4), 5);
});

test("no plugin has a frame behind the one that turned the last node away", () => {
	const event = {
		type: "NodesFiltered",
		plugins: ["A", "B", "C"],
		evaluated: 5,
		feasible: 0,
		verdicts: [{ plugin: "B" }, { plugin: "A" }],
		verdict: 1,
	};
	assert.equal(framesOf(event), 2);
	assert.equal(framesOf({ ...event, extenders: [["http://x", "n1", "full"]] }), 4);
	assert.equal(framesOf({ ...event, feasible: 1 }), 3);
});

test("node by node, many nodes come in at most 40 helpings that end with the last node", () => {
	const event = { type: "NodesFiltered", plugins: ["A"], evaluated: 5000, verdicts: [], verdict: 0 };
	assert.equal(framesOf(event, "node"), 40);
	assert.equal(nodesSeen(event, 39), 5000);
});

test("Score has a frame per plugin and one for the result", () => {
	assert.equal(framesOf({ type: "ScoresComputed", plugins: [{}, {}] }), 3);
});

test("the preemption: candidates, dry run, each reprieve, each criterion that was needed", () => {
	assert.equal(framesOf(preemption), 2 + 2 + 2);
	const play = preemptionIn(preemption);
	assert.deepEqual(
		[0, 1, 2, 3, 4, 5].map((frame) => actOf(play, frame)),
		[
			{ act: "candidates", at: 0 },
			{ act: "removed", at: 0 },
			{ act: "reprieve", at: 1 },
			{ act: "reprieve", at: 2 },
			{ act: "criterion", at: 1 },
			{ act: "criterion", at: 2 },
		],
	);
});

test("pods lift off, come back or fall, one rank after another", () => {
	const play = preemptionIn(preemption);
	const at = (frame) => Object.fromEntries(fates(play, play.candidates[0], frame));
	assert.deepEqual(at(0), { "d/a": "on", "d/b": "on" });
	assert.deepEqual(at(1), { "d/a": "lifted", "d/b": "lifted" });
	assert.deepEqual(at(2), { "d/a": "back", "d/b": "lifted" });
	assert.deepEqual(at(3), { "d/a": "back", "d/b": "victim" });
	assert.deepEqual(at(5), { "d/a": "back", "d/b": "victim" });
});

test("a single candidate needs no criteria; without any, only the first act is left", () => {
	assert.equal(framesOf({ ...preemption, candidates: [candidate("n1", 0, [{ pod: "d/a", reprieved: false }])] }), 4);
	assert.equal(framesOf({ ...preemption, candidates: [] }), 1);
});

test("a preemption that goes on beside the attempts is told until its last deletion", () => {
	const pods = new Map([
		[
			"d/urgent",
			{ summary: { pod: "d/urgent" }, node: "", nominated_node: "n1", place: "unschedulable", gone_at: null },
		],
		["d/small", { summary: { pod: "d/small" }, node: "", nominated_node: "", place: "scheduling", gone_at: null }],
	]);
	const events = [
		{ type: "PreemptionStarted", pod: "d/urgent", node: "n1", victims: ["d/a", "d/b"] },
		{ type: "CycleStarted", pod: "d/small" },
		{ type: "PreemptionFinished", pod: "d/urgent" },
	];
	const told = (here) => {
		const before = events.slice(0, here + 1).map((event, step) => ({ event, step }));
		return running({ state: { pods }, step: here, store: { walk: () => before.reverse() } }).map(({ pod }) => pod);
	};
	assert.deepEqual([0, 1, 2].map(told), [["d/urgent"], ["d/urgent"], []]);
});
