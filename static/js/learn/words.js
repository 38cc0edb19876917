// @ts-check
/** A question, its options and its answer in words. */

import { parts, t } from "../shared/i18n.js";
import { podName } from "../shared/units.js";
import { node, pod } from "../steps/parts/marks.js";

/** @typedef {import("./questions.js").Question} Question */
/** @typedef {import("./answers.js").Option} Option */

/**
 * The caption while a question is open: its last line is what the step itself says.
 * @param {View} view
 * @param {Question} asked
 */
export function questionCaption(view, asked) {
	return {
		eyebrow: parts("predict.eyebrow"),
		sentence: textOf(asked),
		why: view.caption.sentence,
		next: [t("predict.next")],
	};
}

/** @param {Question} asked @returns {Part[]} */
export function textOf(asked) {
	if (asked.text) return [asked.text];
	return parts(`ask.${asked.event}.${asked.kind}`, { pod: pod(asked.pod, asked.pod), node: node(asked.about) });
}

/** @param {Option} option @param {Question} asked @returns {string} */
export function optionText({ key, kind }, asked) {
	if (kind === "pod") return podName(key);
	if (kind === "plugin") return key === "none" ? t("ask.option.none") : key;
	if (kind === "word") return t(`ask.option.${key}`);
	return asked.event === "PodEnqueued" && kind === "number" ? `${key} s` : key;
}

/**
 * What was predicted beside what came: the end of the answer's eyebrow.
 * @param {Question} asked
 * @param {number | undefined} pick
 * @returns {Part[]}
 */
export function answerPart(asked, pick) {
	if (pick === undefined) return [];
	const right = optionText(asked.options[asked.right], asked);
	const wrong = optionText(asked.options[pick], asked);
	return [t(pick === asked.right ? "predict.right" : "predict.wrong", { right, pick: wrong })];
}
