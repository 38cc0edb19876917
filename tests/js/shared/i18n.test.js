// @ts-nocheck
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { list, num, parts, t, useCatalogue } from "../../../static/js/shared/i18n.js";

const read = (name) => JSON.parse(readFileSync(new URL(`../../../static/i18n/${name}.json`, import.meta.url)));
const names = (text) => [...text.matchAll(/\{([^{}|]+)/g)].map((match) => match[1]);

test("both catalogues hold the same texts, and a translation fills in nothing that English does not", () => {
	const [english, chinese] = [read("en"), read("zh-hans")];
	assert.deepEqual(Object.keys(chinese).sort(), Object.keys(english).sort());
	for (const key in english) {
		for (const name of names(chinese[key])) assert.ok(names(english[key]).includes(name), `${key}: {${name}}`);
	}
});

test("a text is filled in with marks, and the number chooses the word", () => {
	useCatalogue({
		a: "{n} {n|node|nodes} for {pod}.",
		"list.and": " and ",
		"list.and.more": " and ",
		"list.comma": ", ",
		"list.more": "{n} more",
	});
	assert.equal(t("a", { n: 1, pod: "x" }), "1 node for x.");
	assert.equal(t("a", { n: num("1,200"), pod: "x" }), "1,200 nodes for x.");
	assert.deepEqual(parts("a", { n: num(2, "ref"), pod: "x" })[0], { text: "2", kind: "num", ref: "ref" });
	assert.equal(list(["a", "b", "c"]).join(""), "a, b and c");
	assert.equal(list(["a", "b", "c", "d", "e"], 3).join(""), "a, b and 3 more");
});
