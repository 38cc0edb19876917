// @ts-check
/**
 * Text out of a file that somebody chose or dropped; what is no text, or too much of it, is refused with a sentence.
 */
import { t } from "../shared/i18n.js";
import { count } from "../shared/units.js";

const LONGEST_LINE = 10000; // of a text that goes into the editor as it is; a longer one would not be mended by hand
const CONTROL = /[\0-\x08\x0e-\x1f]/; // in no YAML

/** The sentence is for people. */
export class NoText extends Error {}

/** @param {Blob} file @param {number} most bytes @returns {Promise<string>} throws NoText */
export async function textOf(file, most) {
	if (file.size > most) throw new NoText(t("editor.import.large", { size: count(file.size), most: count(most) }));
	const bytes = new Uint8Array(await file.arrayBuffer());
	const mark =
		bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
	let text;
	try {
		text = new TextDecoder(mark, { fatal: true }).decode(bytes);
	} catch {
		throw new NoText(t("editor.import.encoding"));
	}
	if (CONTROL.test(text)) throw new NoText(t("editor.import.binary"));
	if (!text.trim()) throw new NoText(t("editor.import.empty"));
	return text;
}

/**
 * Can a text that was refused be mended in the editor?
 * @param {string} text
 * @param {import("./server.js").Problem[]} problems
 */
export function mendable(text, problems) {
	return problems.every((problem) => problem.line) && !text.split("\n").some((line) => line.length > LONGEST_LINE);
}
