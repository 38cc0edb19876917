// @ts-check
/** A dump as a stream; only the part being read is in memory, as in `importers/reading/source.py`. */

// around the output of containers in `kubectl cluster-info dump`
const LOG = /^==== START logs for .*$/gm;
const LOG_END = /==== END logs for .*$/gm;
const LONGEST_MARK = 700;
const WORDS = // of kubectl
	/(Error from server(?: \(\w+\))?|Unable to connect to the server|The connection to the server|No resources found)/;
const PREFIXED = /([Ee]rror|Warning)(?=: )/;
const LOG_LINE = /([EWIF]\d{4} \d\d:\d\d:\d\d\.)/;
const COMMAND = /((?:PS )?(?:[^\s#]\S{0,80} ?)?[$%>#] (?:kubectl|oc) )/;
// terminal output around a dump
const SAID = [WORDS, PREFIXED, LOG_LINE, COMMAND, /```\w*(?=\s)/].map((pattern) => pattern.source).join("|");
const LATER = new RegExp(`\\n(?:${SAID})[^\\n]*`, "g");
const FIRST = new RegExp(`^(?:${SAID})[^\\n]*`);

/** A dump. `text` is the part in memory, which begins at line `line`; it is read up to `at`. */
export class Source {
	text = "";
	at = 0;
	line = 1;
	/** @type {string[]} the lines that `lines` returned, with their carriage returns */
	split = [];
	ended = false; // no more text follows

	/** @param {AsyncIterator<string>} blocks @param {import("./pruning.js").LeftOut} leftOut */
	constructor(blocks, leftOut) {
		this.blocks = withoutSaid(withoutLogs(blocks, leftOut), leftOut);
	}

	/** The number of the line that contains a position in memory. @param {number} at */
	lineOf(at) {
		return this.line + lineEnds(this.text, 0, at);
	}

	/** The number of the last line in memory. */
	get lastLine() {
		return this.lineOf(this.text.length) - Number(this.text.endsWith("\n"));
	}

	/** Drops the text that was read, and loads at least as much as is left; returns false at the end. */
	async more() {
		const rest = this.text.slice(this.at);
		const parts = [rest];
		let size = 0;
		while (size <= rest.length) {
			const { value, done } = await this.blocks.next();
			this.ended ||= Boolean(done);
			if (done) break;
			parts.push(value);
			size += value.length;
		}
		if (!size) return false;
		this.line = this.lineOf(this.at);
		this.at = 0;
		this.text = parts.join("");
		return true;
	}

	/**
	 * The complete lines in memory from `at` on, or the last line; null at the end.
	 * @returns {Promise<string[] | null>}
	 */
	async lines() {
		let complete = this.text.includes("\n", this.at);
		while (!complete && (await this.more())) complete = this.text.includes("\n", this.at);
		if (this.at >= this.text.length) return null;
		const end = complete ? this.text.lastIndexOf("\n") : this.text.length;
		const lines = this.text.slice(this.at, end).split("\n");
		this.split = lines;
		return lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
	}

	/** Skips a number of the lines that `lines` returned. @param {number} number */
	skip(number) {
		for (let i = 0; i < number; i += 1) this.at += this.split[i].length + 1;
		this.at = Math.min(this.at, this.text.length);
	}
}

/** The number of line ends between two positions. @param {string} text @param {number} start @param {number} end */
function lineEnds(text, start, end) {
	let number = 0;
	for (let at = text.indexOf("\n", start); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) number += 1;
	return number;
}

/**
 * Drops container output except for line ends; a line that may be a marker is checked as a whole.
 * @param {AsyncIterator<string>} blocks
 * @param {import("./pruning.js").LeftOut} leftOut
 * @returns {AsyncGenerator<string>}
 */
async function* withoutLogs(blocks, leftOut) {
	const dropper = new Dropper(leftOut);
	let tail = "";
	for (let next = await blocks.next(); !next.done; next = await blocks.next()) {
		let whole = tail + next.value;
		const start = whole.lastIndexOf("\n") + 1;
		tail = whole.length - start < LONGEST_MARK ? whole.slice(start) : "";
		if (tail) whole = whole.slice(0, start);
		yield dropper.text(whole);
	}
	yield dropper.text(tail);
}

/**
 * Drops terminal output around a dump except for line ends, and counts it.
 * @param {AsyncGenerator<string>} blocks
 * @param {import("./pruning.js").LeftOut} leftOut
 * @returns {AsyncGenerator<string>}
 */
async function* withoutSaid(blocks, leftOut) {
	/** @param {string} line @param {(string | undefined)[]} groups */
	const dropped = (line, ...[words, prefix, log, command]) => {
		const name = words || prefix || (log && "log line") || (command && "command line");
		if (name) leftOut.count("said", name);
		return line.startsWith("\n") ? "\n" : "";
	};
	let atStart = true;
	for await (const block of blocks) {
		yield (atStart ? block.replace(FIRST, dropped) : block).replace(LATER, dropped);
		if (block) atStart = block.endsWith("\n");
	}
}

class Dropper {
	inside = false;

	/** @param {import("./pruning.js").LeftOut} leftOut */
	constructor(leftOut) {
		this.leftOut = leftOut;
	}

	/** The text without container output, but with its line ends. @param {string} text */
	text(text) {
		const lines = [];
		let at = 0;
		for (;;) {
			const pattern = this.inside ? LOG_END : LOG;
			pattern.lastIndex = at;
			const mark = pattern.exec(text);
			const end = mark ? mark.index : text.length;
			lines.push(this.inside ? "\n".repeat(lineEnds(text, at, end)) : text.slice(at, end));
			if (!mark) return lines.join("");
			if (!this.inside) this.leftOut.count("kinds", "container log");
			this.inside = !this.inside;
			at = mark.index + mark[0].length;
		}
	}
}
