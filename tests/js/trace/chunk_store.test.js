// @ts-nocheck
// The state after any step, requested in any order, equals the state computed from the start of the run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ChunkStore } from "../../../static/js/trace/chunk_store.js";
import { apply, emptyState, fork } from "../../../static/js/trace/state.js";

const SIZES = [64, 256, 1024, 4096];
const PODS = ["default/a", "default/b", "default/c"];
const EVENTS = [
	{
		type: "RunStarted",
		title: "",
		profiles: [],
		nodes: [{ name: "n", allocatable: { cpu: 9 } }],
		order: [0],
		pods: PODS.map((pod) => ({ pod, requests: { cpu: 1 } })),
	},
	...Array.from({ length: 4000 }, (_, i) => [
		{ type: "ClockAdvanced", time: i },
		{ type: "CycleStarted", pod: PODS[i % 3], attempt: i, pod_attempts: i },
		{ type: "PodAssumed", pod: PODS[i % 3], node: "n" },
		{ type: "PodUnreserved", pod: PODS[i % 3] },
	])
		.flat()
		.slice(0, 5200),
];

function content(state) {
	return { ...state, nodes: [...state.nodes], pods: [...state.pods] };
}

/** A keyframe of schema 1, which has every node and every pod. */
function whole(state) {
	const { nodes, pods, ...rest } = fork(state);
	return { ...rest, nodes: Object.fromEntries(nodes), pods: Object.fromEntries(pods) };
}

/** A keyframe as it is written now: the events so far (a compacted log gives the same state), and those of the cycle. */
function since(state) {
	const past = EVENTS.slice(1, state.step);
	const withoutClock = (events) => events.filter((event) => event.type !== "ClockAdvanced");
	const cycle = past.slice(past.findLastIndex((event) => event.type === "CycleStarted"));
	return { step: state.step, time: state.time, since: withoutClock(past), cycle: withoutClock(cycle) };
}

/** The run in chunks, and the state after every 37th step, computed from the start. */
function run(keyframe) {
	const state = emptyState();
	const chunks = [];
	const expected = new Map();
	let first = 0;
	for (const [seq, size] of SIZES.entries()) {
		const events = EVENTS.slice(first, first + size);
		chunks.push({
			seq,
			first_step: first,
			events,
			keyframe: keyframe(state),
			last: seq === SIZES.length - 1,
		});
		for (const event of events) {
			apply(state, event);
			if ((state.step - 1) % 37 === 0) expected.set(state.step - 1, content(fork(state)));
		}
		first += size;
	}
	return { chunks, expected };
}

const { chunks, expected } = run(since);
const { chunks: old } = run(whole);
const steps = [...expected.keys()];
const ORDERS = {
	forwards: steps,
	backwards: steps.toReversed(),
	"to and fro": steps.flatMap((step, i) => [step, steps[(i * 61) % steps.length]]),
};

for (const [name, order] of Object.entries(ORDERS)) {
	test(`states asked for ${name}`, () => {
		const store = new ChunkStore();
		for (const chunk of chunks) store.put(chunk);
		for (const step of order) assert.deepEqual(content(store.stateAfter(step)), expected.get(step), `step ${step}`);
	});
}

for (const [schema, pieces, firstHere] of [
	["1", old, [3]],
	["2", chunks, []],
]) {
	test(`a link into the middle: its chunk first, those before it later; schema ${schema}`, () => {
		const store = new ChunkStore();
		for (const seq of [3, 0, 1, 2]) {
			store.put(pieces[seq]);
			const here = store.has(0) ? [0, 1, 2, 3].filter((one) => store.has(one)) : firstHere;
			for (const step of steps.filter((one) => store.chunkFor(one))) {
				const state = store.stateAfter(step);
				if (here.includes(store.chunkFor(step).seq))
					assert.deepEqual(content(state), expected.get(step), `step ${step}`);
				else assert.equal(state, undefined, "how the run began is not here yet");
			}
		}
	});
}
