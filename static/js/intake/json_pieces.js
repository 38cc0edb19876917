// @ts-check
/**
 * Reads JSON dumps, also several in a row: the items of a List one by one, as `importers/reading/json_dump.py` does.
 */

/** The text ends in the middle of a value. */
export class Cut extends Error {}

/** The text is not JSON; `at` is the position of the error. */
export class NoJson extends Error {
	/** @param {number} at */
	constructor(at) {
		super();
		this.at = at;
	}
}

const SPACE = /[ \t\r\n]*/y;

/**
 * Calls `take` with every object of the JSON value that begins here, and with the list around it, or null. Throws Cut
 * or NoJson.
 * @param {import("./source.js").Source} source @param {(manifest: any, parent: any) => void} take
 */
export function readJson(source, take) {
	return new Reader(source, take).value();
}

class Reader {
	/** @param {import("./source.js").Source} source @param {(manifest: any, parent: any) => void} take */
	constructor(source, take) {
		this.source = source;
		this.take = take;
	}

	/** Reads an object, a List or an array of objects; throws Cut or NoJson. */
	async value() {
		if ((await this.peek()) === "[") return this.items({ kind: "List" }, []);
		/** @type {Record<string, any>} */
		const mapping = {};
		/** @type {any[]} */
		const waiting = []; // items without a kind, before the kind of their list
		this.source.at += 1;
		while ((await this.peek()) !== "}") {
			const key = await this.whole();
			if (typeof key !== "string" || (await this.peek()) !== ":") throw new NoJson(this.source.at);
			this.source.at += 1;
			if (key === "items" && (await this.peek()) === "[") {
				await this.items(mapping, waiting);
				mapping.items = [];
			} else mapping[key] = await this.whole();
			await this.next("}");
		}
		for (const item of waiting) this.take(item, mapping);
		if (!mapping.items || !isList(mapping)) this.take(mapping, null);
		this.source.at += 1;
	}

	/**
	 * Reads the items of a list; those without a kind wait until the kind of the list is known.
	 * @param {any} parent @param {any[]} waiting
	 */
	async items(parent, waiting) {
		this.source.at += 1;
		while ((await this.peek()) !== "]") {
			const item = await this.whole();
			if (item && typeof item === "object" && item.kind === undefined && parent.kind === undefined) waiting.push(item);
			else this.take(item, parent);
			await this.next("]");
		}
		this.source.at += 1;
	}

	/** Goes to the next entry, or to the end; throws Cut or NoJson. @param {string} last */
	async next(last) {
		const mark = await this.peek();
		if (mark === ",") this.source.at += 1;
		else if (mark !== last) throw new NoJson(this.source.at);
	}

	/** Parses a whole value; throws Cut or NoJson. */
	async whole() {
		await this.peek();
		const { source } = this;
		let end = endOf(source.text, source.at);
		while ((end < 0 || end === source.text.length) && (await source.more())) end = endOf(source.text, source.at);
		if (end < 0) throw new Cut();
		const text = source.text.slice(source.at, end);
		try {
			const value = JSON.parse(text);
			source.at = end;
			return value;
		} catch {
			if (!source.text.slice(end).trim() && /^[a-z0-9.+-]+$/i.test(text)) throw new Cut();
			throw new NoJson(source.at);
		}
	}

	/** The next character that is not a space; throws Cut at the end. */
	async peek() {
		const { source } = this;
		for (;;) {
			SPACE.lastIndex = source.at;
			source.at += SPACE.exec(source.text)?.[0].length ?? 0;
			if (source.at < source.text.length) return source.text[source.at];
			if (!(await source.more())) throw new Cut();
		}
	}
}

const [QUOTE, BACKSLASH] = ['"', "\\"].map((mark) => mark.charCodeAt(0));
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [..."[]{}"].map((mark) => mark.charCodeAt(0));

/**
 * The end of the value that starts at `at`; -1 if it does not end. A number or word at the end of the text may go on.
 * @param {string} text @param {number} at
 */
function endOf(text, at) {
	const first = text[at];
	if (first === '"') return endOfText(text, at);
	if (first !== "{" && first !== "[") {
		let end = at;
		while (end < text.length && !",]}: \t\r\n".includes(text[end])) end += 1;
		return end;
	}
	let depth = 0;
	for (let i = at; i < text.length; i += 1) {
		const code = text.charCodeAt(i);
		if (code === QUOTE) {
			i = endOfText(text, i) - 1;
			if (i < 0) return -1;
		} else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
		else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
			depth -= 1;
			if (!depth) return i + 1;
		}
	}
	return -1;
}

/** The end of the string that starts at `at`; -1 if it does not end. @param {string} text @param {number} at */
function endOfText(text, at) {
	for (let i = at + 1; i < text.length; i += 1) {
		const code = text.charCodeAt(i);
		if (code === BACKSLASH) i += 1;
		else if (code === QUOTE) return i + 1;
	}
	return -1;
}

/** Whether a JSON value is a list of objects, such as kubectl prints. @param {any} value */
export function isList(value) {
	return typeof value.kind === "string" && value.kind.endsWith("List") && Array.isArray(value.items);
}
