import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.window = globalThis;
const { Explainer } = await import("../../../static/js/trace/explainer.js");

test("what was asked for already is not asked for again as if it were about all nodes", async (t) => {
	const asked = [];
	t.mock.method(globalThis, "fetch", async (url) => {
		asked.push(url);
		return { ok: true, json: async () => ({ nodes: [{ node: "n1" }] }) };
	});
	const explainer = new Explainer("/api/v1", "run", () => {});
	explainer.wanted = { attempt: 1, nodes: new Set(["n1"]) };
	await explainer.ask(1);
	await explainer.ask(1);
	assert.deepEqual(asked, ["/api/v1/runs/run/explain/1?nodes=n1"]);
	assert.equal(explainer.node(1, "n1").node, "n1");
});
