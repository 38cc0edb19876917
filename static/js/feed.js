// @ts-check
/**
 * Bytes: follow one run over the websocket, from a cursor. A chunk whose number equals the cursor is taken, one below is
 * ignored, one above makes us subscribe again. Earlier chunks (a link into the middle) come over HTTP.
 */

import { frameSeq, openFrame } from "./chunk_store.js";

/** @typedef {"queued" | "running" | "done" | "failed" | "cancelled"} RunState */
/**
 * @typedef {object} Listener
 * @property {(chunk: import("./trace").TraceChunk) => void} chunk
 * @property {(message: any) => void} message hello, state, end, error
 * @property {(connection: "open" | "lost" | "closed", code: number) => void} connection
 */

/** Codes after which asking again is useless. */
const FINAL = new Set([4001, 4004]);
const FIRST_WAIT = 250;
const LONGEST_WAIT = 8000;

/**
 * What to do with a chunk that arrived.
 * @param {number} seq @param {number} cursor @returns {"apply" | "ignore" | "resubscribe"}
 */
export function cursorRule(seq, cursor) {
  return seq === cursor ? "apply" : seq < cursor ? "ignore" : "resubscribe";
}

export class Feed {
  /**
   * @param {string} url websocket address @param {string} run @param {number} cursor first chunk wanted
   * @param {Listener} listener @param {typeof WebSocket} [Socket]
   */
  constructor(url, run, cursor, listener, Socket = WebSocket) {
    Object.assign(this, { url, run, cursor, listener, Socket });
    this.url = url;
    this.run = run;
    this.cursor = cursor;
    this.listener = listener;
    this.Socket = Socket;
    this.done = false;
    this.wait = FIRST_WAIT;
    /** @type {Promise<void>} frames are opened one after another, in order of arrival */
    this.opening = Promise.resolve();
  }

  open() {
    const socket = new this.Socket(this.url);
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.subscribe();
    socket.onmessage = ({ data }) => (typeof data === "string" ? this.hear(JSON.parse(data)) : this.take(data));
    socket.onclose = ({ code }) => this.closed(code);
  }

  subscribe() {
    this.socket?.send(JSON.stringify({ type: "subscribe", run: this.run, cursor: this.cursor }));
  }

  hear(/** @type {any} */ message) {
    this.wait = FIRST_WAIT;
    if (message.type === "hello") this.listener.connection("open", 0);
    if (message.type !== "end") return this.listener.message(message);
    this.done = true;
    this.opening = this.opening.then(() => this.listener.message(message));
  }

  take(/** @type {ArrayBuffer} */ frame) {
    const rule = cursorRule(frameSeq(frame), this.cursor);
    if (rule === "resubscribe") this.subscribe();
    if (rule !== "apply") return;
    this.cursor += 1;
    this.opening = this.opening.then(async () => this.listener.chunk(await openFrame(frame)));
  }

  closed(/** @type {number} */ code) {
    if (this.done || FINAL.has(code)) return this.listener.connection("closed", code);
    this.listener.connection("lost", code);
    setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
  }

  close() {
    this.done = true;
    this.socket?.close();
  }
}

/**
 * Fetch the chunks below `before` that are not here, first to last.
 * @param {string} api @param {string} run @param {number} before @param {(seq: number) => boolean} has
 * @param {(chunk: import("./trace").TraceChunk) => void} take
 */
export async function backfill(api, run, before, has, take) {
  for (let seq = 0; seq < before; seq += 1) {
    if (has(seq)) continue;
    const answer = await fetch(`${api}/runs/${run}/chunks/${seq}`);
    if (!answer.ok) throw new Error(`chunk ${seq}: ${answer.status}`);
    take(await openFrame(await answer.arrayBuffer()));
  }
}
