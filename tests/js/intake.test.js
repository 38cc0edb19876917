// @ts-nocheck
// What the browser drops of a dump is what Python drops of it: the same objects, the same counts.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { wasPrinted } from "../../static/js/intake/printed.js";
import { Malformed, reduce } from "../../static/js/intake/reduce.js";
import { parseAllDocuments } from "../../static/vendor/yaml/yaml.js";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const PYTHON = process.env.PYTHON ?? join(ROOT, ".venv", "bin", "python");
const out = execFileSync(PYTHON, [join(ROOT, "tests", "js", "intake_cases.py")], {
	cwd: ROOT,
	env: { ...process.env, PYTHONPATH: ROOT },
	maxBuffer: 1 << 28,
});
const [{ table }, ...cases] = out
	.toString()
	.split("\n")
	.filter(Boolean)
	.map((line) => JSON.parse(line));
async function* inBlocks(text, size) {
	for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}
async function reduced(text, size) {
	const documents = [];
	const leftOut = await reduce(inBlocks(text, size), table, (document) => documents.push(document));
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

test("what cannot be read is refused with its line, and nothing of it is sent", async () => {
	await assert.rejects(
		reduced("kind: Pod\nmetadata:\n  name: 'a\n", 7),
		(error) => error instanceof Malformed && error.atEnd,
	);
	await assert.rejects(
		reduced('{"kind": "Pod",\n "metadata" 7}', 7),
		(error) => error instanceof Malformed && error.line === 2,
	);
});

test("a text of a cluster is known by what only an API server writes", () => {
	assert.ok(wasPrinted('{"metadata": {"resourceVersion": "7"}}'));
	assert.ok(wasPrinted("kind: Secret\ndata: {}"));
	assert.ok(!wasPrinted("kind: Pod\nmetadata: {name: secret}"));
});
