// @ts-check
/**
 * Under each CEL selector: how many of the text's devices it matches, from the server's check of the text.
 */
import * as cm from "../../../vendor/codemirror/codemirror.js";
import { t } from "../../shared/i18n.js";
import { linesBelow } from "./problem_lines.js";

/** @typedef {{expression: string, matching: number, devices: number, names: string[], error: string}} Matches */

export const selectorLines = linesBelow();

/**
 * Shows below each device selector how many devices it selects, or its error.
 * @param {any} view @param {Matches[]} matches
 */
export function showMatches(view, matches) {
	const lines = view.state.doc.toString().split("\n");
	selectorLines.show(
		view,
		[...matchesByLine(lines, matches)].map(([line, result]) => [view.state.doc.line(line).to, new MatchLine(result)]),
	);
}

/**
 * The matches by the number of the line below which they are shown.
 * @param {string[]} lines @param {Matches[]} matches @returns {Map<number, Matches>}
 */
export function matchesByLine(lines, matches) {
	/** @type {Map<number, Matches>} */
	const byLine = new Map();
	lines.forEach((line, i) => {
		const at = /(?:^|[\s{,])expression: *(.*)$/.exec(line);
		if (!at) return;
		const block = /^[|>]/.test(at[1]);
		const indent = line.length - line.trimStart().length;
		let last = i;
		while (block && last + 1 < lines.length && deeper(lines[last + 1], indent)) last += 1;
		const text = block ? lines.slice(i + 1, last + 1).join(" ") : at[1];
		// the longest: an expression may be the start of another
		const own = matches.filter(({ expression }) => plain(text).includes(plain(expression)));
		own.sort((a, b) => b.expression.length - a.expression.length);
		if (own.length) byLine.set(last + 1, own[0]);
	});
	return byLine;
}

/** Whether a line is blank, or indented more than `indent`. @param {string} line @param {number} indent */
const deeper = (line, indent) => !line.trim() || line.length - line.trimStart().length > indent;

/** The text without white space and the escapes of quoted strings. @param {string} text */
const plain = (text) => text.replace(/\\(?=")|''/g, (quoted) => (quoted === "''" ? "'" : "")).replace(/\s+/g, "");

/** The sentence about the devices that a selector matches, or its error. @param {Matches} matches */
function matchWords({ matching, devices, names, error }) {
	if (error) return t("editor.selector.error", { error });
	const nameText = names.join(t("editor.comma")) + (matching > names.length ? " …" : "");
	return t(matching ? "editor.selector" : "editor.selector.none", { n: matching, all: devices, names: nameText });
}

class MatchLine extends cm.WidgetType {
	/** @param {Matches} matches */
	constructor(matches) {
		super();
		this.words = matchWords(matches);
		this.none = !matches.matching;
	}

	/** Whether both show the same words. @param {MatchLine} other */
	eq(other) {
		return other.words === this.words;
	}

	/** The element with the words. */
	toDOM() {
		const line = document.createElement("div");
		line.className = `match-line ${this.none ? "none" : ""}`;
		line.textContent = this.words;
		return line;
	}

	/** Clicks do not move the cursor. */
	ignoreEvent() {
		return true;
	}
}
