// @ts-nocheck
import assert from "node:assert/strict";
import { test } from "node:test";
import { copy } from "../../../static/js/shared/copy.js";

/** A field and a button, in a browser with or without a clipboard; `copies`: whether the copy command succeeds. */
function copying(t, clipboard, copies) {
	const globals = { navigator: { clipboard }, document: { execCommand: () => copies } };
	for (const [name, value] of Object.entries(globals)) {
		const own = Object.getOwnPropertyDescriptor(globalThis, name);
		Object.defineProperty(globalThis, name, { value, configurable: true });
		t.after(() => (own ? Object.defineProperty(globalThis, name, own) : delete globalThis[name]));
	}
	const field = { value: "http://here/", selected: false, select: () => (field.selected = true) };
	return { field, button: { textContent: "Copy" } };
}

test("what was copied is confirmed, with the clipboard or without", async (t) => {
	const written = [];
	const { field, button } = copying(t, { writeText: async (text) => written.push(text) }, false);
	await copy(button, field, "Copied");
	assert.deepEqual([written, button.textContent], [["http://here/"], "Copied"]);
	const plain = copying(t, undefined, true);
	await copy(plain.button, plain.field, "Copied");
	assert.deepEqual([plain.field.selected, plain.button.textContent], [true, "Copied"]);
});

test("what could not be copied is selected, and is not confirmed", async (t) => {
	for (const clipboard of [undefined, { writeText: () => Promise.reject(new Error("NotAllowedError")) }]) {
		const { field, button } = copying(t, clipboard, false);
		await copy(button, field, "Copied");
		assert.deepEqual([field.selected, button.textContent], [true, "Copy"]);
	}
});
