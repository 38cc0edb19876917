// @ts-nocheck
// Any state by number, in whatever order it is asked for, is the state that folding from the start comes to.
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

/** The run in chunks, and the state after every 37th step as a plain fold has it. */
function run() {
	const state = emptyState();
	const chunks = [];
	const expected = new Map();
	let first = 0;
	for (const [seq, size] of SIZES.entries()) {
		const { nodes, pods, ...rest } = fork(state);
		const events = EVENTS.slice(first, first + size);
		chunks.push({
			seq,
			first_step: first,
			events,
			keyframe: { ...rest, nodes: Object.fromEntries(nodes), pods: Object.fromEntries(pods) },
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

const { chunks, expected } = run();
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

test("a link into the middle: its chunk first, those before it later", () => {
	const store = new ChunkStore();
	for (const seq of [3, 0, 1, 2]) {
		store.put(chunks[seq]);
		for (const step of steps.filter((one) => store.chunkFor(one)))
			assert.deepEqual(content(store.stateAfter(step)), expected.get(step), `step ${step}`);
	}
});
