// @ts-check
/** Reads a dump beside the page: a Job -> {progress} ..., then {made, typed, names} or {refused, line, typed}. */
import { wasPrinted } from "./printed.js";
import { Malformed, reduce } from "./reduce.js";

const GZIP = [0x1f, 0x8b];
const STEP = 0.01;
const HELD = 1_000_000; // characters of what is made, before they are put away
const LONGEST_TYPED = 8_000_000; // characters

/**
 * @typedef {{file: Blob, table: import("./pruning.js").Table, most: number,
 *   naming: import("./naming.js").Naming | null}} Job `most`: bytes, unpacked; with `naming` names are replaced
 */

/** The text of a file as it comes; throws the name of a refusal. */
class FileText {
	started = "";
	empty = true;

	/** @param {Job} job @param {(part: number) => void} progress */
	constructor({ file, most }, progress) {
		this.file = file;
		this.most = most;
		this.progress = progress;
		this.taken = 0;
	}

	/** Of each block of the file: how far it is. @param {ReadableStream<Uint8Array<ArrayBuffer>>} stream */
	counted(stream) {
		let read = 0;
		return stream.pipeThrough(
			new TransformStream({
				transform: (block, out) => {
					read += block.length;
					this.progress(read / this.file.size);
					out.enqueue(block);
				},
			}),
		);
	}

	/** The file's bytes, unpacked. @returns {AsyncGenerator<Uint8Array>} */
	async *bytes() {
		const start = new Uint8Array(await this.file.slice(0, 2).arrayBuffer());
		const packed = start[0] === GZIP[0] && start[1] === GZIP[1];
		const stream = this.counted(this.file.stream());
		const reader = (packed ? stream.pipeThrough(new DecompressionStream("gzip")) : stream).getReader();
		try {
			for (let read = await reader.read(); read.value; read = await reader.read()) yield read.value;
		} catch (error) {
			if (!packed) throw error; // a packed file that is cut off: what came before is read
		}
	}

	/** @returns {AsyncGenerator<string>} */
	async *blocks() {
		/** @type {TextDecoder | null} */
		let decoder = null;
		for await (const bytes of this.bytes()) {
			this.taken += bytes.length;
			if (this.taken > this.most) throw "large";
			decoder ??= new TextDecoder(encodingOf(bytes), { fatal: true });
			yield this.checked(decoded(decoder, bytes));
		}
		if (this.empty) throw "empty";
	}

	/** @param {string} text */
	checked(text) {
		if (/[\0-\x08\x0e-\x1f]/.test(text)) throw "binary";
		this.empty &&= !text.trim();
		if (this.started.length <= LONGEST_TYPED) this.started += text;
		return text;
	}

	/** The text, where somebody seems to have typed it, so that it can be mended by hand. */
	get typed() {
		return this.started.length > LONGEST_TYPED || wasPrinted(this.started) ? "" : this.started;
	}
}

/** @param {Uint8Array} bytes the first ones */
function encodingOf(bytes) {
	if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
	return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
}

/** @param {TextDecoder} decoder @param {Uint8Array} bytes */
function decoded(decoder, bytes) {
	try {
		return decoder.decode(bytes, { stream: true });
	} catch {
		throw "encoding";
	}
}

/** Documents that leave this process's memory as they come. */
class Made {
	/** @type {Blob[]} */
	parts = [];
	/** @type {string[]} */
	held = [];
	size = 0;

	/** @param {string} document */
	take(document) {
		this.held.push(document, "\n---\n");
		this.size += document.length;
		if (this.size > HELD) this.put();
	}

	put() {
		this.parts.push(new Blob(this.held));
		this.held = [];
		this.size = 0;
	}

	get blob() {
		this.put();
		return new Blob(this.parts);
	}
}

self.addEventListener("message", async ({ data }) => {
	let said = 0;
	const text = new FileText(data, (part) => {
		if (part - said < STEP) return;
		said = part;
		self.postMessage({ progress: part });
	});
	try {
		const made = new Made();
		const { names } = await reduce(text.blocks(), data.table, (document) => made.take(document), data.naming);
		self.postMessage({ made: made.blob, typed: names ? "" : text.typed, names });
	} catch (error) {
		if (error instanceof Malformed)
			self.postMessage({
				refused: error.atEnd ? "cut" : "malformed",
				line: error.line,
				typed: data.naming ? "" : text.typed,
			});
		else self.postMessage({ refused: typeof error === "string" ? error : "malformed", line: 0, typed: "" });
	}
});
