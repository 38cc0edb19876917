// @ts-nocheck
// The player's Chinese texts say in Chinese what is not a name, a placeholder or a quotation.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { WORDS } from "../../e2e/walker/english.js";

const TEXTS = JSON.parse(readFileSync(new URL("../../../static/i18n/zh-hans.json", import.meta.url), "utf8"));

test("no Chinese text has an English word", () => {
	const said = Object.entries(TEXTS).map(([key, text]) => [key, text.replaceAll(/\{[^}]*\}|“[^”]*”/g, "·")]);
	assert.ok(said.length > 1000);
	assert.deepEqual(
		said.filter(([, text]) => /\p{Script=Han}/u.test(text) && WORDS.test(text)),
		[],
	);
});
