// @ts-nocheck
// The browser and Python drop the same objects and fields of a dump, with the same counts.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { keptLines } from "../../static/js/intake/line_filter.js";
import { Names, Renaming } from "../../static/js/intake/naming.js";
import { needsImport, wasPrinted } from "../../static/js/intake/printed.js";
import { LeftOut, Pruning } from "../../static/js/intake/pruning.js";
import { Malformed, reduce, withoutValues } from "../../static/js/intake/reduce.js";
import { parseAllDocuments } from "../../static/vendor/yaml/yaml.js";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const PYTHON = process.env.PYTHON ?? join(ROOT, ".venv", "bin", "python");
const out = execFileSync(PYTHON, [join(ROOT, "tests", "js", "intake_cases.py")], {
	cwd: ROOT,
	env: { ...process.env, PYTHONPATH: ROOT },
	maxBuffer: 1 << 28,
});
const [{ table, naming }, ...cases] = out
	.toString()
	.split("\n")
	.filter(Boolean)
	.map((line) => JSON.parse(line));
async function* inBlocks(text, size) {
	for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}
async function reduced(text, size) {
	const documents = [];
	const { leftOut } = await reduce(inBlocks(text, size), table, (document) => documents.push(document));
	return { text: documents.join("\n---\n"), leftOut };
}
const plain = (value) => JSON.parse(JSON.stringify(value));

for (const { name, text, objects, leftOut } of cases) {
	test(`${name}: the browser keeps what Python keeps`, async () => {
		const made = await reduced(text, 1000);
		const found = parseAllDocuments(made.text, { version: "1.1" })
			.map((document) => document.toJS())
			.filter(Boolean);
		assert.equal(found.pop().kind, "LeftOut");
		assert.deepEqual(plain(found), objects);
		assert.deepEqual(plain(made.leftOut), leftOut);
		assert.ok(!made.text.includes("s3cr3t"));
	});
}

for (const { name, objects, renamed, names, keys } of cases) {
	test(`${name}: the browser gives the names that Python gives`, () => {
		const found = new Names(naming);
		for (const one of objects) found.collect(one);
		const renaming = new Renaming(found);
		assert.deepEqual(Object.fromEntries(renaming.mapping), names);
		assert.deepEqual(Object.fromEntries(renaming.keys), keys);
		assert.deepEqual(
			objects.map((one) => renaming.value(one)),
			renamed,
		);
	});
}

const CONFIGURATION = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: acme-scheduler
`;
const NAMED = {
	apiVersion: "v1",
	kind: "List",
	items: [
		{ apiVersion: "v1", kind: "Node", metadata: { name: "acme-1", labels: { "acme.com/rack": "acme-a" } } },
		{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "acme" }, data: { "config.yaml": CONFIGURATION } },
		{ apiVersion: "acme.com/v1", kind: "AcmeThing", metadata: { name: "acme" } },
		{
			apiVersion: "v1",
			kind: "Pod",
			metadata: { name: "acme-web", acmeField: 1 },
			spec: { schedulerName: "acme-scheduler" },
		},
	],
};

test("with other names nothing that somebody named is sent, and the owner gets the names", async () => {
	const exported = { nodes: [{ metadata: { name: "acme-1" } }], pods: [{ metadata: { name: "acme-web" } }] };
	for (const found of [NAMED, exported]) {
		const documents = [];
		const text = JSON.stringify(found, null, 1);
		const { names } = await reduce(inBlocks(text, 99), table, (document) => documents.push(document), naming);
		assert.ok(!documents.join("").toLowerCase().includes("acme"), documents.join("\n"));
		assert.equal(names.names["acme-1"], "node-1");
		assert.equal(names.names["acme-web"], "pod-1");
		assert.deepEqual(
			documents.map((document) => JSON.parse(document).kind).sort(),
			found === NAMED ? ["KubeSchedulerConfiguration", "LeftOut", "Node", "Pod"] : ["LeftOut", "Node", "Pod"],
		);
	}
});

test("what cannot be read is refused with its line, and nothing of it is sent", async () => {
	await assert.rejects(
		reduced("kind: Pod\nmetadata:\n  name: 'a\n", 7),
		(error) => error instanceof Malformed && error.reason === "cut",
	);
	await assert.rejects(
		reduced('{"kind": "Pod",\n "metadata" 7}', 7),
		(error) => error instanceof Malformed && error.line === 2,
	);
	for (const [text, line, reason] of [
		["kind: Pod\nmetadata: {name: a,\n name: b}\n", 3, "twice"],
		["kind: Pod\nmetadata:\n\tname: a\n", 3, "tab"],
		["kind: Pod\nmetadata: &m {name: a}\n---\nkind: Node\nmetadata: *m\n", 4, "alias"],
		["NAME   STATUS   ROLES\nn1     Ready    none\n", 1, "people"],
		["Name:         web\nNamespace:    default\n", 1, "people"],
	]) {
		await assert.rejects(reduced(text, 7), (error) => {
			assert.deepEqual([error.line, error.reason], [line, reason]);
			return true;
		});
	}
});

test("a text of a cluster is known by what only an API server writes", () => {
	assert.ok(wasPrinted('{"metadata": {"resourceVersion": "7"}}'));
	assert.ok(wasPrinted("kind: Secret\ndata: {}"));
	assert.ok(!wasPrinted("kind: Pod\nmetadata: {name: secret}"));
	assert.ok(needsImport('{"nodes": [], "schedulerConfig": {}}'));
	assert.ok(!needsImport("kind: Pod\nmetadata: {name: nodes}"));
});

test("what kubectl prints for people is sent without the values of environment variables", () => {
	const printed =
		"Name:         web\nAnnotations:  note: secret-1\n              more: secret-2\nStatus:       Running\nContainers:\n" +
		"  main:\n    Command:\n      sh\n      secret-3\n    Limits:\n      cpu:  1\n    Environment:\n      A:  secret-4\n" +
		"    Mounts:       <none>\n";
	const sent = withoutValues(printed);
	assert.ok(!sent.includes("secret"), sent);
	assert.deepEqual(sent.match(/^ *(?:Name|Status|Limits|cpu|Mounts):/gm)?.length, 5);
});

test("a value on the last line is not sent either, though no line follows it", () => {
	for (const printed of [
		"    Environment:\n      A:  secret",
		"  Annotations:  note: secret",
		"    Args:\n      secret",
	])
		assert.equal(withoutValues(`Name:  web\n${printed}`), "Name:  web\n");
});

test("an object as kubectl prints it is reduced line by line, without a parser", () => {
	const printed = `apiVersion: v1
kind: Pod
metadata:
  name: web
  uid: 4f1c
spec:
  containers:
  - env:
    - name: TOKEN
      value: s3cr3t
    name: main
    resources:
      requests:
        cpu: 100m
  nodeName: n1`;
	const kept = keptLines(printed.split("\n"), new Pruning(table), new LeftOut());
	assert.ok(!kept.join("\n").includes("s3cr3t"));
	for (const line of ["  name: web", "  containers:", "        cpu: 100m", "  nodeName: n1"])
		assert.ok(kept.includes(line), line);
});
