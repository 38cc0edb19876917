// @ts-check
/** The builder makes the smallest change to the text, so that undo and the cursor stay useful. */
import assert from "node:assert/strict";
import test from "node:test";
import { difference } from "../../../static/js/editor/form/documents.js";

/** @param {string} text @param {{from: number, to: number, insert: string}} change */
const apply = (text, { from, to, insert }) => text.slice(0, from) + insert + text.slice(to);

for (const [name, before, after] of [
	["a value in the middle", "cpu: 500m, memory: 1Gi\n", "cpu: 250m, memory: 1Gi\n"],
	["an appended document", "a: 1\n", "a: 1\n---\nb: 2\n"],
	["a repeated letter", "aaa", "aa"],
	["everything", "abc", "xyz"],
	["nothing", "same", "same"],
	["from empty", "", "text"],
	["to empty", "text", ""],
]) {
	test(`${name} is one change that gives the other text`, () => {
		assert.equal(apply(before, difference(before, after)), after);
	});
}

test("only what differs is replaced", () => {
	assert.deepEqual(difference("cpu: 500m\n", "cpu: 250m\n"), { from: 5, to: 7, insert: "25" });
});
