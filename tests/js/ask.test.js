// @ts-nocheck
// What is asked: edits that take each other's place, undo, and quantities as a slider moves them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { apply, askedValue, nothingAsked } from "../../static/js/ask/edits.js";
import { units, written } from "../../static/js/ask/quantities.js";

const cpu = (value) => ({ type: "set", kind: "Pod", namespace: "default", name: "web", path: ["spec", "cpu"], value });
const cordon = { type: "set", kind: "Node", name: "n1", path: ["spec", "unschedulable"], value: true };
const put = (asked, ...edits) => apply(asked, { type: "put", edits });

test("an edit takes the place of the one about the same, and one undo takes back a whole drag", () => {
	const first = put(nothingAsked(3), cordon);
	const dragged = put(put(put(first, cpu("1")), cpu("2")), cpu("3"));
	assert.deepEqual(dragged.edits, [cordon, cpu("3")]);
	assert.equal(askedValue(dragged, cpu()), "3");
	assert.deepEqual(apply(dragged, { type: "undo" }).edits, [cordon]);
	assert.deepEqual(apply(apply(dragged, { type: "undo" }), { type: "undo" }).edits, []);
});

test("reset can be undone, and nothing is undone where nothing was done", () => {
	const asked = put(nothingAsked(1), cordon);
	const reset = apply(asked, { type: "reset" });
	assert.deepEqual(reset.edits, []);
	assert.deepEqual(apply(reset, { type: "undo" }).edits, [cordon]);
	const empty = nothingAsked(1);
	assert.equal(apply(empty, { type: "undo" }), empty);
	assert.equal(apply(empty, { type: "reset" }), empty);
	assert.equal(apply(empty, { type: "drop", keys: ["nobody"] }), empty);
});

test("quantities go to a slider and back", () => {
	for (const [resource, text, number] of [
		["cpu", "1500m", 1500],
		["cpu", "2", 2000],
		["memory", "512Mi", 512],
		["memory", "2Gi", 2048],
		["nvidia.com/gpu", "3", 3],
	]) {
		assert.equal(units(resource, text), number);
		assert.equal(written(resource, number), text);
	}
	assert.equal(units("memory", "1073741824"), 1024);
	assert.ok(Number.isNaN(units("cpu", "many")));
});
