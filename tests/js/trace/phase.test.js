import assert from "node:assert/strict";
import test from "node:test";
import { pointOf, stations, stationsIn } from "../../../static/js/trace/phase.js";

const claim = { type: "ObjectApplied", kind: "ResourceClaim" };
const waiting = { type: "PodsKeptWaiting", event: "ResourceClaim/Update", pods: ["default/b"], count: 1 };
const enqueued = { type: "PodEnqueued", pod: "default/b" };

/** An attempt of default/a with these events. @param {string[]} types */
const attempt = (...types) => ({
	pods: new Map(),
	cycle: Object.fromEntries(["CycleStarted", ...types].map((type) => [type, { type, pod: "default/a" }])),
});

test("what PreBind writes is heard of during PreBind", () => {
	const state = attempt("NodesFiltered", "PodAssumed", "PodReserved");
	for (const event of [claim, waiting, enqueued]) assert.equal(pointOf(event, state), "PreBind", event.type);
});

test("what happens beside an attempt before Reserve stays where the attempt is", () => {
	const state = attempt("NodesFiltered");
	for (const event of [waiting, enqueued]) assert.equal(pointOf(event, state), "Filter", event.type);
});

test("what happens while the pod waits on Permit happens at Permit", () => {
	const state = attempt("NodesFiltered", "PodAssumed", "PodReserved", "PermitEvaluated");
	state.pods.set("default/a", { place: "waiting" });
	for (const event of [waiting, enqueued]) assert.equal(pointOf(event, state), "Permit", event.type);
});

test("before the framework the line has the steps of that time", () => {
	const names = Object.values(stationsIn("1.16")).map((points) => points.map(([name]) => name));
	assert.deepEqual(names, [["Predicates", "Preempt", "Priorities", "Select", "Assume"], ["Bind"]]);
	assert.deepEqual(Object.keys(stationsIn("1.18")), ["queueing", "scheduling", "binding"]);
	assert.deepEqual(stationsIn("1.36").binding, [
		["PreBind", "PreBind"],
		["Bind", "Bind"],
		["PostBind", "PostBind"],
	]);
});

test("after an attempt has failed no point is under way", () => {
	const state = { ...attempt("NodesFiltered", "PreemptionEvaluated", "SchedulingFailed"), kubernetes_version: "1.36" };
	const queued = { type: "PodEnqueued", pod: "default/a" };
	assert.equal(stations({ type: "SchedulingFailed", pod: "default/a" }, state).get("PostFilter"), "current");
	assert.deepEqual([...stations(queued, state)].slice(3, 6), [
		["Filter", "failed"],
		["PostFilter", "done"],
		["PreScore", "todo"],
	]);
});

test("PostBind comes after the step at which Bind is current", () => {
	const state = { ...attempt("NodesFiltered", "PodAssumed", "PodBound"), kubernetes_version: "1.36" };
	const shown = (/** @type {string} */ type) =>
		["Bind", "PostBind"].map((point) => stations({ type, pod: "default/a" }, state).get(point));
	assert.deepEqual(shown("PodBound"), ["current", "todo"]);
	assert.deepEqual(shown("AttemptFinished"), ["done", "done"]);
});
