// @ts-check
/**
 * Follows one run over the websocket, from a cursor. A chunk whose number equals the cursor is applied, one below is
 * ignored, and one above causes a new subscription. Earlier chunks (for a link into the middle) are fetched over HTTP.
 */

import { t } from "../shared/i18n.js";

/** Close codes after which a new connection is useless. */
const FINAL = new Set([4001, 4004]);
const FIRST_WAIT = 250;
const LONGEST_WAIT = 8000;
/** The number of tries for a chunk that cannot be decoded or fetched. */
const TRIES = 6;

/**
 * Decodes a frame: a 32-byte header (see docs/architecture.md) and a zlib body. Throws an Error if it is damaged.
 * @param {ArrayBuffer} frame @returns {Promise<TraceChunk>}
 */
export async function openFrame(frame) {
	if (new TextDecoder().decode(new Uint8Array(frame, 0, 4)) !== "KSU1") throw new Error("not a chunk");
	const body = new Blob([new Uint8Array(frame, 32)]).stream().pipeThrough(new DecompressionStream("deflate"));
	const chunk = await new Response(body).json();
	unpack(chunk);
	return chunk;
}

/**
 * Decides whether to apply a chunk that arrived.
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
		/** The chunk that could not be opened, and the number of tries. */
		this.damaged = { seq: -1, tries: 0 };
		/** Frames are opened one after another, in order of arrival. */
		this.opening = Promise.resolve();
		/** Messages wait for the listener. @type {Promise<Listener>} */
		this.listener = new Promise((resolve) => (this.listen = resolve));
	}

	/**
	 * Connects to the server, or takes over the connection that the page opened early.
	 * @param {Early} [early] an earlier connection, which subscribes, and the messages received over it
	 */
	open(early) {
		const usable = early && early.socket.readyState <= 1;
		const socket = usable ? early.socket : new this.Socket(this.url);
		this.socket = socket;
		socket.binaryType = "arraybuffer";
		socket.onopen = () => this.subscribe();
		socket.onmessage = ({ data }) => this.receive(data);
		socket.onclose = ({ code }) => this.onClose(code);
		if (usable) for (const data of early.came) this.receive(data);
	}

	/** Handles a message, or a frame with a chunk. */
	receive(/** @type {any} */ data) {
		if (typeof data === "string") this.handleMessage(JSON.parse(data));
		else this.takeFrame(data);
	}

	/** Requests the chunks from the cursor on. */
	subscribe() {
		this.socket?.send(JSON.stringify({ type: "subscribe", run: this.run, cursor: this.cursor }));
	}

	/** Passes a message to the listener, the end of the run only after the chunks before it. */
	handleMessage(/** @type {any} */ message) {
		if (!this.damaged.tries) this.wait = FIRST_WAIT;
		if (message.type !== "end") return this.notify(message);
		this.done = true;
		this.enqueue(() => this.finish(message));
	}

	/** Passes on the end of the run, and closes the connection, unless a damaged chunk has been requested again. */
	async finish(/** @type {any} */ message) {
		if (!this.done) return;
		await this.notify(message);
		this.socket?.close();
	}

	/** Runs work after all that was queued before. An error in it is logged, and does not stop later work. */
	enqueue(/** @type {() => Promise<unknown>} */ work) {
		this.opening = this.opening.then(work).then(
			() => {},
			(error) => console.error(error),
		);
	}

	/** Passes a message to the listener; a hello also tells it that the connection is open. */
	async notify(/** @type {any} */ message) {
		const listener = await this.listener;
		if (message.type === "hello") listener.connection("open", 0);
		listener.message(message);
	}

	/** Passes the next chunk to the listener, ignores earlier ones, and subscribes again if there is a gap before it. */
	takeFrame(/** @type {ArrayBuffer} */ frame) {
		const seq = new DataView(frame).getUint32(8, true);
		const rule = cursorRule(seq, this.cursor);
		if (rule === "resubscribe") this.subscribe();
		if (rule !== "apply") return;
		this.cursor += 1;
		this.enqueue(async () => {
			const chunk = await openFrame(frame).catch(() => this.requestAgain(seq));
			if (chunk && seq === this.damaged.seq) this.damaged = { seq: -1, tries: 0 };
			if (chunk) await (await this.listener).chunk(chunk);
		});
	}

	/**
	 * Closes the connection, so that the next one requests a damaged chunk again. The last of TRIES failures is reported
	 * as an error.
	 * @param {number} seq
	 */
	async requestAgain(seq) {
		this.damaged = { seq, tries: seq === this.damaged.seq ? this.damaged.tries + 1 : 1 };
		if (this.damaged.tries >= TRIES) return this.notify({ type: "error", message: t("run.damaged", { seq }) });
		this.cursor = Math.min(this.cursor, seq);
		this.done = false;
		this.socket?.close();
	}

	/** Connects again after a pause that doubles each time, unless the run has ended or the code is final. */
	async onClose(/** @type {number} */ code) {
		const closed = this.done || FINAL.has(code);
		if (!closed) {
			setTimeout(() => this.open(), this.wait);
			this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
		}
		(await this.listener).connection(closed ? "closed" : "lost", code);
	}

	/** Requests all chunks from a number on, even those that have arrived. @param {number} seq */
	requestFrom(seq) {
		this.cursor = seq;
		this.done = false;
		if (this.socket?.readyState === WebSocket.OPEN) this.subscribe();
	}

	/** Closes the connection for good. */
	close() {
		this.done = true;
		this.socket?.close();
	}
}

