// @ts-check
/** Reads a dump beside the page: {file | text, table} -> {progress} ..., then {text} or {refused: name, line}. */
import { wasPrinted } from "./printed.js";
import { Malformed, reduce } from "./reduce.js";

const GZIP = [0x1f, 0x8b];
const STEP = 0.01;

/** @param {Blob} file @returns {Promise<ArrayBuffer>} unpacked */
async function bytesOf(file) {
	const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
	if (start[0] !== GZIP[0] || start[1] !== GZIP[1]) return file.arrayBuffer();
	const reader = file.stream().pipeThrough(new DecompressionStream("gzip")).getReader();
	/** @type {Uint8Array<ArrayBuffer>[]} */
	const parts = [];
	try {
		for (let read = await reader.read(); read.value; read = await reader.read()) parts.push(read.value);
	} catch {
		// cut off: what came before is read
	}
	return new Blob(parts).arrayBuffer();
}

/** @param {Blob} file @param {number} most bytes, unpacked @returns {Promise<string>} throws the name of a refusal */
async function textOf(file, most) {
	const buffer = await bytesOf(file);
	if (buffer.byteLength > most) throw "large";
	const bytes = new Uint8Array(buffer);
	const mark =
		bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
	let text;
	try {
		text = new TextDecoder(mark, { fatal: true }).decode(bytes);
	} catch {
		throw "encoding";
	}
	if (/[\0-\x08\x0e-\x1f]/.test(text)) throw "binary";
	if (!text.trim()) throw "empty";
	return text;
}

self.addEventListener("message", async ({ data: { file, table, most } }) => {
	let said = 0;
	const progress = (/** @type {number} */ part) => {
		if (part - said < STEP) return;
		said = part;
		self.postMessage({ progress: part });
	};
	let text = "";
	try {
		text = await textOf(file, most);
		self.postMessage({ text: reduce(text, table, progress).text });
	} catch (error) {
		if (error instanceof Malformed)
			self.postMessage({
				refused: error.atEnd ? "cut" : "malformed",
				line: error.line,
				mendable: wasPrinted(text) ? "" : text,
			});
		else self.postMessage({ refused: typeof error === "string" ? error : "malformed", line: 0, mendable: "" });
	}
});
