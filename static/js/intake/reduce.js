// @ts-check
/**
 * Removes from a dump the fields that scheduling does not read, before it leaves this browser. The server reads the
 * result with `importers/reading/dump_reader.py`: objects as JSON, objects in unusual YAML as they are, and at the end
 * the counts of what is left out.
 */
import { parseAllDocuments } from "../../vendor/yaml/yaml.js";
import { Cut, isList, NoJson, readJson } from "./json_pieces.js";
import { keptLines, Unsure } from "./line_filter.js";
import { OtherNames } from "./other_names.js";
import { compose, SCALARS } from "./plain_style.js";
import { LeftOut, Pruning } from "./pruning.js";
import { Source } from "./source.js";
import { Pieces } from "./yaml_pieces.js";

const ALIASES = 100; // the most that a document may have
const BETWEEN = /(?:(?:---)?[ \t\r]*\n)*(?:[ \t]+(?=[{[]))?/y; // lines between documents
const LONGEST_MARKER = 80;
// tables, and the output of `kubectl describe`
const FOR_PEOPLE = /(?:NAMESPACE|NAME|LAST SEEN) {2,}[A-Z]|Name: {2,}\S[^\n]*\n[A-Z][\w ]*: {2,}/y;
// parts of the output of `kubectl describe` that scheduling does not read
const VALUES = /^( *)(?:Environment(?: Variables from)?|Command|Args|Annotations):.*(?:\n\1 +.*)*\n?/gm;
const JSON_START = /\{\s*(?:["}]|$)|\[\s*(?:[[{"\]]|$)/y;

/** The text cannot be read; `line` counts from 1, and `reason` is the end of a catalogue key. */
export class Malformed extends Error {
	/** @param {number} line @param {string} [reason] */
	constructor(line, reason = "malformed") {
		super(reason);
		this.line = line;
		this.reason = reason;
	}
}

/** @type {Record<string, string>} */
const REASONS = { DUPLICATE_KEY: "twice", TAB_AS_INDENT: "tab" }; // by the parser's code of an error

/** Output of kubectl describe without environment variables, commands, arguments, annotations. @param {string} text */
export function withoutValues(text) {
	return text.replaceAll("\r\n", "\n").replace(VALUES, "");
}

/**
 * Reduces a text to the fields that scheduling reads; returns the counts of what was left out, and the new names if
 * there are any.
 * @param {AsyncIterator<string>} blocks
 * @param {import("./pruning.js").Table} table
 * @param {(document: string) => void} write receives the kept objects in order, and last the counts
 * @param {import("./naming.js").Naming | null} [naming] the table for replacing all names
 * @returns {Promise<{leftOut: LeftOut, names: object | null}>} throws Malformed
 */
export async function reduce(blocks, table, write, naming = null) {
	const other = naming && new OtherNames(naming, table);
	const reader = new Reader(table, blocks, other ? (document) => other.take(document) : write);
	reader.asData = Boolean(other);
	const { source } = reader;
	while (await hasMore(source)) {
		FOR_PEOPLE.lastIndex = source.at;
		if (FOR_PEOPLE.test(source.text)) throw new Malformed(source.lineOf(source.at), "people");
		JSON_START.lastIndex = source.at;
		await (JSON_START.test(source.text) ? reader.readJson() : reader.readYaml());
	}
	other?.write(write);
	if (other) reader.leftOut.removeNames();
	write(reader.leftOut.document);
	return { leftOut: reader.leftOut, names: other?.names ?? null };
}

/**
 * Advances to the next character that is neither space nor a document marker; returns false at the end.
 * @param {Source} source
 */
async function hasMore(source) {
	for (;;) {
		BETWEEN.lastIndex = source.at;
		source.at += BETWEEN.exec(source.text)?.[0].length ?? 0;
		if (source.at < source.text.length - LONGEST_MARKER) return true;
		if (!(await source.more())) return source.at < source.text.length;
	}
}

/**
 * The data of a parsed document; throws Malformed.
 * @param {any} document @param {import("./yaml_pieces.js").Piece} piece
 */
function dataOf(document, piece) {
	try {
		return document.toJS({ maxAliasCount: ALIASES });
	} catch (error) {
		if (error instanceof ReferenceError) throw new Malformed(piece.firstLine, "alias");
		throw error;
	}
}

class Reader {
	/**
	 * @param {import("./pruning.js").Table} table @param {AsyncIterator<string>} blocks
	 * @param {(document: string) => void} write
	 */
	constructor(table, blocks, write) {
		this.pruning = new Pruning(table);
		this.leftOut = new LeftOut();
		this.source = new Source(blocks, this.leftOut);
		this.write = write;
		this.written = 0;
		this.asData = false; // whether every object must be JSON
	}

	/** Writes a document, and counts it. @param {string} document */
	keep(document) {
		this.written += 1;
		this.write(document);
	}

	/** Reads the JSON value that begins here; a value that is cut off ends the text. Throws Malformed. */
	async readJson() {
		const { source } = this;
		let taken = 0;
		try {
			await readJson(source, (manifest, parent) => {
				taken += 1;
				this.take(manifest, parent);
			});
		} catch (error) {
			if (error instanceof NoJson) throw new Malformed(source.lineOf(error.at));
			if (!(error instanceof Cut)) throw error;
			this.leftOut.cut = [source.lastLine, taken];
			source.at = source.text.length;
		}
	}

	/** Reads documents until a dump in JSON begins. */
	async readYaml() {
		const { source } = this;
		const pieces = new Pieces(source.lineOf(source.at), true);
		for (let lines = await source.lines(); lines; lines = pieces.atJson ? null : await source.lines()) {
			const before = pieces.number;
			for (const piece of pieces.take(lines)) this.writePiece(piece, source);
			source.skip(pieces.number - before);
		}
		for (const piece of pieces.end()) {
			if (piece.cut) this.leftOut.cut = [piece.firstLine + piece.lines.length - 1, this.written];
			else {
				const before = this.written;
				this.writePiece(piece, source);
				if (piece.lacks && this.written > before)
					this.leftOut.lacks = [piece.firstLine + piece.lines.length - 1, piece.lacks];
			}
		}
	}

	/**
	 * Writes the lines to keep of a piece; one that is not in plain style is parsed.
	 * @param {import("./yaml_pieces.js").Piece} piece @param {Source} source
	 */
	writePiece(piece, source) {
		try {
			if (!piece.typed) throw new Unsure();
			const lines = keptLines(piece.lines, this.pruning, this.leftOut, piece.parentKind);
			if (lines) this.writeLines(lines, piece, source);
		} catch (error) {
			if (!(error instanceof Unsure)) throw error;
			this.parse(piece, source);
		}
	}

	/**
	 * Writes the kept lines of an object as JSON, which is read fastest, or unchanged if only a parser can read them.
	 * @param {string[]} lines
	 * @param {import("./yaml_pieces.js").Piece} piece
	 * @param {Source} source
	 */
	writeLines(lines, piece, source) {
		let document;
		try {
			document = JSON.stringify(compose(lines));
		} catch (error) {
			if (!(error instanceof Unsure)) throw error;
			if (this.asData) return this.parse({ ...piece, lines }, source);
			document = lines.join("\n");
		}
		this.keep(document);
	}

	/**
	 * Reads an object that only a parser can read; throws Malformed.
	 * @param {import("./yaml_pieces.js").Piece} piece
	 * @param {Source} source
	 */
	parse(piece, source) {
		for (const document of parseAllDocuments(piece.lines.join("\n"), {
			uniqueKeys: true,
			merge: true,
			version: "1.1",
			schema: "failsafe",
			customTags: (/** @type {any[]} */ tags) => [...tags, ...SCALARS],
		})) {
			const [error] = document.errors;
			const line = piece.firstLine + (error?.linePos?.[0].line ?? 1) - 1;
			const reason = error && REASONS[error.code];
			if (error) throw new Malformed(line, reason ?? (source.ended && line >= source.lastLine ? "cut" : undefined));
			this.take(dataOf(document, piece), null);
		}
	}

	/**
	 * Writes what scheduling reads of a manifest, or of each item of a list.
	 * @param {any} manifest @param {any} parent
	 */
	take(manifest, parent) {
		if (manifest === null || typeof manifest !== "object") return;
		if (Array.isArray(manifest)) return manifest.forEach((item) => this.take(item, null));
		if (parent && manifest.kind === undefined && isList({ ...parent, items: [] })) {
			manifest = { apiVersion: parent.apiVersion, kind: parent.kind.replace(/List$/, ""), ...manifest };
		}
		if (isList(manifest)) return manifest.items.forEach((/** @type {any} */ item) => this.take(item, manifest));
		const pruned = this.pruning.pruned(manifest, this.leftOut);
		if (pruned) this.keep(JSON.stringify(pruned));
	}
}
