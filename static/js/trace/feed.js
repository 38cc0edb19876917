// @ts-check
/**
 * Bytes: follow one run over the websocket, from a cursor. A chunk whose number equals the cursor is taken, one below
 * is ignored, one above makes us subscribe again. Earlier chunks (a link into the middle) come over HTTP.
 */
import { unpackLoaded } from "./columns.js";

/** Codes after which asking again is useless. */
const FINAL = new Set([4001, 4004]);
const FIRST_WAIT = 250;
const LONGEST_WAIT = 8000;
/** Chunk sizes are a fixed rule (scheduler_core/trace/chunks.py): 64, 256, 1024, then 4096 each. */
const SIZES = [64, 256, 1024];
const FULL = 4096;

/** Number of the chunk that holds a step. @param {number} step */
export function chunkOf(step) {
	let first = 0;
	for (let seq = 0; seq < SIZES.length; seq += 1) {
		first += SIZES[seq];
		if (step < first) return seq;
	}
	return SIZES.length + Math.floor((step - first) / FULL);
}

/**
 * Open a frame: 32-byte header (see docs/architecture.md) and a zlib body.
 * @param {ArrayBuffer} frame @returns {Promise<TraceChunk>}
 */
export async function openFrame(frame) {
	if (new TextDecoder().decode(new Uint8Array(frame, 0, 4)) !== "KSU1") throw new Error("not a chunk");
	const body = new Blob([new Uint8Array(frame, 32)]).stream().pipeThrough(new DecompressionStream("deflate"));
	const text = await new Response(body).text();
	const chunk = JSON.parse(text);
	unpackLoaded(chunk);
	if (chunk.keyframe?.nodes) await import("./late/whole.js");
	if (text.includes('"pod_group')) await import("./late/groups.js");
	if (text.includes('"PreemptionEvaluated"')) (await import("./late/candidates.js")).unpack(chunk);
	return chunk;
}

/**
 * What to do with a chunk that arrived.
 * @param {number} seq @param {number} cursor @returns {"apply" | "ignore" | "resubscribe"}
 */
export function cursorRule(seq, cursor) {
	return seq === cursor ? "apply" : seq < cursor ? "ignore" : "resubscribe";
}

export class Feed {
	/**
	 * @param {string} url websocket address
	 * @param {string} run
	 * @param {number} cursor first chunk wanted
	 * @param {typeof WebSocket} [Socket]
	 */
	constructor(url, run, cursor, Socket = WebSocket) {
		this.url = url;
		this.run = run;
		this.cursor = cursor;
		this.Socket = Socket;
		this.done = false;
		this.wait = FIRST_WAIT;
		/** Frames are opened one after another, in order of arrival. */
		this.opening = Promise.resolve();
		/** What comes before somebody listens waits. @type {Promise<Listener>} */
		this.listener = new Promise((resolve) => (this.listen = resolve));
	}

	/** @param {Early} [early] a connection that was made before, what came over it, and whether chunk 0 was asked for */
	open(early) {
		const usable = early && early.socket.readyState <= 1;
		const socket = usable ? early.socket : new this.Socket(this.url);
		this.socket = socket;
		socket.binaryType = "arraybuffer";
		socket.onopen = () => this.subscribe();
		socket.onmessage = ({ data }) => this.receive(data);
		socket.onclose = ({ code }) => this.closed(code);
		if (!usable) return;
		for (const data of early.came) this.receive(data);
		if (socket.readyState === 1 && !early.asked) this.subscribe();
	}

	receive(/** @type {any} */ data) {
		if (typeof data === "string") this.hear(JSON.parse(data));
		else this.take(data);
	}

	subscribe() {
		this.socket?.send(JSON.stringify({ type: "subscribe", run: this.run, cursor: this.cursor }));
	}

	hear(/** @type {any} */ message) {
		this.wait = FIRST_WAIT;
		if (message.type !== "end") return this.tell(message);
		this.done = true;
		this.opening = this.opening.then(() => this.tell(message));
	}

	async tell(/** @type {any} */ message) {
		const listener = await this.listener;
		if (message.type === "hello") listener.connection("open", 0);
		listener.message(message);
	}

	take(/** @type {ArrayBuffer} */ frame) {
		const rule = cursorRule(new DataView(frame).getUint32(8, true), this.cursor);
		if (rule === "resubscribe") this.subscribe();
		if (rule !== "apply") return;
		this.cursor += 1;
		this.opening = this.opening.then(async () => {
			const chunk = await openFrame(frame);
			await (await this.listener).chunk(chunk);
		});
	}

	async closed(/** @type {number} */ code) {
		const closed = this.done || FINAL.has(code);
		if (!closed) {
			setTimeout(() => this.open(), this.wait);
			this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
		}
		(await this.listener).connection(closed ? "closed" : "lost", code);
	}

	/** Have the chunks from a number on sent (again). @param {number} seq */
	from(seq) {
		this.cursor = seq;
		this.subscribe();
	}

	close() {
		this.done = true;
		this.socket?.close();
	}
}

/** One chunk over HTTP. @param {string} api @param {string} run @param {number} seq */
export async function fetchChunk(api, run, seq) {
	const answer = await fetch(`${api}/runs/${run}/chunks/${seq}`);
	if (!answer.ok) throw new Error(`chunk ${seq}: ${answer.status}`);
	return openFrame(await answer.arrayBuffer());
}
