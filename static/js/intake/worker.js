// @ts-check
/**
 * Reads a dump beside the page: a Job -> {progress} ..., then {made, typed, source, names} or {refused, line, typed};
 * `source`: kubectl's output for people, which the page “Why is it Pending?” may explain.
 */
import { FileText, Refused } from "./file_text.js";
import { Malformed, reduce, withoutValues } from "./reduce.js";

const STEP = 0.01;
const HELD = 1_000_000; // characters that are collected before they are packed

/**
 * @typedef {{file: Blob, table: import("./pruning.js").Table, most: number,
 *   naming: import("./naming.js").Naming | null}} Job `most`: bytes, unpacked; with `naming` names are replaced
 */

/** Packs documents as they arrive, so that they are never all in memory. */
class Packed {
	/** @type {string[]} */
	held = [];
	size = 0;
	total = 0;

	constructor() {
		const { readable, writable } = new CompressionStream("gzip");
		this.packed = new Response(readable).blob();
		this.writer = writable.getWriter();
		this.encoder = new TextEncoder();
	}

	/** Collects a document; packs many at once. @param {string} document */
	add(document) {
		this.held.push(document, "\n---\n");
		this.size += document.length;
		if (this.size > HELD) this.pack();
	}

	/** Packs the collected documents. */
	pack() {
		const bytes = this.encoder.encode(this.held.join(""));
		this.total += bytes.length;
		this.held = [];
		this.size = 0;
		this.writer.write(bytes).catch(() => {}); // `blob` fails, too
	}

	/** All packed documents. @returns {Promise<Blob>} */
	async blob() {
		this.pack();
		await this.writer.close();
		return this.packed;
	}
}

/** Packs kubectl's output for people without values, and posts it; the server reads it. @param {Job} job */
async function sendForPeople({ file, most }) {
	let text = "";
	for await (const block of new FileText(file, most, () => {}).blocks()) text += block;
	const source = withoutValues(text);
	const collected = new Packed();
	collected.add(source);
	self.postMessage({ made: await collected.blob(), size: collected.total, typed: "", source, names: null });
}

/** Posts why the file is refused. @param {unknown} error @param {string} typed */
function postRefusal(error, typed) {
	if (error instanceof Malformed) self.postMessage({ refused: error.reason, line: error.line, typed });
	else if (error instanceof Refused) self.postMessage({ refused: error.reason, kind: error.kind, line: 0, typed: "" });
	else self.postMessage({ refused: "malformed", line: 0, typed: "" });
}

self.addEventListener("message", async ({ data }) => {
	let reported = 0;
	const text = new FileText(data.file, data.most, (part) => {
		if (part - reported < STEP) return;
		reported = part;
		self.postMessage({ progress: part });
	});
	try {
		const collected = new Packed();
		const { names } = await reduce(text.blocks(), data.table, (document) => collected.add(document), data.naming);
		const packed = await collected.blob();
		self.postMessage({ made: packed, size: collected.total, typed: names ? "" : text.typed, names });
	} catch (error) {
		const typed = data.naming ? "" : text.typed;
		if (error instanceof Malformed && error.reason === "people" && !data.naming)
			await sendForPeople(data).catch((error) => postRefusal(error, ""));
		else postRefusal(error, typed);
	}
});
