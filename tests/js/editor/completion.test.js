// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import {
	completions,
	deviceNames,
	expressionText,
	optionsAt,
	placeOf,
	ruleNames,
	selectorText,
} from "../../../static/js/editor/text/completion.js";

const catalogue = {
	kinds: [{ apiVersion: "v1", kind: "Pod", type: "Pod" }],
	types: {
		Pod: { spec: { type: "PodSpec" }, metadata: { type: "ObjectMeta" } },
		ObjectMeta: {
			name: { type: "string" },
			labels: { type: "string", map: true },
			annotations: { type: "string", map: true, keys: { "kschedui.io/exit-code": "of its containers" } },
		},
		PodSpec: {
			containers: { type: "Container", list: true },
			topics: { type: "enum", values: ["queue", "scale"], list: true },
			preemptionPolicy: { type: "enum", values: ["Never", "PreemptLowerPriority"] },
		},
		Container: { name: { type: "string" }, resources: { type: "Resources" } },
		Resources: { requests: { type: "quantity", map: true } },
	},
	plugins: {},
};
const labels = (/** @type {string} */ text) => {
	const { path, value } = placeOf(text);
	return optionsAt(catalogue, text, path, value).map(({ label }) => label);
};

test("a value that is written out optionsAt nothing, so that Enter begins the next line", () => {
	const offered = (/** @type {string} */ text) => {
		const state = { sliceDoc: (from = 0, to = text.length) => text.slice(from, to), doc: text };
		return completions(catalogue)({ state, pos: text.length, explicit: false });
	};
	assert.equal(offered("kind: Pod\nspec:\n  preemptionPolicy: Never"), null);
	assert.deepEqual(
		offered("kind: Pod\nspec:\n  preemptionPolicy: Nev")?.options.map(({ label }) => label),
		["Never", "PreemptLowerPriority"],
	);
});

test("a field of a block mapping is offered below its parent", () => {
	assert.deepEqual(labels("kind: Pod\nspec:\n  pre"), ["containers", "topics", "preemptionPolicy"]);
});

test("a field of a list item is offered at the item's depth", () => {
	assert.deepEqual(labels("kind: Pod\nspec:\n  containers:\n  - name: main\n    res"), ["name", "resources"]);
});

test("known keys of a map are offered within it", () => {
	assert.deepEqual(labels("kind: Pod\nmetadata:\n  annotations:\n    ksch"), ["kschedui.io/exit-code"]);
	assert.deepEqual(labels("kind: Pod\nmetadata: {annotations: {ksch"), ["kschedui.io/exit-code"]);
	assert.deepEqual(labels("kind: Pod\nmetadata:\n  labels:\n    ksch"), []);
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

test("values of a fixed set are offered in a list, in either way of writing it", () => {
	assert.deepEqual(labels("kind: Pod\nspec:\n  topics: [queue, s"), ["queue", "scale"]);
	assert.deepEqual(labels("kind: Pod\nspec:\n  topics:\n  - s"), ["queue", "scale"]);
});

const RULE = "apiVersion: kschedui.io/v1alpha1\nkind: SchedulerPlugin\nspec:\n";
const FIELDS = {
	kinds: [],
	plugins: {},
	types: {
		Node: { metadata: { type: "ObjectMeta" }, spec: { type: "NodeSpec" } },
		ObjectMeta: { name: { type: "string" }, labels: { type: "string", map: true } },
	},
};

test("the expression of a rule is found in a block and on a line, and nowhere else", () => {
	const at = (/** @type {string} */ text) => expressionText(RULE + text, RULE + text);
	assert.equal(at("  filter: |\n    true &&\n      node.me"), "    true &&\n      node.me");
	assert.equal(at("  filter: node.me"), "node.me");
	assert.equal(at("  filter: |\n    true\n  wei"), null);
	assert.equal(at("  wei"), null);
	assert.equal(expressionText("kind: Pod\nspec:\n  filter: x", "kind: Pod\nspec:\n  filter: x"), null);
});

test("in an expression there are variables, then the fields of what they are", () => {
	const labels = (/** @type {string} */ text) => ruleNames(FIELDS, text).map(({ option }) => option.label);
	assert.ok(labels("").includes("node"));
	assert.deepEqual(labels("true && node."), ["metadata", "spec"]);
	assert.deepEqual(labels("node.metadata.la"), ["name", "labels"]);
	assert.deepEqual(labels("requested."), ["cpu", "memory", "pods"]);
	assert.deepEqual(labels("cluster.requested."), ["cpu", "memory", "pods"]);
	assert.ok(labels("pods.").includes("exists("));
	assert.equal(ruleNames(FIELDS, "node.metadata.la")[0].word, "la");
});

const DEVICES = `kind: ResourceSlice
spec:
  driver: gpu.example.com
  devices:
  - name: gpu-0
    attributes: {model: {string: a100}, resource.kubernetes.io/pcieRoot: {string: pci0}}
    capacity:
      memory: {value: 80Gi}
---
kind: ResourceSlice
spec:
  driver: nic.example.com
  devices:
  - name: eth-0
    attributes:
      speed:
        int: 100
---
`;

test("a selector of a device is told from other text", () => {
	const of = (/** @type {string} */ text) => selectorText(`kind: DeviceClass\n${text}`, `kind: DeviceClass\n${text}`);
	assert.equal(of("spec:\n  selectors:\n  - cel: {expression: 'device.dri"), "device.dri");
	assert.equal(of('spec:\n  - cel:\n      expression: "device.attributes[\\"g'), 'device.attributes["g');
	assert.equal(
		of("spec:\n  - cel:\n      expression: |\n        device.driver == ''\n        && dev").trim().split("\n").length,
		2,
	);
	assert.equal(of("spec:\n  extendedResourceName: dev"), null);
	assert.equal(selectorText("kind: Pod\nexpression: x", "kind: Pod\nexpression: x"), null);
});

test("a selector is completed with what the devices of the text have", () => {
	const labels = (/** @type {string} */ text) => deviceNames(DEVICES, text).map(({ option }) => option.label);
	assert.deepEqual(labels("device."), ["driver", "attributes", "capacity", "allowMultipleAllocations"]);
	assert.deepEqual(labels('device.attributes["'), ["gpu.example.com", "nic.example.com"]);
	assert.deepEqual(labels('device.driver == "g'), ["gpu.example.com", "nic.example.com"]);
	assert.deepEqual(deviceNames("kind: ResourceSlice\nspec:\n", 'device.attributes["'), []); // no driver is written yet
	assert.deepEqual(labels('device.attributes["gpu.example.com"].'), ["model"]);
	assert.deepEqual(labels('device.attributes["resource.kubernetes.io"].p'), ["pcieRoot"]);
	assert.deepEqual(labels('device.attributes["nic.example.com"].'), ["speed"]);
	assert.deepEqual(labels('device.capacity["gpu.example.com"].me'), ["memory"]);
	assert.ok(labels('device.capacity["gpu.example.com"].memory.').includes("compareTo("));
	assert.ok(labels("de").includes("device"));
	assert.deepEqual(labels('device.driver.startsWith("gp'), []);
	assert.equal(deviceNames(DEVICES, 'device.capacity["gpu.example.com"].me')[0].word, "me");
});
