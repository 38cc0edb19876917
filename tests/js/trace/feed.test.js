// @ts-nocheck
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { cursorRule, Feed, fetchChunkPatiently, openFrame } from "../../../static/js/trace/feed.js";

/** A frame as the server stores it. */
function frame(seq, chunk) {
	const raw = Buffer.from(JSON.stringify({ seq, first_step: 0, keyframe: {}, events: [], last: false, ...chunk }));
	const head = Buffer.alloc(32);
	head.write("KSU1");
	head.writeUInt16LE(1, 4);
	head.writeUInt32LE(seq, 8);
	head.writeUInt32LE(raw.length, 20);
	const body = Buffer.concat([head, deflateSync(raw, { level: 1 })]);
	return body.buffer.slice(body.byteOffset, body.byteOffset + body.length);
}

class FakeSocket {
	static all = [];
	constructor() {
		this.sent = [];
		FakeSocket.all.push(this);
	}
	send(text) {
		this.sent.push(JSON.parse(text));
	}
	close() {}
}

function follow(cursor) {
	const seen = [];
	const feed = new Feed("ws://x", "r1", cursor, FakeSocket);
	feed.listen({ chunk: (c) => seen.push(c.seq), message: (m) => seen.push(m.type), connection: (c) => seen.push(c) });
	feed.open();
	const socket = FakeSocket.all.at(-1);
	socket.onopen();
	return { feed, socket, seen };
}

test("a chunk at the cursor is taken, one below ignored, one above asks again", () => {
	assert.equal(cursorRule(3, 3), "apply");
	assert.equal(cursorRule(2, 3), "ignore");
	assert.equal(cursorRule(5, 3), "resubscribe");
});

test("the feed subscribes from its cursor and applies each chunk once, in order", async () => {
	const { feed, socket, seen } = follow(1);
	assert.deepEqual(socket.sent, [{ type: "subscribe", run: "r1", cursor: 1 }]);
	for (const seq of [0, 1, 1, 3, 2]) socket.onmessage({ data: frame(seq) });
	await feed.opening;
	assert.deepEqual(seen, [1, 2]);
	assert.deepEqual(socket.sent.at(-1), { type: "subscribe", run: "r1", cursor: 2 });
});

test("end is heard after the last chunk, although opening a frame takes time", async () => {
	const { feed, socket, seen } = follow(0);
	socket.onmessage({ data: frame(0) });
	socket.close = () => seen.push("closed by the page");
	socket.onmessage({ data: JSON.stringify({ type: "end", chunks: 1, steps: 0 }) });
	await feed.opening;
	assert.deepEqual(seen, [0, "end", "closed by the page"], "a run that is loaded takes no connection");
});

test("what comes before somebody listens is told then, a chunk is opened when the one before was taken", async () => {
	const feed = new Feed("ws://x", "r1", 0, FakeSocket);
	feed.open();
	const socket = FakeSocket.all.at(-1);
	socket.onmessage({ data: JSON.stringify({ type: "hello" }) });
	for (const seq of [0, 1]) socket.onmessage({ data: frame(seq) });
	const seen = [];
	let taken;
	const first = new Promise((resolve) => (taken = resolve));
	const told = new Promise((resolve) => {
		const chunk = (c) => (seen.push(c.seq), resolve(), first);
		feed.listen({ chunk, message: (m) => seen.push(m.type), connection: (c) => seen.push(c) });
	});
	await told;
	assert.deepEqual(seen, ["open", "hello", 0]);
	taken();
	await feed.opening;
	assert.deepEqual(seen, ["open", "hello", 0, 1]);
});

test("a connection that was made before is taken over with what came; one that is lost is made anew", async () => {
	const took = (readyState) => {
		const early = {
			socket: Object.assign(new FakeSocket(), { readyState }),
			came: [JSON.stringify({ type: "hello" }), frame(0)],
		};
		const seen = [];
		const feed = new Feed("ws://x", "r1", 0, FakeSocket);
		feed.listen({ chunk: (c) => seen.push(c.seq), message: (m) => seen.push(m.type), connection: (c) => seen.push(c) });
		feed.open(early);
		return { early, feed, seen };
	};
	const { early, feed, seen } = took(1);
	early.socket.onmessage({ data: frame(1) });
	await feed.opening;
	assert.deepEqual([seen, early.socket.sent], [["open", "hello", 0, 1], []]);
	const lost = took(3);
	assert.notEqual(lost.feed.socket, lost.early.socket);
});

