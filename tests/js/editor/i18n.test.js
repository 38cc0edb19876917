// @ts-nocheck
// The editor's texts exist in both languages, and include all that its modules use.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const at = (path) => new URL(`../../../static/${path}`, import.meta.url);
const read = (name) => JSON.parse(readFileSync(at(`i18n/editor-${name}.json`)));
const slots = (text) => [...new Set([...text.matchAll(/\{([^{}|]+)/g)].map((match) => match[1]))].sort();
const [english, chinese] = [read("en"), read("zh-hans")];

test("both catalogues hold the same texts with the same slots", () => {
	assert.deepEqual(Object.keys(chinese).sort(), Object.keys(english).sort());
	for (const key in english) assert.deepEqual(slots(chinese[key]), slots(english[key]), key);
});

test("every text that a module of the editor names is there", () => {
	const asked = readdirSync(at("js/editor"), { recursive: true })
		.filter((name) => name.endsWith(".js"))
		.flatMap((file) =>
			[
				...readFileSync(at(`js/editor/${file}`), "utf8").matchAll(/\bt\((?:\w+ \? )?"([\w.]+)"(?: : "([\w.]+)")?/g),
			].flatMap(([, one, other]) => [one, other]),
		);
	const keys = asked.filter(Boolean);
	assert.ok(keys.length > 50);
	assert.deepEqual(
		keys.filter((key) => !(key in english)),
		[],
	);
});
