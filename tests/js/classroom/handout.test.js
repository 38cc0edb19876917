// @ts-nocheck
// A handout whose run cannot be read says why, and leaves no connection open.
import assert from "node:assert/strict";
import { test } from "node:test";

const sockets = [];
globalThis.WebSocket = class {
	closed = false;
	constructor() {
		sockets.push(this);
	}
	send() {}
	close() {
		this.closed = true;
	}
};
const news = { textContent: "" };
const elements = {
	boot: { textContent: JSON.stringify({ ws: "/ws", captions: "/texts", parts: [{ run: "a" }] }) },
	handout: { querySelectorAll: () => [] },
	news,
};
Object.assign(globalThis, {
	document: { getElementById: (id) => elements[id] },
	location: new URL("http://here/"),
	addEventListener() {},
	fetch: async () => Response.json({ language: "en" }),
});
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

test("the connection is closed when the run has failed", async () => {
	await import("../../../static/js/classroom/handout.js");
	await settled();
	sockets[0].onmessage({ data: JSON.stringify({ type: "error", message: "The run is gone." }) });
	await settled();
	assert.equal(news.textContent, "The run is gone.");
	assert.ok(sockets[0].closed);
});