test("a dropped connection is told and opened again at the same cursor", async (context) => {
	context.mock.timers.enable({ apis: ["setTimeout"] });
	const { feed, socket, seen } = follow(0);
	socket.onmessage({ data: frame(0) });
	await feed.opening;
	socket.onclose({ code: 1012 });
	context.mock.timers.tick(300);
	const again = FakeSocket.all.at(-1);
	assert.notEqual(again, socket);
	again.onopen();
	assert.deepEqual(again.sent, [{ type: "subscribe", run: "r1", cursor: 1 }]);
	await feed.listener;
	assert.ok(seen.includes("lost"));
});

test("no such run is final", async () => {
	const { feed, socket, seen } = follow(0);
	const before = FakeSocket.all.length;
	socket.onclose({ code: 4004 });
	await feed.listener;
	assert.equal(seen.at(-1), "closed");
	assert.equal(FakeSocket.all.length, before);
});

test("a frame that is not ours is refused", async () => {
	await assert.rejects(openFrame(new ArrayBuffer(40)), /not a chunk/);
});

/** A frame whose body cannot be decoded. */
function damagedFrame(seq) {
	const bytes = frame(seq);
	new Uint8Array(bytes, 32).fill(7);
	return bytes;
}

test("a damaged chunk is asked for again, and neither later chunks nor the end are lost", async () => {
	const { feed, socket, seen } = follow(0);
	let closed = 0;
	socket.close = () => (closed += 1);
	socket.onmessage({ data: frame(0) });
	socket.onmessage({ data: damagedFrame(1) });
	socket.onmessage({ data: frame(2) });
	socket.onmessage({ data: JSON.stringify({ type: "end", chunks: 3, steps: 0 }) });
	await feed.opening;
	assert.deepEqual([seen, closed, feed.cursor, feed.done], [[0, 2], 1, 1, false]);
	feed.open(); // as after the wait
	const again = FakeSocket.all.at(-1);
	again.onopen();
	assert.deepEqual(again.sent, [{ type: "subscribe", run: "r1", cursor: 1 }]);
	for (const seq of [1, 2]) again.onmessage({ data: frame(seq) });
	again.onmessage({ data: JSON.stringify({ type: "end", chunks: 3, steps: 0 }) });
	await feed.opening;
	assert.deepEqual(seen, [0, 2, 1, 2, "end"]);
});

test("a chunk that is damaged at every try is reported, and the rest of the run comes", async () => {
	const { feed, seen } = follow(0);
	for (let tries = 0; tries < 6; tries += 1) {
		feed.open();
		FakeSocket.all.at(-1).onmessage({ data: damagedFrame(0) });
		await feed.opening;
	}
	FakeSocket.all.at(-1).onmessage({ data: frame(1) });
	await feed.opening;
	assert.deepEqual(seen, ["error", 1]);
});

test("an error in the page stops neither later chunks nor the end", async (context) => {
	const reported = context.mock.method(console, "error", () => {});
	const feed = new Feed("ws://x", "r1", 0, FakeSocket);
	const seen = [];
	const chunk = (c) => {
		seen.push(c.seq);
		if (c.seq === 0) throw new Error("a picture that cannot be drawn");
	};
	feed.listen({ chunk, message: (m) => seen.push(m.type), connection: () => {} });
	feed.open();
	const socket = FakeSocket.all.at(-1);
	for (const seq of [0, 1]) socket.onmessage({ data: frame(seq) });
	socket.onmessage({ data: JSON.stringify({ type: "end", chunks: 2, steps: 0 }) });
	await feed.opening;
	assert.deepEqual(seen, [0, 1, "end"]);
	assert.equal(reported.mock.callCount(), 1);
});

test("a chunk is fetched again after a failure, and given up after some", async (context) => {
	context.mock.method(console, "warn", () => {});
	const answers = [() => Promise.reject(new TypeError("Failed to fetch")), () => ({ ok: false, status: 503 })];
	const fetched = context.mock.method(globalThis, "fetch", async () => {
		const answer = answers.shift();
		return answer ? answer() : { ok: true, arrayBuffer: async () => frame(4) };
	});
	assert.equal((await fetchChunkPatiently("/api", "r1", 4, 1)).seq, 4);
	assert.equal(fetched.mock.callCount(), 3);
	answers.push(...Array(6).fill(() => ({ ok: false, status: 404 })));
	assert.equal(await fetchChunkPatiently("/api", "r1", 4, 1), undefined);
	assert.equal(fetched.mock.callCount(), 9);
});