/** Fetches one chunk over HTTP; throws if that fails. @param {string} api @param {string} run @param {number} seq */
export async function fetchChunk(api, run, seq) {
	const answer = await fetch(`${api}/runs/${run}/chunks/${seq}`);
	if (!answer.ok) throw new Error(`chunk ${seq}: ${answer.status}`);
	return openFrame(await answer.arrayBuffer());
}

/**
 * Fetches a chunk, and tries again if that fails; undefined if all tries fail.
 * @param {string} api @param {string} run @param {number} seq @param {number} [wait] milliseconds before the second try
 * @returns {Promise<TraceChunk | undefined>}
 */
export async function fetchChunkPatiently(api, run, seq, wait = FIRST_WAIT) {
	for (let tries = 0; tries < TRIES; tries += 1) {
		if (tries) await new Promise((resolve) => setTimeout(resolve, Math.min(wait * 2 ** (tries - 1), LONGEST_WAIT)));
		const chunk = await fetchChunk(api, run, seq).catch((error) => console.warn(error));
		if (chunk) return chunk;
	}
}

const READERS = {
	u1: (/** @type {ArrayBuffer} */ b) => new Uint8Array(b),
	u2: (/** @type {ArrayBuffer} */ b) => new Uint16Array(b),
	i4: (/** @type {ArrayBuffer} */ b) => new Int32Array(b),
	i8: (/** @type {ArrayBuffer} */ b) => Float64Array.from(new BigInt64Array(b), Number),
};

/**
 * The `count` integers of a column.
 * @param {import("./trace").Column} column @param {number} count @returns {ArrayLike<number> & Iterable<number>}
 */
export function decodeColumn(column, count) {
	if (typeof column === "number") return new Array(count).fill(column);
	if (column.startsWith("d1:")) return decodeRising(column);
	const kind = /** @type {keyof typeof READERS} */ (column.slice(0, 2));
	const bytes = Uint8Array.from(atob(column.slice(3)), (c) => c.charCodeAt(0));
	return READERS[kind](bytes.buffer);
}

/**
 * Decodes "d1:first:differences": integers that rise by 0 to 255 from one to the next, the differences in base64.
 * @param {string} column
 */
function decodeRising(column) {
	const [, first, differences] = column.split(":");
	const numbers = [Number(first)];
	for (const byte of atob(differences)) numbers.push(numbers[numbers.length - 1] + byte.charCodeAt(0));
	return numbers;
}

/** Turns a chunk's columns into records, in place. @param {TraceChunk} chunk */
export function unpack(chunk) {
	unpackLoaded(chunk);
	unpackCandidates(chunk);
}

/**
 * Converts RunStarted's columns to nodes and pods; before schemas 5 and 4, they are not in columns.
 * @param {TraceChunk} chunk
 */
function unpackLoaded({ events: [started] }) {
	if (started?.type !== "RunStarted") return;
	if (started.loaded_nodes) started.nodes = decodeNodes(started.loaded_nodes);
	if (!started.loaded) return;
	const { nodes = [] } = started;
	const { kinds, pods, kind, node, start_time } = started.loaded;
	started.pods = pods.map((pod, i) => {
		const summary = { ...kinds[kind[i]], pod };
		if (node[i] >= 0) summary.node = nodes[node[i]].name;
		if (start_time[i] !== null) summary.start_time = start_time[i];
		return summary;
	});
}

/** Converts RunStarted's columns to nodes. @param {import("./trace").NodeColumns} loaded */
function decodeNodes({ kinds, keys, nodes, kind, labels }) {
	return nodes.map((name, i) => ({
		...kinds[kind[i]],
		name,
		labels: Object.fromEntries(keys[kind[i]].map((key, k) => [key, labels[i][k]])),
	}));
}

/** Converts the columns of PreemptionEvaluated events to candidates. @param {TraceChunk} chunk */
function unpackCandidates({ events, keyframe }) {
	const { cycle = [] } = /** @type {{cycle?: any}} */ (keyframe ?? {});
	for (const event of [...events, ...(Array.isArray(cycle) ? cycle : [])])
		if (event.type === "PreemptionEvaluated")
			event.candidates ??= event.dry_runs ? decodeCandidates(event.dry_runs) : [];
}

/**
 * Converts the columns of the dry runs to candidates, one per node. `victims` and `tried` are indexes into the pods
 * that are removed from the node.
 * @param {import("./trace").DryRuns} runs
 * @returns {Candidate[]}
 */
function decodeCandidates({
	nodes,
	removed,
	removed_counts,
	tried,
	reprieved,
	violates_pdb,
	victims,
	victim_counts,
	...perNode
}) {
	let [firstRemoved, firstVictim] = [0, 0];
	return nodes.map((node, i) => {
		const pods = removed.slice(firstRemoved, firstRemoved + removed_counts[i]);
		const victimIndexes = victims.slice(firstVictim, firstVictim + victim_counts[i]);
		const tries = pods.map((_, n) => firstRemoved + n);
		[firstRemoved, firstVictim] = [firstRemoved + pods.length, firstVictim + victimIndexes.length];
		return {
			node,
			victims: victimIndexes.map((index) => pods[index]),
			removed: pods,
			reprieve: tries.map((n) => ({ pod: pods[tried[n]], reprieved: reprieved[n], violates_pdb: violates_pdb[n] })),
			pdb_violations: perNode.pdb_violations[i],
			rung: perNode.rung[i],
			highest_priority: perNode.highest_priority[i],
			priority_sum: perNode.priority_sum[i],
			earliest_start: perNode.earliest_start[i],
		};
	});
}
