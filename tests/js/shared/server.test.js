// @ts-nocheck
// A request is answered even if the server cannot be reached: callers handle it like any other error.
import assert from "node:assert/strict";
import { test } from "node:test";
import { useCatalogue } from "../../../static/js/shared/i18n.js";
import { post, request } from "../../../static/js/shared/server.js";

useCatalogue({ language: "en", unreachable: "The site is not responding." });
globalThis.document = { querySelector: () => null };

test("a request that is not answered has the status 0 and the page's sentence", async (t) => {
	t.mock.method(globalThis, "fetch", async () => {
		throw new TypeError("Failed to fetch");
	});
	for (const sent of [request("/a"), post("/a", {})]) {
		const { status, body } = await sent;
		assert.equal(status, 0);
		assert.deepEqual(body.errors, [{ message: "The site is not responding." }]);
	}
});

test("a reply that is cut off, or the loss of the connection while a request waits, is the same", async (t) => {
	const busy = Response.json({ ahead: { others: 1, seconds: 1 } }, { status: 202 });
	const cut = new Response('{"run": ', { headers: { "content-type": "application/json" } });
	const answers = [cut, busy, Promise.reject(new TypeError("Failed to fetch"))];
	answers[2].catch(() => {});
	t.mock.method(globalThis, "fetch", async () => answers.shift());
	assert.equal((await request("/a")).status, 0);
	assert.equal((await request("/a")).status, 0);
});

test("only a request that is cancelled rejects", async (t) => {
	t.mock.method(globalThis, "fetch", async (_, { signal }) => signal.throwIfAborted());
	await assert.rejects(request("/a", {}, { signal: AbortSignal.abort() }), { name: "AbortError" });
});

test("a reply without content is a success", async (t) => {
	const headers = { "content-type": "application/json" };
	t.mock.method(globalThis, "fetch", async () => new Response(null, { status: 204, headers }));
	const { status, body } = await request("/a", { method: "DELETE" });
	assert.equal(status, 204);
	assert.equal(body.errors, undefined);
});
