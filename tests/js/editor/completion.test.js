// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { offers, placeOf } from "../../../static/js/editor/text/completion.js";

const catalogue = {
	kinds: [{ apiVersion: "v1", kind: "Pod", type: "Pod" }],
	types: {
		Pod: { spec: { type: "PodSpec" }, metadata: { type: "ObjectMeta" } },
		ObjectMeta: { name: { type: "string" }, labels: { type: "string", map: true } },
		PodSpec: {
			containers: { type: "Container", list: true },
			preemptionPolicy: { type: "enum", values: ["Never", "PreemptLowerPriority"] },
		},
		Container: { name: { type: "string" }, resources: { type: "Resources" } },
		Resources: { requests: { type: "quantity", map: true } },
	},
	plugins: {},
};
const labels = (/** @type {string} */ text) => {
	const { path, value } = placeOf(text);
	return offers(catalogue, text, path, value).map(({ label }) => label);
};

test("a field of a block mapping is offered below its parent", () => {
	assert.deepEqual(labels("kind: Pod\nspec:\n  pre"), ["containers", "preemptionPolicy"]);
});

test("a field of a list item is offered at the item's depth", () => {
	assert.deepEqual(labels("kind: Pod\nspec:\n  containers:\n  - name: main\n    res"), ["name", "resources"]);
});

test("a field inside braces is offered by the braces around it", () => {
	assert.deepEqual(labels("kind: Pod\nspec:\n  containers:\n  - {name: main, resources: {re"), ["requests"]);
});

test("values of a fixed set are offered after the colon", () => {
	assert.deepEqual(labels("kind: Pod\nspec:\n  preemptionPolicy: N"), ["Never", "PreemptLowerPriority"]);
});

test("the keys of a free map are not made up", () => {
	assert.deepEqual(labels("kind: Pod\nmetadata:\n  labels:\n    a"), []);
});
