// @ts-check
/**
 * JSON dumps, also several one after another: the items of a List one by one, as `importers/reading/json_dump.py` reads them.
 */

/** The text ends in the middle of a value. */
export class Cut extends Error {}

/** The text is no JSON; `at` is where. */
export class NoJson extends Error {
	/** @param {number} at */
	constructor(at) {
		super();
		this.at = at;
	}
}

const SPACE = /[ \t\r\n]*/y;
const BETWEEN = /[ \t\r\n]*(?:^---[ \t]*$[ \t\r\n]*)*/my;

/** @param {RegExp} pattern @param {string} text @param {number} at */
function after(pattern, text, at) {
	pattern.lastIndex = at;
	return at + (pattern.exec(text)?.[0].length ?? 0);
}

/**
 * Hands every object to `take`; returns what follows and is no JSON. Throws Cut and NoJson.
 * @param {string} text @param {(found: any, parent: any) => void} take @param {(at: number) => void} progress
 */
export function readJson(text, take, progress) {
	const reader = new Reader(text, take, progress);
	let at = after(BETWEEN, text, 0);
	while (at < text.length && "{[".includes(text[at])) at = after(BETWEEN, text, reader.value(at));
	return text.slice(at);
}

class Reader {
	/** @param {string} text @param {(found: any, parent: any) => void} take @param {(at: number) => void} progress */
	constructor(text, take, progress) {
		this.text = text;
		this.end = text.trimEnd().length;
		this.take = take;
		this.progress = progress;
	}

	/** An object, a List or an array of them; the position after it. @param {number} at @returns {number} */
	value(at) {
		if (this.text[at] === "[") return this.items(at, { kind: "List" }, []);
		/** @type {Record<string, any>} */
		const found = {};
		/** @type {any[]} */
		const waiting = []; // items that came before the kind of their list, and say none of their own
		at = this.skip(at + 1);
		while (this.peek(at) !== "}") {
			const [key, next] = this.one(at);
			if (typeof key !== "string") throw new NoJson(at);
			at = this.skip(next);
			if (this.peek(at) !== ":") throw new NoJson(at);
			at = this.skip(at + 1);
			if (key === "items" && this.peek(at) === "[") {
				at = this.items(at, found, waiting);
				found.items = [];
			} else [found[key], at] = this.one(at);
			at = this.next(at, "}");
		}
		for (const item of waiting) this.take(item, found);
		if (!found.items || !isList(found)) this.take(found, null);
		return at + 1;
	}

	/** @param {number} at @param {any} parent @param {any[]} waiting */
	items(at, parent, waiting) {
		at = this.skip(at + 1);
		while (this.peek(at) !== "]") {
			const [item, next] = this.one(at);
			if (item && typeof item === "object" && item.kind === undefined && parent.kind === undefined) waiting.push(item);
			else this.take(item, parent);
			at = this.next(next, "]");
			this.progress(at);
		}
		return at + 1;
	}

	/** The place of the next entry, or of the end. @param {number} at @param {string} last */
	next(at, last) {
		at = this.skip(at);
		if (this.peek(at) === ",") return this.skip(at + 1);
		if (this.peek(at) !== last) throw new NoJson(at);
		return at;
	}

	/** A whole value and the place after it. @param {number} at @returns {[any, number]} */
	one(at) {
		const end = this.endOf(at);
		try {
			return [JSON.parse(this.text.slice(at, end)), end];
		} catch {
			if (end >= this.end && /^[a-z0-9.+-]+$/i.test(this.text.slice(at, end))) throw new Cut();
			throw new NoJson(at);
		}
	}

	/** Where the value that starts here ends. @param {number} at */
	endOf(at) {
		const { text } = this;
		const first = this.peek(at);
		if (first === '"') return this.endOfText(at);
		if (first !== "{" && first !== "[") {
			let end = at;
			while (end < this.end && !",]}: \t\r\n".includes(text[end])) end += 1;
			return end;
		}
		let depth = 0;
		for (let i = at; i < this.end; i += 1) {
			const code = text.charCodeAt(i);
			if (code === 34) i = this.endOfText(i) - 1;
			else if (code === 123 || code === 91) depth += 1;
			else if ((code === 125 || code === 93) && (depth -= 1) === 0) return i + 1;
		}
		throw new Cut();
	}

	/** @param {number} at */
	endOfText(at) {
		for (let i = at + 1; i < this.end; i += 1) {
			const code = this.text.charCodeAt(i);
			if (code === 92) i += 1;
			else if (code === 34) return i + 1;
		}
		throw new Cut();
	}

	/** @param {number} at */
	peek(at) {
		if (at >= this.end) throw new Cut();
		return this.text[at];
	}

	/** @param {number} at */
	skip(at) {
		return after(SPACE, this.text, at);
	}
}

/** @param {any} found */
export function isList(found) {
	return typeof found.kind === "string" && found.kind.endsWith("List") && Array.isArray(found.items);
}
