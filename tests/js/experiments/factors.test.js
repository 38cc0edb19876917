// @ts-nocheck
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { factorOf, scalarOf, valuesOf } from "../../../static/js/experiments/factors.js";
import { useCatalogue } from "../../../static/js/shared/i18n.js";

const read = (name) => JSON.parse(readFileSync(new URL(`../../../static/i18n/${name}.json`, import.meta.url)));
const [english, chinese] = [read("experiments-en"), read("experiments-zh-hans")];
const SLOT = /\{(\w+)[^}]*\}/g;
const slots = (text) => [...new Set([...text.matchAll(SLOT)].map(([, name]) => name))].sort();

test("both catalogues hold the same texts with the same slots", () => {
	assert.deepEqual(Object.keys(chinese).sort(), Object.keys(english).sort());
	for (const [key, text] of Object.entries(english)) assert.deepEqual(slots(chinese[key]), slots(text), key);
});

const filled = (fields, chosen = []) => ({ name: "Title", fields, chosen });

test("each fieldset becomes the factor that the API takes, and its number of levels", () => {
	assert.deepEqual(factorOf("seeds", filled({ count: "20", from: "1" })), {
		factor: { seeds: { from: 1, count: 20 } },
		count: 20,
	});
	assert.deepEqual(factorOf("disable", filled({}, ["ImageLocality"])), {
		factor: { disable: ["ImageLocality"] },
		count: 2,
	});
	assert.deepEqual(factorOf("nodes", filled({ like: "n1", values: "0, 2，4" })), {
		factor: { nodes: { like: "n1", add: [0, 2, 4] } },
		count: 3,
	});
	assert.deepEqual(factorOf("priority", filled({ class: "high", values: "0,10" })).factor.field, {
		kind: "PriorityClass",
		name: "high",
		path: "value",
		values: [0, 10],
	});
	assert.equal(factorOf("weight", filled({ plugin: "A", values: "1" })).count, 1);
	assert.deepEqual(factorOf("releases", filled({}, ["1.36"])).factor, { releases: ["1.36"] });
});

test("a quantity stays a text, and other values are what YAML takes them for", () => {
	const cpu = { kind: "Pod", object: "shop/web", path: "spec.containers[0].resources.requests.cpu", values: "500m, 2" };
	assert.deepEqual(factorOf("field", filled(cpu)).factor.field, {
		kind: "Pod",
		name: "web",
		namespace: "shop",
		path: "spec.containers[0].resources.requests.cpu",
		values: ["500m", "2"],
	});
	const priority = { kind: "Pod", object: "web", path: "spec.priority", values: "5" };
	assert.deepEqual(factorOf("field", filled(priority)).factor.field.values, [5]);
	assert.deepEqual([scalarOf("true"), scalarOf("a"), scalarOf("-3")], [true, "a", -3]);
	assert.deepEqual(valuesOf(" a ,, b "), ["a", "b"]);
});

test("what is wrong with a fieldset is a sentence that names it", () => {
	useCatalogue(english);
	const wrong = [
		["nodes", { like: "n1", values: "" }],
		["nodes", { like: "n1", values: "two" }],
		["strategy", {}],
		["field", { kind: "Pod", object: " ", path: "a", values: "1" }],
	];
	for (const [key, fields] of wrong) assert.throws(() => factorOf(key, filled(fields)), /^Error: Title: /, key);
});
