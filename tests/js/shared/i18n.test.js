// @ts-nocheck
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { list, num, parts, speakAsIn, t, useCatalogue } from "../../../static/js/shared/i18n.js";

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
		language: "en",
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

test("in Chinese, a value in Latin letters or digits has a space beside Chinese characters, and no other", () => {
	useCatalogue({ language: "zh-hans", a: "{by}删除 {pod}，{n}次，由{by}。" });
	const by = (name) => t("a", { by: name, pod: num("web"), n: 3 });
	assert.equal(by("Karpenter"), "Karpenter 删除 web，3 次，由 Karpenter。");
	assert.equal(by("有人"), "有人删除 web，3 次，由有人。");
});

test("the plural is the language's own", () => {
	const told = (language, text) => {
		useCatalogue({ language, a: text });
		return [0, 1, 2, 5, 22].map((n) => t("a", { n }));
	};
	assert.deepEqual(told("en", "{n|pod|pods}"), ["pods", "pod", "pods", "pods", "pods"]);
	assert.deepEqual(told("pl", "{n|pod|pody|podów}"), ["podów", "pod", "pody", "podów", "pody"]);
	assert.deepEqual(told("zh", "{n|=1:它|它们}"), ["它们", "它", "它们", "它们", "它们"]);
	assert.deepEqual(told("zh", "{n|节点}"), ["节点", "节点", "节点", "节点", "节点"]);
});

test("a run of an old release is told in the words of its time", () => {
	useCatalogue({
		language: "en",
		filter: "Filter {i}",
		"filter@16": "Predicate {i}",
		tie: "at random",
		"tie@15": "in turn",
		last: "tried first",
		"last@18": "not tried first",
		queue: "backoffQ and unschedulablePods",
	});
	const told = (release) => {
		speakAsIn(release);
		return ["filter", "tie", "last", "queue"].map((key) => t(key, { i: 1 }));
	};
	const former = "podBackoffQ and unschedulableQ";
	assert.deepEqual(told("1.15"), ["Predicate 1", "in turn", "not tried first", former]);
	assert.deepEqual(told("1.16"), ["Predicate 1", "at random", "not tried first", former]);
	assert.deepEqual(told("1.18"), ["Filter 1", "at random", "not tried first", former]);
	const now = ["Filter 1", "at random", "tried first", "backoffQ and unschedulablePods"];
	assert.deepEqual(told("1.25"), now);
	assert.deepEqual(told(undefined), now);
});

test("a text of an old release replaces one that is there", () => {
	const english = read("en");
	for (const key of Object.keys(english).filter((one) => /@\d+$/.test(one)))
		assert.ok(key.replace(/@\d+$/, "") in english, key);
});

test("every choice by number has a form for each plural category of its language", () => {
	for (const name of ["", "editor-", "experiments-"].flatMap((room) => [`${room}en`, `${room}zh-hans`])) {
		const texts = read(name);
		const { pluralCategories } = new Intl.PluralRules(texts.language).resolvedOptions();
		for (const [key, text] of Object.entries(texts)) {
			for (const [, choice] of text.matchAll(/\{\w+\|([^{}]*)\}/g)) {
				const forms = choice.split("|").filter((form) => !/^=\d+:/.test(form));
				assert.equal(forms.length, pluralCategories.length, `${name} ${key}: ${choice}`);
			}
		}
	}
});
