// @ts-nocheck
// The editor's outcome: one line for each attempt, with what became of its pod.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Outcome } from "../../../static/js/editor/outcome/outcome.js";
import { useCatalogue } from "../../../static/js/shared/i18n.js";

useCatalogue(JSON.parse(readFileSync(new URL("../../../static/i18n/editor-en.json", import.meta.url))));
const started = (attempt) => ({ type: "CycleStarted", attempt, pod: "default/web" });
const failed = { type: "SchedulingFailed", message: "0/1 nodes are available: 1 Insufficient cpu." };

/** The outcome after these events. */
function after(...events) {
	const outcome = new Outcome("", () => {});
	events.forEach((event, step) => outcome.takeEvent(event, step));
	return outcome;
}

test("a pod that is bound has a line that says where", () => {
	const { lines } = after(started(1), { type: "PodBound", pod: "default/web", node: "node-1" });
	assert.deepEqual(lines, [{ attempt: 1, step: 1, pod: "web", mark: "✓", text: lines[0].text, why: "" }]);
	assert.match(lines[0].text, /web.*node-1/);
});

test("a failed attempt says why", () => {
	const { lines } = after(started(1), failed);
	assert.equal(lines[0].mark, "✕");
	assert.match(lines[0].text, /web/);
	assert.equal(lines[0].why, failed.message);
});

test("an attempt that nominates a node names its victims, also after it has failed", () => {
	const nominated = { type: "PreemptionEvaluated", nominated_node: "node-2", victims: ["default/a", "default/b"] };
	const evicted = { type: "VictimEvicted" };
	const { lines, victims } = after(started(1), nominated, evicted, evicted, failed);
	assert.equal(lines[0].mark, "↓");
	assert.match(lines[0].text, /a, b.*node-2|node-2.*a, b/);
	assert.equal(lines[0].why, failed.message);
	assert.equal(victims, 2);
});

test("another pod that is bound meanwhile, and a preemption without a node, leave the line as it is", () => {
	const elsewhere = { type: "PodBound", pod: "default/other", node: "node-1" };
	const { lines } = after(started(1), elsewhere, { type: "PreemptionEvaluated", nominated_node: "", victims: [] });
	assert.equal(lines[0].mark, "·");
});

test("the end of the run tells its time and the pods that are left", () => {
	const outcome = after({ type: "ClockAdvanced", time: 12 }, { type: "RunFinished", pending: ["default/web"] });
	assert.deepEqual([outcome.time, outcome.pending, outcome.lines], [12, 1, []]);
});
