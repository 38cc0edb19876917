// @ts-check
/**
 * Reads YAML lines in kubectl's plain block style as data, many times faster than the YAML library does.
 *
 * Lines that are not plainly in this style, and errors, throw `Unsure`: the parser then reads the lines.
 */
import { KEY, Unsure } from "./line_filter.js";

const UNUSUAL = /[^\n -~]/;
const SINGLE = /^'((?:[^']|'')*)' *$/;
const DOUBLE = /^"([^"\\]*)" *$/;
const LIKE_STRUCTURE = /^-(?: |$)|: | #|:$/;
const NULL = /^(?:|~|null|Null|NULL)$/;
const TRUE = /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const FALSE = /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const INTEGER = /^[-+]?(?:0b[01_]+|0o[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const NUMBER = /^-?(?:0|[1-9][0-9]{0,14})$/;
const LONGEST_NUMBER = 64;
const DEEPEST = 40;

/** Reads the lines as a mapping; throws Unsure. @param {string[]} lines */
export function compose(lines) {
	if (UNUSUAL.test(lines.join("\n"))) throw new Unsure();
	const reader = new Reader(lines);
	const start = reader.content(0);
	if (start === lines.length || reader.depth(start)) throw new Unsure();
	const [mapping, end] = reader.mapping(start, 0, 0);
	if (end !== lines.length) throw new Unsure();
	return mapping;
}

class Reader {
	/** @param {string[]} lines */
	constructor(lines) {
		this.lines = [...lines]; // some are changed while reading
	}

	/** The number of spaces that the line begins with. @param {number} i */
	depth(i) {
		const line = this.lines[i];
		let depth = 0;
		while (line.charCodeAt(depth) === 32) depth += 1;
		return depth;
	}

	/** The next line, from `i` on, that is neither blank nor a comment. @param {number} i */
	content(i) {
		while (i < this.lines.length) {
			const first = this.lines[i][this.depth(i)];
			if (first !== undefined && first !== "#") break;
			i += 1;
		}
		return i;
	}

	/**
	 * Reads a mapping whose first key is at line `i`; returns it and the line after it.
	 * @param {number} i @param {number} indent @param {number} level
	 * @returns {[Record<string, any>, number]}
	 */
	mapping(i, indent, level) {
		/** @type {Record<string, any>} */
		const entries = {};
		if (level > DEEPEST) throw new Unsure();
		while (i < this.lines.length) {
			const depth = this.depth(i);
			if (depth < indent) break;
			KEY.lastIndex = indent;
			const match = depth === indent ? KEY.exec(this.lines[i]) : null;
			if (!match) throw new Unsure();
			const key = keyOf(match[1]);
			if (Object.hasOwn(entries, key)) throw new Unsure();
			[entries[key], i] = this.value(match[2] ?? "", this.content(i + 1), indent, level);
		}
		return [entries, i];
	}

	/**
	 * Reads the value of a key, on its line or from line `i` on; returns it and the line after it.
	 * @param {string} text @param {number} i @param {number} indent @param {number} level
	 * @returns {[any, number]}
	 */
	value(text, i, indent, level) {
		const depth = i < this.lines.length ? this.depth(i) : -1;
		if (text) {
			if (depth > indent) throw new Unsure();
			return [parseScalar(text), i];
		}
		if (depth >= indent && this.lines[i].startsWith("-", depth)) return this.sequence(i, depth, level + 1);
		return depth > indent ? this.mapping(i, depth, level + 1) : [null, i];
	}

	/**
	 * Reads a block list whose dashes are at column `dash`; throws Unsure if it is not in plain style.
	 * @param {number} i @param {number} dash @param {number} level @returns {[any[], number]}
	 */
	sequence(i, dash, level) {
		const list = [];
		while (i < this.lines.length) {
			const line = this.lines[i];
			const depth = this.depth(i);
			if (depth < dash || (depth === dash && !line.startsWith("-", dash))) break;
			const content = line.slice(dash + 1).replace(/^ +/, "");
			if (depth > dash || !line.startsWith("- ", dash) || !content) throw new Unsure();
			const inner = line.length - content.length;
			let item;
			KEY.lastIndex = 0;
			if (KEY.test(content)) {
				this.lines[i] = " ".repeat(inner) + content;
				[item, i] = this.mapping(i, inner, level + 1);
			} else [item, i] = this.value(content, this.content(i + 1), dash, level);
			list.push(item);
		}
		return [list, i];
	}
}

/** A key that is a string and keeps its place in a JavaScript object; throws Unsure for others. @param {string} text */
function keyOf(text) {
	const quoted = text[0] === '"' || text[0] === "'";
	const key = quoted ? text.slice(1, -1) : text;
	if (key === "__proto__" || /^[0-9]/.test(key) || (!quoted && typeof resolveUnquoted(key) !== "string"))
		throw new Unsure();
	return key;
}

/**
 * Resolves a scalar as `resolvePlain` does, null included; throws Unsure if a number looks different in JSON.
 * @param {string} text
 */
function resolveUnquoted(text) {
	const value = resolvePlain(text);
	if (typeof value === "number" && (!NUMBER.test(text) || text === "-0")) throw new Unsure();
	return value;
}

/**
 * The value of an unquoted scalar as kubectl reads it (`resolve_plain` in scenario/reading/yaml_composer.py): null
 * for null and its other spellings.
 * @param {string} text @returns {string | number | boolean | null}
 */
function resolvePlain(text) {
	if (text.length > LONGEST_NUMBER) return text;
	if (/^[a-zA-Z~]|^$/.test(text))
		return TRUE.test(text) ? true : FALSE.test(text) ? false : NULL.test(text) ? null : text;
	if (!/^[-+.0-9]/.test(text)) return text;
	if (INTEGER.test(text)) return parseGoInteger(text);
	const plain = text[0] === "." ? text : text.replaceAll("_", "");
	const number = FLOAT.test(plain) ? Number(plain) : Number.NaN;
	return Number.isFinite(number) ? number : text;
}

/**
 * Parses an integer as Go's ParseInt does: a leading 0 means octal. Returns the text if it is invalid.
 * @param {string} text
 */
function parseGoInteger(text) {
	const digits = text.replaceAll("_", "").replace(/^[-+]/, "");
	const number = Number(/^0[0-7]+$/.test(digits) ? `0o${digits}` : digits); // 08 is 8
	return Number.isNaN(number) ? text : text.startsWith("-") && number ? -number : number;
}

const SCALAR = { tag: "tag:yaml.org,2002:int", resolve: resolvePlain };
/** YAML tags that resolve scalars as kubectl does, for a parser that would read all of them as text. */
export const SCALARS = [
	{ ...SCALAR, default: true, test: /^(?:[-+.~0-9a-zA-Z]|$)/ },
	...["null", "bool", "float"].map((name) => ({ ...SCALAR, tag: `tag:yaml.org,2002:${name}` })),
];

/** Reads a value on one line, which may be null; throws Unsure. @param {string} line */
function parseScalar(line) {
	const text = line.replace(/(?<! ) +$/, "");
	const first = text[0];
	if (first === "'") {
		const match = SINGLE.exec(text);
		if (match) return match[1].replaceAll("''", "'");
	} else if (first === '"') {
		const match = DOUBLE.exec(text);
		if (match) return match[1];
	} else if (text === "{}") return {};
	else if (text === "[]") return [];
	else if (!"&*!?|>%@`{}[],#:".includes(first) && !LIKE_STRUCTURE.test(text)) return resolveUnquoted(text);
	throw new Unsure();
}
