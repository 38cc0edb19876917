// @ts-check
/** The answers of a class: a bar with the count at the right end of each row, or a list if there are no rows. */

import { answersBeside, cornerOf, rowsOf } from "../chrome/rows.js";
import { optionText, textOf } from "../learn/choices.js";
import { h, patch } from "../shared/dom.js";
import { plain, t } from "../shared/i18n.js";

/** @typedef {import("../learn/questions.js").Question} Question */

const LONGEST = 150; // pixels of a bar and its count
const COUNT = 50;
const ROW = 44;

/** @type {HTMLElement | null} */
let layer = null;

/**
 * Draws the number of answers to each option, on the options' rows where all of them are on the screen.
 * @param {HTMLElement} root @param {Question | null} question @param {number[] | null} counts null: no bars
 */
export function drawHistogram(root, question, counts) {
	if (!question || !counts) {
		layer?.remove();
		layer = null;
		return;
	}
	const { right } = question;
	if (!layer) {
		layer = document.createElement("section");
		layer.id = "histogram";
		root.querySelector("#stage")?.after(layer);
	}
	const most = Math.max(1, ...counts);
	const boxes = rowsOf(root, question.options);
	const placed = boxes.every((box) => box !== null);
	layer.setAttribute("aria-label", t("class.answers"));
	const beside = answersBeside(root);
	layer.className = placed ? `on-rows ${beside ? "beside" : ""}` : "listed";
	const bar = (/** @type {number} */ i) => {
		const corner = placed ? cornerOf(root, /** @type {DOMRect} */ (boxes[i])) : null;
		const text = optionText(question.options[i], question);
		const part = counts[i] / most;
		const left = corner && (beside ? corner.left : corner.left + ROW - LONGEST);
		const place = corner ? { left: `${left}px`, top: `${corner.top}px` } : {};
		return h(
			"li",
			{ key: `b${i}`, class: i === right ? "right" : "", style: place },
			h("span", { class: placed ? "sr" : "histogram-name" }, `${text} `),
			h("i", { style: { width: placed ? `${Math.round(part * (LONGEST - COUNT))}px` : `${part * 100}%` } }),
			h("b", null, `${i === right ? "✓ " : ""}${counts[i]}`),
		);
	};
	patch(layer, [
		h("p", { key: "what", class: "sr" }, plain(textOf(question))),
		h(
			"ol",
			{ key: "bars" },
			question.options.map((_, i) => bar(i)),
		),
	]);
}
