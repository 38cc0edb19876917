// @ts-check
/**
 * Splits a YAML text into its objects by lines, as `importers/reading/yaml_pieces.py` does: at `---`, at the items of a
 * List, and where another dump begins.
 */

const DASH = /^( *)-( +)(?=[^ #])/;
const ITEMS = /^items:\s*(#.*)?$/;
const KIND = /^kind: *["']?([A-Za-z]*List)["']?\s*$/;
const ANCHOR = /[-:] +&\w/; // other items may refer to it
const MARKER = /^---(?=[ \t]|$)/;
const JSON_START = /^(?:\{\s*(?:"|$)|\[\s*(?:\{|$))/; // JSON follows
// fields at the start and at the end of an object printed by an API server, whose keys kubectl sorts
const PRINTED = /^ {2}(?:managedFields|resourceVersion|selfLink):|^ {4}\S+\/last-applied-configuration:/;
const NAME = /(?:^|[\s{,])["']?(?:name|generateName)["']?\s*:\s*[^\s{]/;
const SPEC = /(?:^|[\s{,])["']?(?:spec|status)["']?\s*:/;
const OBJECT_KIND = /^(?:\{ ?(?:["']?apiVersion["']?: ?["']?[\w./-]+["']?, ?)?)?["']?kind["']?: ?["']?([A-Za-z]+)/;
/** @type {Record<string, string>} */
const LAST = {
	Pod: "  phase:",
	Node: "  nodeInfo:",
	Deployment: "status:",
	ReplicaSet: "status:",
	StatefulSet: "status:",
};

/**
 * @typedef {{lines: string[], firstLine: number, typed: boolean, parentKind: string, cut: boolean,
 *   lacks: string}} Piece
 *   `typed`: an object whose kind is in it or is `parentKind`; `cut`: whether the text ends in it; `lacks`: a missing
 *   field that an API server always prints, so that the text may end in it. Lines count from 1.
 */
/**
 * @typedef {{lines: string[], firstLine: number, inItems: boolean, dash: number, kind: string, keys: Set<string>,
 *   waiting: Piece[]}} Open the document that is being read
 */

/** A document that begins. @param {string[]} lines @param {number} firstLine @returns {Open} */
const startDocument = (lines, firstLine) => ({
	lines,
	firstLine,
	inItems: false,
	dash: -1,
	kind: "",
	keys: new Set(),
	waiting: [],
});

/**
 * A piece of YAML text: a document, or an item of a list.
 * @param {string[]} lines @param {number} firstLine @param {Partial<Piece>} [more] @returns {Piece}
 */
const makePiece = (lines, firstLine, more) => ({
	lines,
	firstLine,
	typed: true,
	parentKind: "",
	cut: false,
	lacks: "",
	...more,
});

/** Yields the objects in order; an item is moved to the left margin. */
export class Pieces {
	/** @param {number} [first] the number of the first line @param {boolean} [mixed] JSON may follow */
	constructor(first = 1, mixed = false) {
		this.now = startDocument([], first);
		this.number = first - 1;
		this.mixed = mixed;
		this.shortened = /** @type {Set<string>} */ (new Set()); // kinds whose status was removed by hand
		this.printed = false; // whether an API server printed an earlier document
		this.atJson = false; // with `mixed`, whether the next line starts a dump in JSON
	}

	/** Yields the pieces that end within the lines. @param {string[]} lines @returns {Generator<Piece>} */
	*take(lines) {
		for (const line of lines) {
			if (this.mixed && JSON_START.test(line) && mayEnd(this.now)) {
				this.atJson = true;
				return;
			}
			this.number += 1;
			yield* this.readLine(line);
		}
	}

	/** Reads one line; yields the pieces that end with it. @param {string} line @returns {Generator<Piece>} */
	*readLine(line) {
		const { now, number } = this;
		if (line[0] === " " && now.dash === 0)
			now.lines.push(line); // within an item: most lines of a dump
		else if (MARKER.test(line)) {
			this.printed ||= isPrinted(now.lines);
			if (missingLastField(now.lines)) this.shortened.add(kindOf(now.lines));
			yield* finishDocument(now, false);
			const rest = line.slice(3).trimStart();
			this.now = startDocument(rest && !rest.startsWith("#") ? [`   ${line.slice(3)}`] : [], number);
		} else if (
			(line.startsWith("apiVersion:") && now.keys.has("apiVersion")) ||
			(line[0] === "{" && now.keys.has("kind"))
		) {
			yield* finishDocument(now, false);
			this.now = startDocument([line], number);
			noteKey(this.now, line);
		} else if (now.inItems) yield* readInItems(now, line, number);
		else if (ITEMS.test(line)) {
			Object.assign(now, { inItems: true, lines: [], firstLine: number + 1 });
			now.keys.add("items");
		} else {
			if (!now.lines.length) now.firstLine = number;
			noteKey(now, line);
			now.lines.push(line);
		}
	}

	/** Yields the pieces that remain at the end of the text. @returns {Generator<Piece>} */
	end() {
		return finishDocument(this.now, true, this.printed, this.shortened);
	}
}

/** Whether another document may begin here without a marker. @param {Open} now */
function mayEnd(now) {
	return now.keys.has("kind") || !now.lines.some((line) => line.trim() && !line.startsWith("#"));
}

/** Notes a top-level key, and the document's kind. @param {Open} now @param {string} line */
function noteKey(now, line) {
	if (!/^\p{L}/u.test(line)) return;
	now.keys.add(line.split(":", 1)[0]);
	now.kind = KIND.exec(line)?.[1] ?? now.kind;
}

/**
 * Reads a line within the items of a list; yields the item that ends with it.
 * @param {Open} now @param {string} line @param {number} number @returns {Generator<Piece>}
 */
function* readInItems(now, line, number) {
	const match = DASH.exec(line);
	if (match && (now.dash === -1 || now.dash === match[1].length) && !hasAnchor(now)) {
		if (now.lines.length) yield* finishItem(now);
		Object.assign(now, { dash: match[1].length, lines: [line], firstLine: number });
	} else if (line && !" #-".includes(line[0])) {
		if (now.lines.length) yield* finishItem(now);
		Object.assign(now, { inItems: false, lines: [], firstLine: number });
		noteKey(now, line);
	} else now.lines.push(line);
}

/**
 * Yields the complete item, moved to the left; an item without a kind waits for the kind of its list. If it contains an
 * anchor, all following items are in the same piece.
 * @param {Open} now
 * @returns {Generator<Piece>}
 */
function* finishItem(now) {
	if (hasAnchor(now)) {
		yield makePiece([`kind: ${now.kind || "List"}`, "items:", ...now.lines], now.firstLine - 2, { typed: false });
		return;
	}
	const inner = DASH.exec(now.lines[0])?.[0].length ?? 0;
	const moved = [" ".repeat(inner) + now.lines[0].slice(inner), ...now.lines.slice(1)];
	const whole = moved.every((line) => !line.slice(0, inner).trim());
	const itemPiece = makePiece(whole ? moved.map((line) => line.slice(inner)) : now.lines, now.firstLine, {
		typed: whole,
	});
	if (itemPiece.lines.some((line) => line.startsWith("kind:"))) yield itemPiece;
	else now.waiting.push(itemPiece);
}

/** Whether the current item contains an anchor. @param {Open} now */
function hasAnchor(now) {
	return now.lines.some((line) => line.includes("&") && ANCHOR.test(line));
}

/**
 * Yields the pieces that remain of a document at its end.
 * @param {Open} now
 * @param {boolean} atEnd
 * @param {boolean} [printed]
 * @param {Set<string>} [shortened] kinds of which other objects lack the status, too
 * @returns {Generator<Piece>}
 */
function* finishDocument(now, atEnd, printed = false, shortened = new Set()) {
	if (now.inItems) {
		if (atEnd && !now.keys.has("kind")) yield makePiece(now.lines, now.firstLine, { cut: true });
		else if (now.lines.length) yield* finishItem(now);
	} else if (!now.keys.has("items") && now.lines.some((line) => line.trim())) {
		const typed = !"{[".includes(now.lines[0][0] ?? " ") && !now.kind;
		const cut = atEnd && isUnfinished(now.lines, printed);
		const lacks = cut || !atEnd || shortened.has(kindOf(now.lines)) ? "" : missingLastField(now.lines);
		yield makePiece(now.lines, now.firstLine, { typed, cut, lacks });
	}
	for (const waiting of now.waiting) {
		waiting.parentKind = now.kind.replace(/List$/, "");
		if (waiting.parentKind) waiting.lines.unshift(`kind: ${waiting.parentKind}`);
		yield waiting;
	}
}

/** Whether a line looks as if a cluster had printed it. @param {string[]} lines */
function isPrinted(lines) {
	return lines.some((line) => PRINTED.test(line));
}

/**
 * Whether the last object lacks a part that every object has.
 * @param {string[]} lines
 * @param {boolean} printed whether an API server printed others
 */
function isUnfinished(lines, printed) {
	if (isPrinted(lines)) {
		const last = lines.findLast((line) => line.trim());
		if (last?.trimEnd().endsWith(":")) return true; // without value
	} else if (!printed) return false;
	const text = lines.join("\n");
	return !NAME.test(text) || (Object.hasOwn(LAST, kindOf(lines)) && !SPEC.test(text));
}

/**
 * The last field that an API server always prints, if the object lacks it; otherwise "". If the uid is missing too,
 * fields were removed by hand, perhaps also the status.
 * @param {string[]} lines
 */
function missingLastField(lines) {
	const kind = kindOf(lines);
	if (!Object.hasOwn(LAST, kind) || !isPrinted(lines)) return "";
	const has = (/** @type {string} */ start) => lines.some((line) => line.startsWith(start));
	return has("  uid:") && !has(LAST[kind]) ? LAST[kind].replace(/[ :]/g, "") : "";
}

/** The kind that an object's lines name; "" if they name none. @param {string[]} lines */
function kindOf(lines) {
	for (const line of lines) {
		const match = OBJECT_KIND.exec(line);
		if (match) return match[1];
	}
	return "";
}
