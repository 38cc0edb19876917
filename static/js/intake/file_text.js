// @ts-check
/** Decodes a file's bytes to text in blocks, as `kschedui/scenarios/file_text.py` does. */
import { wasPrinted } from "./printed.js";

const GZIP = [0x1f, 0x8b, 8];
const GZIP_FLAGS = 0x20; // flags in a header are below this
const BLOCK = 131_072; // bytes that are decoded at once
const LONGEST_TYPED = 8_000_000; // characters
// the signatures of other archives
const ARCHIVES = [
	{ kind: "zip", at: 0, mark: "PK\x03\x04" },
	{ kind: "bzip2", at: 0, mark: "BZh" },
	{ kind: "xz", at: 0, mark: "\xfd7zXZ" },
	{ kind: "zstd", at: 0, mark: "\x28\xb5\x2f\xfd" },
	{ kind: "tar", at: 257, mark: "ustar" },
];

/** The file cannot be read. `reason`: the end of a catalogue key; `kind`: the kind of an archive. */
export class Refused extends Error {
	/** @param {string} reason @param {string} [kind] */
	constructor(reason, kind = "") {
		super(reason);
		this.reason = reason;
		this.kind = kind;
	}
}

/** Reads the text of a file in blocks; throws Refused. */
export class FileText {
	textSoFar = "";
	long = false; // longer than a typed text: only the current block is kept
	empty = true;
	taken = 0; // bytes

	/** @param {Blob} file @param {number} most bytes, unpacked @param {(part: number) => void} progress */
	constructor(file, most, progress) {
		this.file = file;
		this.most = most;
		this.progress = progress;
	}

	/**
	 * The file's text, block by block; throws Refused for a file that is too large, binary, or an archive.
	 * @returns {AsyncGenerator<string>}
	 */
	async *blocks() {
		/** @type {TextDecoder | null} */
		let decoder = null;
		for await (const bytes of this.bytes()) {
			this.taken += bytes.length;
			if (this.taken > this.most) throw new Refused("large");
			if (!decoder) refuseArchive(bytes);
			decoder ??= new TextDecoder(encodingOf(bytes), { fatal: true });
			for (let at = 0; at < bytes.length; at += BLOCK)
				yield this.checked(decode(decoder, bytes.subarray(at, at + BLOCK)));
		}
		if (decoder) this.checked(decode(decoder)); // throws if the last character is cut off
		if (this.empty) throw new Refused("empty");
	}

	/** Yields the file's bytes, decompressed if it is gzip. @returns {AsyncGenerator<Uint8Array>} */
	async *bytes() {
		const starts = await memberStarts(this.file);
		if (!starts.length) return yield* read(this.counted(this.file, 0));
		let start = 0;
		for (const end of [...starts.slice(1), this.file.size]) {
			// a mark may start another member, or occur within one
			const member = this.file.slice(start, end);
			if (end < this.file.size && !(await isWhole(member))) continue;
			yield* unpack(this.counted(member, start));
			start = end;
		}
	}

	/**
	 * Returns the stream of a part of the file that reports the progress of reading.
	 * @param {Blob} part @param {number} start @returns {ReadableStream}
	 */
	counted(part, start) {
		let at = start;
		return part.stream().pipeThrough(
			new TransformStream({
				transform: (block, out) => {
					at += block.length;
					this.progress(at / this.file.size);
					out.enqueue(block);
				},
			}),
		);
	}

	/** Returns the text; throws Refused if it contains control characters. @param {string} text */
	checked(text) {
		if (/[\0-\x08\x0e-\x1f]/.test(text)) throw new Refused("binary");
		this.empty &&= !text.trim();
		this.long ||= this.textSoFar.length + text.length > LONGEST_TYPED;
		this.textSoFar = this.long ? "" : this.textSoFar + text;
		return text;
	}

	/** The text if it may have been typed, so that it can be corrected by hand; otherwise "". */
	get typed() {
		return this.long || wasPrinted(this.textSoFar) ? "" : this.textSoFar;
	}
}

/** The possible starts of members in a gzip file; empty if the file is not compressed. @param {Blob} file */
async function memberStarts(file) {
	const isMark = (/** @type {Uint8Array} */ bytes, /** @type {number} */ at) =>
		GZIP.every((byte, i) => bytes[at + i] === byte) && (bytes[at + 3] ?? 0) < GZIP_FLAGS;
	if (!isMark(new Uint8Array(await file.slice(0, 4).arrayBuffer()), 0)) return [];
	const starts = [];
	for (let from = 0; from < file.size; from += BLOCK) {
		const bytes = new Uint8Array(await file.slice(from, from + BLOCK + 3).arrayBuffer());
		for (let at = bytes.indexOf(GZIP[0]); at >= 0 && at < BLOCK; at = bytes.indexOf(GZIP[0], at + 1))
			if (isMark(bytes, at)) starts.push(from + at);
	}
	return starts;
}

/** Whether the bytes are exactly one gzip member. @param {Blob} member */
async function isWhole(member) {
	try {
		for await (const _ of read(member.stream().pipeThrough(new DecompressionStream("gzip"))));
		return true;
	} catch {
		return false;
	}
}

/**
 * Yields the uncompressed contents of a gzip member, as much as there is if it is truncated; throws Refused.
 * @param {ReadableStream} packed
 * @returns {AsyncGenerator<Uint8Array>}
 */
async function* unpack(packed) {
	const { readable, writable } = new DecompressionStream("gzip");
	const writer = writable.getWriter();
	let ended = false;
	const filled = (async () => {
		for await (const block of read(packed)) await writer.write(block);
		ended = true;
		await writer.close();
	})();
	filled.catch(() => {}); // reading fails, too
	try {
		yield* read(readable);
	} catch {
		if (!ended) throw new Refused("damaged");
	}
}

/** The blocks of a stream. @param {ReadableStream} stream @returns {AsyncGenerator<Uint8Array<ArrayBuffer>>} */
async function* read(stream) {
	const reader = stream.getReader();
	for (let next = await reader.read(); next.value; next = await reader.read()) yield next.value;
}

/** Throws Refused if the bytes are those of an archive. @param {Uint8Array} bytes the first ones of the file */
function refuseArchive(bytes) {
	for (const { kind, at, mark } of ARCHIVES)
		if ([...mark].every((letter, i) => bytes[at + i] === letter.charCodeAt(0))) throw new Refused("archive", kind);
	if (GZIP.every((byte, i) => bytes[i] === byte)) throw new Refused("archive", "gzip");
}

/** The encoding that a byte order mark names; otherwise UTF-8. @param {Uint8Array} bytes the first ones of the file */
function encodingOf(bytes) {
	if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
	return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
}

/**
 * Decodes bytes, or ends the file if there are none; throws Refused if they are not valid in the file's encoding, or
 * the file ends within a character.
 * @param {TextDecoder} decoder @param {Uint8Array} [bytes]
 */
function decode(decoder, bytes) {
	try {
		return decoder.decode(bytes, { stream: Boolean(bytes) });
	} catch {
		throw new Refused("encoding");
	}
}
