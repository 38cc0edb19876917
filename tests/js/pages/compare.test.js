// @ts-nocheck
// Two runs side by side: what moves one side moves the other to the same moment of the same attempt.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Player } from "../../../static/js/player/player.js";

const attempt = (...decision) => ["CycleStarted", "NodesFiltered", ...decision, "AttemptFinished"];
const BEFORE = ["RunStarted", ...attempt("HostSelected"), ...attempt("SchedulingFailed")];
const AFTER = [
	"RunStarted",
	...attempt("PreScoreFinished", "HostSelected"),
	...attempt("HostSelected"),
	...attempt("HostSelected"),
];
/** The attempts of a, b and c: their first steps before and after, and whether they end alike. */
const PAIRS = [
	[1, 1, 1, "a", 1],
	[5, 6, 0, "b", 2],
	[-1, 10, 0, "c", 3],
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
function frameOf(types) {
	const events = types.map((type) => ({ type, plugins: [], verdicts: [] }));
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
	assert.equal(elements.where.textContent, "2 / 3 · b · ≠");
});

test("one step forward or back on one side takes the other to the same event", () => {
	assert.equal(after("ArrowRight"), "8,9");
	assert.equal(after("ArrowLeft", true), "3,4", "the attempt before");
	assert.equal(elements.where.textContent, "1 / 3 · a · =");
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
