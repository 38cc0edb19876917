// @ts-check
/**
 * Drops the lines of a YAML object that scheduling does not read, without parsing them.
 *
 * kubectl prints block style: one key per line, its value indented below it. So unread fields can be dropped by
 * indentation, many times faster than by parsing with the YAML library. Lines that are not plainly in this style throw
 * `Unsure`, and the object is parsed. A test compares the remaining objects with those that Python reads.
 */
import { LeftOut } from "./pruning.js";

const BLANK = 1 << 20; // the indentation of a blank line, which belongs to the value around it
/** A key at `lastIndex`, and the value on its line. */
export const KEY = /("[^"\\]*"|'[^']*'|[A-Za-z0-9_./$][^\s:#'"{}[\],&*!|>%@`]*):(?: +([\s\S]*))?$/y;
const SINGLE = /^'(?:[^']|'')*'\s*$/;
const DOUBLE = /^"(?:[^"\\]|\\[\s\S])*"\s*$/;
const HEAD = /^(apiVersion|kind): *([A-Za-z0-9_./-]+|"[A-Za-z0-9_./-]+"|'[A-Za-z0-9_./-]+')\s*$/;
const EMPTY_FLOW = /^(?:\{\}|\[\])\s*$/;

/** The lines are not in the plain style that can be read without a parser. */
export class Unsure extends Error {}

/**
 * The apiVersion and the kind of an object.
 * @param {string[]} lines @returns {{version: string, kind: string}} "" if missing
 */
function headOf(lines) {
	const head = { apiVersion: "", kind: "" };
	for (const line of lines) {
		const match = line[0] === "a" || line[0] === "k" ? HEAD.exec(line) : null;
		if (match) head[/** @type {"apiVersion" | "kind"} */ (match[1])] = match[2].replace(/^["']|["']$/g, "");
	}
	return { version: head.apiVersion, kind: head.kind };
}

/**
 * The lines of an object that are kept; null if the object is left out. Throws Unsure without counting anything.
 * @param {string[]} lines
 * @param {import("./pruning.js").Pruning} pruning
 * @param {LeftOut} leftOut
 * @param {string} parentKind
 */
export function keptLines(lines, pruning, leftOut, parentKind = "") {
	const head = headOf(lines);
	const kind = head.kind || parentKind;
	if (!kind || kind.endsWith("List")) throw new Unsure(); // items of lists are read one by one
	const name = pruning.typeOfKind(head.version, kind);
	if (!name) {
		leftOut.count("kinds", pruning.nameOfKind(head.version, kind));
		return null;
	}
	const reader = new Reader(lines, pruning);
	if (reader.mapping(0, 0, name, null) !== lines.length) throw new Unsure();
	leftOut.add(reader.leftOut);
	return reader.out;
}

/** The number of spaces that a line begins with; BLANK for a blank line. @param {string} line */
function indentOf(line) {
	let i = 0;
	while (line.charCodeAt(i) === 32) i += 1;
	return i < line.length && line.slice(i).trim() ? i : BLANK;
}

/** Whether the line can continue a plain scalar, because it does not look like YAML syntax. @param {string} line */
function isPlain(line) {
	return !line.includes(": ") && !line.trimEnd().endsWith(":") && !line.includes(" #");
}

class Reader {
	/** @param {string[]} lines @param {import("./pruning.js").Pruning} pruning */
	constructor(lines, pruning) {
		this.lines = [...lines]; // some are changed while reading
		this.indents = lines.map(indentOf);
		this.pruning = pruning;
		this.leftOut = new LeftOut();
		/** @type {string[]} */
		this.out = [];
		this.dropped = 0;
	}

	/**
	 * Keeps the lines of a mapping; returns the line after it.
	 * @param {number} i
	 * @param {number} indent
	 * @param {string | null} name the type of the fields; null: `allowed` is the rule
	 * @param {any} allowed
	 * @returns {number}
	 */
	mapping(i, indent, name, allowed) {
		while (i < this.lines.length) {
			const depth = this.indents[i];
			if (depth === BLANK || this.lines[i].startsWith("#", depth)) {
				i += 1;
				continue;
			}
			if (depth < indent) return i;
			KEY.lastIndex = indent;
			const match = depth === indent ? KEY.exec(this.lines[i]) : null;
			if (!match) throw new Unsure();
			let value = match[2] ?? "";
			if (value.startsWith("#")) {
				this.lines[i] = this.lines[i].slice(0, indent + match[1].length + 1);
				value = "";
			}
			const key = match[1][0] === '"' || match[1][0] === "'" ? match[1].slice(1, -1) : match[1];
			const end = this.extent(i, indent, value);
			this.take(i, end, indent, { key, value, rule: this.rule(key, name, allowed, i, end), name });
			i = end;
		}
		return i;
	}

	/**
	 * Keeps or drops the lines of one key, as its rule says.
	 * @param {number} i
	 * @param {number} end
	 * @param {number} indent
	 * @param {{key: string, value: string, rule: any, name: string | null}} entry
	 */
	take(i, end, indent, { key, value, rule, name }) {
		if (rule === undefined) this.leftOut.count("unknown", name === null ? key : this.pruning.unknownName(name, key));
		else if (rule === 0) {
			this.dropped += 1;
			if (name !== null) this.leftOut.count("fields", key);
		} else if (rule === 1 || value) {
			if (
				!value &&
				this.lines.slice(i + 1, end).some((line) => [" &", " *", " !", "\t"].some((mark) => line.includes(mark)))
			)
				throw new Unsure();
			for (let j = i; j < end; j += 1) this.out.push(this.lines[j]);
		} else {
			const before = this.dropped;
			this.value(i, end, indent, rule);
			if (rule.k && this.dropped > before) this.leftOut.count("fields", key);
		}
	}

	/**
	 * The rule for a key; undefined if the key is unknown.
	 * @param {string} key @param {string | null} name @param {any} allowed @param {number} i @param {number} end
	 */
	rule(key, name, allowed, i, end) {
		if (name !== null) return this.pruning.ruleOf(name, key);
		if (allowed.k) return allowed.k.includes(key) ? 1 : 0;
		if (!allowed.with) return allowed.m;
		if (allowed.or?.includes(key)) return 1;
		const text = this.lines.slice(i, end).join("\n");
		return allowed.with.some((/** @type {string} */ wanted) => text.includes(wanted)) ? 1 : 0;
	}

	/**
	 * The number of the line after a key's value; throws Unsure if the value is not in plain style.
	 * @param {number} i @param {number} indent @param {string} value
	 */
	extent(i, indent, value) {
		const first = value[0] ?? "";
		if (first === "{" || first === "[") {
			if (!EMPTY_FLOW.test(value)) throw new Unsure();
		} else if (first && "&*!?@`%".includes(first)) throw new Unsure();
		let j = i + 1;
		const { indents, lines } = this;
		while (
			j < lines.length &&
			(indents[j] > indent || (!value && indents[j] === indent && lines[j].startsWith("-", indent)))
		)
			j += 1;
		if (first === "'" || first === '"') {
			const whole = j === i + 1 ? value : [value, ...lines.slice(i + 1, j)].join("\n");
			if (!(first === "'" ? SINGLE : DOUBLE).test(whole)) throw new Unsure();
		} else if (j > i + 1 && value && first !== "|" && first !== ">" && !lines.slice(i + 1, j).every(isPlain))
			throw new Unsure();
		return j;
	}

	/**
	 * Keeps the lines of a mapping or a list below its key.
	 * @param {number} i
	 * @param {number} end
	 * @param {number} indent
	 * @param {any} rule
	 */
	value(i, end, indent, rule) {
		const at = this.out.length;
		this.out.push(this.lines[i].trimEnd());
		let start = i + 1;
		while (start < end && !this.isContent(start)) start += 1;
		if (start === end) return;
		const deeper = this.indents[start];
		const isList = this.lines[start].startsWith("-", deeper);
		if (isList !== Boolean(rule.l) || (isList ? deeper < indent : deeper <= indent)) throw new Unsure();
		const last = isList ? this.sequence(start, deeper, rule, end) : this.below(start, deeper, rule);
		if (last !== end) throw new Unsure();
		if (this.out.length === at + 1) this.out[at] += isList ? " []" : " {}";
	}

	/** Whether a line is neither blank nor a comment. @param {number} j */
	isContent(j) {
		return this.indents[j] !== BLANK && !this.lines[j].startsWith("#", this.indents[j]);
	}

	/**
	 * Keeps the lines of the mapping below a key; returns the line after it.
	 * @param {number} i @param {number} indent @param {any} rule
	 */
	below(i, indent, rule) {
		return rule.t ? this.mapping(i, indent, rule.t, null) : this.mapping(i, indent, null, rule);
	}

	/**
	 * Keeps the lines of a block list whose dashes are at column `dash`; returns the line after it.
	 * @param {number} i
	 * @param {number} dash
	 * @param {any} rule
	 * @param {number} end
	 */
	sequence(i, dash, rule, end) {
		const { l: item, where } = rule;
		while (i < end) {
			if (!this.isContent(i)) {
				i += 1;
				continue;
			}
			const line = this.lines[i];
			const content = line.slice(dash + 1).replace(/^ +/, "");
			if (this.indents[i] !== dash || !line.startsWith("- ", dash) || !content || item === 0 || item === 1)
				throw new Unsure();
			const inner = line.length - content.length;
			let after = i + 1;
			while (after < end && this.indents[after] > dash) after += 1;
			if (EMPTY_FLOW.test(content)) {
				if (!where) this.out.push(line);
			} else if (!where || this.isWanted(i, after, inner, where)) this.item(i, dash, inner, item, after);
			i = after;
		}
		return i;
	}

	/**
	 * Keeps the lines of a mapping in a list; the dash is moved to the first line that is kept.
	 * @param {number} i
	 * @param {number} dash
	 * @param {number} inner
	 * @param {any} rule
	 * @param {number} end
	 */
	item(i, dash, inner, rule, end) {
		if (rule.l) throw new Unsure();
		const at = this.out.length;
		this.lines[i] = " ".repeat(inner) + this.lines[i].slice(inner);
		this.indents[i] = inner;
		if (this.below(i, inner, rule) < end) throw new Unsure();
		if (this.out.length === at) this.out.push(`${" ".repeat(dash)}- {}`);
		else this.out[at] = `${" ".repeat(dash)}-${this.out[at].slice(dash + 1)}`;
	}

	/**
	 * Whether the item has the field with one of the values.
	 * @param {number} i
	 * @param {number} end
	 * @param {number} inner
	 * @param {[string, string[]]} where
	 */
	isWanted(i, end, inner, [field, values]) {
		const start = `${field}: `;
		for (let j = i; j < end; j += 1) {
			if ((j === i || this.indents[j] === inner) && this.lines[j].startsWith(start, inner)) {
				return values.includes(
					this.lines[j]
						.slice(inner + start.length)
						.trim()
						.replace(/^["']+|(?<!["'])["']+$/g, ""),
				);
			}
		}
		return false;
	}
}
