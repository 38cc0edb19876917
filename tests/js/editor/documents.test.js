// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { Documents } from "../../../static/js/editor/form/documents.js";
import { workload } from "../../../static/js/editor/form/shapes.js";

const TEXT = `# two nodes
apiVersion: v1
kind: Node
metadata: {name: n1}  # the first
status: {capacity: {cpu: "2"}}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - {name: main, image: pause}
`;

test("a change touches only its own document", () => {
	const documents = new Documents(TEXT);
	documents.set(documents.of("Pod")[0], ["spec", "priority"], 10);
	const [node, pod] = documents.toString().split("---\n");
	assert.equal(node, TEXT.split("---\n")[0]);
	assert.match(pod, /priority: 10/);
});

test("comments survive a change of their document", () => {
	const documents = new Documents(TEXT);
	documents.set(documents.of("Node")[0], ["status", "capacity", "cpu"], "4");
	assert.match(documents.toString(), /# two nodes[\s\S]*# the first[\s\S]*cpu: "?4"?/);
});

test("an emptied field takes the maps that held only it with it", () => {
	const documents = new Documents(TEXT);
	const pod = () => documents.of("Pod")[0];
	documents.set(pod(), ["spec", "affinity", "nodeAffinity"], { a: 1 });
	documents.set(pod(), ["spec", "affinity", "nodeAffinity"], "");
	assert.doesNotMatch(documents.toString(), /affinity/);
});

test("a new object stands before our own document", () => {
	const documents = new Documents(`${TEXT}---\napiVersion: kschedui.io/v1alpha1\nkind: Scenario\nspec: {}\n`);
	documents.add({ apiVersion: "v1", kind: "Node", metadata: { name: "n2" } });
	assert.deepEqual(
		documents.objects.map((ref) => ref.value.kind),
		["Node", "Pod", "Node", "Scenario"],
	);
});

test("objects of a List are found and edited one by one", () => {
	const documents = new Documents(
		"kind: List\nitems:\n- {kind: Node, metadata: {name: a}}\n- {kind: Node, metadata: {name: b}}\n",
	);
	documents.remove(documents.of("Node")[0]);
	assert.deepEqual(
		documents.of("Node").map((ref) => ref.value.metadata.name),
		["b"],
	);
});

test("broken YAML is said to be broken, not thrown", () => {
	assert.equal(new Documents("a: [1\nb: }").valid, false);
});

test("a workload is written with its template and containers on lines of their own", () => {
	const documents = new Documents("");
	documents.add(workload("Deployment", "web"));
	const lines = documents.toString().split("\n");
	assert.ok(lines.includes("  replicas: 3"));
	assert.ok(lines.includes("      containers:"));
	documents.add(workload("CronJob", "report"));
	assert.ok(documents.toString().includes("          containers:"));
	assert.ok(!/[&*]\w/.test(documents.toString()), "no anchors");
});

test("a field that is not there can be removed, and one whose parent is empty can be set", () => {
	const documents = new Documents("kind: Pod\nspec:\n");
	const [pod] = documents.of("Pod");
	documents.set(pod, ["metadata", "labels", "app"], "");
	documents.set(pod, ["spec", "tolerations"], []);
	documents.set(pod, ["spec", "nodeName"], "n1");
	assert.deepEqual(documents.of("Pod")[0].value, { kind: "Pod", spec: { nodeName: "n1" } });
});
