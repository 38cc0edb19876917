import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.window = globalThis;
const { Explainer } = await import("../../../static/js/trace/explainer.js");

test("what was asked for already is not asked for again as if it were about all nodes", async (t) => {
	const asked = [];
	t.mock.method(globalThis, "fetch", async (url) => {
		asked.push(url);
		return Response.json({ nodes: [{ node: "n1" }] });
	});
	const explainer = new Explainer("/api/v1", "run", () => {});
	explainer.wanted = { attempt: 1, nodes: new Set(["n1"]) };
	await explainer.load(1);
	await explainer.load(1);
	assert.deepEqual(asked, ["/api/v1/runs/run/explain/1?nodes=n1"]);
	assert.equal(explainer.node(1, "n1").node, "n1");
});

test("who waits for an explanation hears how many come before, until it is there", async (t) => {
	const busy = Response.json({ ahead: { others: 3, seconds: 2 } }, { status: 202 });
	const answers = [busy, Response.json({ nodes: [{ node: "n1" }] })];
	t.mock.method(globalThis, "fetch", async () => answers.shift());
	const heard = [];
	const explainer = new Explainer("/api/v1", "run", () => heard.push(explainer.requestsAhead(1, "n1")));
	explainer.wanted = { attempt: 1, nodes: new Set(["n1"]) };
	await explainer.load(1);
	assert.deepEqual(heard, [3, null]);
	assert.equal(explainer.node(1, "n1").node, "n1");
});

test("an explanation that was dropped while it waited can be asked for again", async (t) => {
	const busy = () => Response.json({ ahead: { others: 3, seconds: 2 } }, { status: 202 });
	t.mock.method(globalThis, "fetch", async () => busy());
	const explainer = new Explainer("/api/v1", "run", () => explainer.request(2, ["n2"]));
	explainer.wanted = { attempt: 1, nodes: new Set(["n1"]) };
	await explainer.load(1);
	clearTimeout(explainer.timer);
	assert.equal(explainer.status(1, "n1"), undefined);
	assert.equal(explainer.requestsAhead(1, "n1"), null);
});

test("an explanation that failed can be asked for again a moment later", async (t) => {
	t.mock.timers.enable({ apis: ["setTimeout"] });
	const answers = [new Response("", { status: 500 }), Response.json({ nodes: [{ node: "n1" }] })];
	t.mock.method(globalThis, "fetch", async () => answers.shift());
	const explainer = new Explainer("/api/v1", "run", () => {});
	explainer.request(1, ["n1"]);
	await explainer.load(1);
	assert.equal(explainer.status(1, "n1"), "failed");
	explainer.request(1, ["n1"]); // as each drawing does
	await explainer.load(1);
	assert.equal(answers.length, 1);
	t.mock.timers.tick(10_000);
	explainer.request(1, ["n1"]);
	await explainer.load(1);
	assert.equal(explainer.node(1, "n1").node, "n1");
});
