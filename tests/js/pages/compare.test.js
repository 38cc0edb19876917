// @ts-nocheck
// Two runs side by side: what moves one side moves the other to the same moment of the same attempt.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Player } from "../../../static/js/player/player.js";

/** The events of these types, about a pod. */
const about = (pod, ...types) => types.map((type) => ({ type, pod }));
const attempt = (pod, ...decision) => about(pod, "CycleStarted", "NodesFiltered", ...decision, "AttemptFinished");
/** A group of d and e, of which d has no node: its members are tried, decided and finished one after the other. */
const group = [
	...about("d", "CycleStarted", "NodesFiltered"),
	...about("e", "CycleStarted", "NodesFiltered", "HostSelected"),
	...about("d", "SchedulingFailed"),
	...about("e", "SchedulingFailed"),
	...about("d", "AttemptFinished"),
	...about("e", "AttemptFinished"),
];
const BEFORE = [
	...about("", "RunStarted"),
	...attempt("a", "HostSelected"),
	...attempt("b", "SchedulingFailed"),
	...group,
];
const AFTER = [
	...about("", "RunStarted"),
	...attempt("a", "PreScoreFinished", "HostSelected"),
	...attempt("b", "HostSelected"),
	...attempt("c", "HostSelected"),
	...group,
];
/** The attempts of the pods: their first steps before and after, and whether they end alike. */
const PAIRS = [
	[1, 1, 1, "a", 1],
	[5, 6, 0, "b", 2],
	[-1, 10, 0, "c", 3],
	[9, 14, 1, "d", 4],
	[11, 16, 1, "e", 5],
];

globalThis.HTMLElement = class {};
globalThis.MutationObserver = class {
	constructor(look) {
		this.look = look;
	}
	observe(player) {
		player.look = this.look;
	}
};

/** The frame of a side: the player of a run with these events, and its note that the attempt is missing. */
function frameOf(run) {
	const events = run.map((event) => ({ ...event, plugins: [], verdicts: [] }));
	const store = {
		steps: events.length,
		complete: true,
		event: (step) => events[step],
		*walk(from, by) {
			for (let step = from; events[step]; step += by) yield { event: events[step], step };
		},
	};
	const element = { dataset: { ready: "true" } };
	const player = new Player(store, () => element.look?.());
	const note = Object.assign(new HTMLElement(), { hidden: true });
	return {
		note,
		contentWindow: { kschedui: { player, store } },
		contentDocument: { readyState: "complete", getElementById: () => element },
		parentElement: { querySelector: () => note },
		addEventListener() {},
	};
}

const frames = [frameOf(BEFORE), frameOf(AFTER)];
const elements = {
	comparison: { textContent: JSON.stringify({ first: 1, pairs: PAIRS }) },
	at: { value: "", addEventListener() {} },
	where: { textContent: "" },
};
const heard = {};
let address = "";
Object.assign(globalThis, {
	document: {
		getElementById: (id) => elements[id],
		querySelectorAll: () => frames,
		addEventListener: (name, listener) => (heard[name] = listener),
		body: { dataset: {} },
	},
	location: new URL("http://here/compare/"),
	history: { replaceState: (_, __, to) => (address = to) },
});
await import("../../../static/js/pages/compare.js");

/** The steps of both sides in the address, after a key. */
function after(key, shiftKey = false) {
	heard.keydown({ key, shiftKey, target: { closest: () => null }, preventDefault() {} });
	return address.split("#")[1];
}

test("the page opens where the runs begin to differ, at the decision of the attempt", () => {
	assert.equal(address, "/compare/#7,8");
	assert.equal(elements.where.textContent, "2 / 5 · b · ≠");
});

test("one step forward or back on one side takes the other to the same event", () => {
	assert.equal(after("ArrowRight"), "8,9");
	assert.equal(after("ArrowLeft", true), "3,4", "the attempt before");
	assert.equal(elements.where.textContent, "1 / 5 · a · =");
	assert.equal(after("ArrowLeft"), "2,2");
	assert.equal(after("ArrowRight"), "3,4");
});

test("in an attempt that only one run has, that run moves alone, and the other side says so", () => {
	assert.equal(after("]"), "7,8", "the next difference");
	assert.equal(after("]"), "7,12");
	assert.deepEqual(
		frames.map(({ note }) => note.hidden),
		[false, true],
	);
	assert.equal(after("ArrowRight"), "7,13");
	assert.equal(after("["), "7,8");
	assert.deepEqual(
		frames.map(({ note }) => note.hidden),
		[true, true],
	);
});

test("a member of a group is shown where it failed, and a step to the group's end moves both sides there", () => {
	after("ArrowRight", true);
	assert.equal(after("ArrowRight", true), "14,19", "the failure of d");
	assert.equal(after("ArrowRight", true), "13,18", "the node of e");
	for (let left = 0; left < 3; left += 1) after("ArrowRight");
	assert.equal(after("ArrowRight"), "17,22", "the end of the last member");
});
