// @ts-check
/**
 * A dump without what scheduling does not read, before it leaves this browser: `importers/reading/dump_reader.py`, of which
 * the server reads what comes out. Objects in YAML keep their lines; others become JSON; last come the counts of what
 * is left out.
 */
import { parseAllDocuments } from "../../vendor/yaml/yaml.js";
import { Cut, isList, NoJson, readJson } from "./json_pieces.js";
import { keptLines, Unsure } from "./line_filter.js";
import { LeftOut, Pruning } from "./pruning.js";
import { pieces } from "./yaml_pieces.js";

const ALIASES = 100;

/** Neither YAML nor JSON; `line` counts from 1. */
export class Malformed extends Error {
	/** @param {number} line @param {boolean} [atEnd] the text seems to be cut off */
	constructor(line, atEnd = false) {
		super();
		this.line = line;
		this.atEnd = atEnd;
	}
}

/**
 * @param {string} text
 * @param {import("./pruning.js").Table} table
 * @param {(part: number) => void} [progress] from 0 to 1
 * @returns {{text: string, leftOut: LeftOut}} throws Malformed
 */
export function reduce(text, table, progress = () => {}) {
	const reader = new Reader(table);
	const start = text.replace(/^\ufeff/, "");
	let rest = start;
	if (/^\s*[{[]/.test(rest)) rest = reader.json(rest, (at) => progress(at / text.length));
	if (rest.trim()) reader.yaml(rest, text.split("\n").length - rest.split("\n").length, progress);
	return { text: [...reader.out, reader.leftOut.document, ""].join("\n---\n"), leftOut: reader.leftOut };
}

class Reader {
	/** @param {import("./pruning.js").Table} table */
	constructor(table) {
		this.pruning = new Pruning(table);
		this.leftOut = new LeftOut();
		/** @type {string[]} documents */
		this.out = [];
	}

	/** @param {string} text @param {(at: number) => void} progress @returns {string} what follows */
	json(text, progress) {
		let taken = 0;
		try {
			return readJson(
				text,
				(found, parent) => {
					taken += 1;
					this.take(found, parent);
				},
				progress,
			);
		} catch (error) {
			if (error instanceof NoJson) throw new Malformed(linesTo(text, error.at));
			if (!(error instanceof Cut)) throw error;
			this.leftOut.cut = [linesTo(text, text.length), taken];
			return "";
		}
	}

	/** @param {string} text @param {number} before lines before it @param {(part: number) => void} progress */
	yaml(text, before, progress) {
		const lines = text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
		if (lines.at(-1) === "") lines.pop();
		for (const piece of pieces(lines)) {
			progress((piece.firstLine + before) / (lines.length + before));
			if (piece.cut) this.leftOut.cut = [piece.firstLine + piece.lines.length - 1 + before, this.out.length];
			else this.piece(piece, before, lines.length);
		}
	}

	/** @param {import("./yaml_pieces.js").Piece} piece @param {number} before @param {number} last */
	piece(piece, before, last) {
		try {
			if (!piece.typed) throw new Unsure();
			const kept = keptLines(piece.lines, this.pruning, this.leftOut, piece.parentKind);
			if (kept) this.out.push(kept.join("\n"));
		} catch (error) {
			if (!(error instanceof Unsure)) throw error;
			this.parse(piece, before, last);
		}
	}

	/**
	 * An object that only a parser can read.
	 * @param {import("./yaml_pieces.js").Piece} piece
	 * @param {number} before
	 * @param {number} last
	 */
	parse(piece, before, last) {
		for (const document of parseAllDocuments(piece.lines.join("\n"), {
			uniqueKeys: true,
			merge: true,
			version: "1.1",
		})) {
			const [error] = document.errors;
			const line = piece.firstLine + before + (error?.linePos?.[0].line ?? 1) - 1;
			if (error) throw new Malformed(line, line >= last + before);
			this.take(document.toJS({ maxAliasCount: ALIASES }), null);
		}
	}

	/** @param {any} found @param {any} parent */
	take(found, parent) {
		if (found === null || typeof found !== "object") return;
		if (Array.isArray(found)) return found.forEach((item) => this.take(item, null));
		if (parent && found.kind === undefined && isList({ ...parent, items: [] })) {
			found = { apiVersion: parent.apiVersion, kind: parent.kind.replace(/List$/, ""), ...found };
		}
		if (isList(found)) return found.items.forEach((/** @type {any} */ item) => this.take(item, found));
		const kept = this.pruning.pruned(found, this.leftOut);
		if (kept) this.out.push(JSON.stringify(kept));
	}
}

/** The number of the line. @param {string} text @param {number} at */
function linesTo(text, at) {
	return text.slice(0, at).split("\n").length;
}
