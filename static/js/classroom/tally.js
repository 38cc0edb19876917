// @ts-check
/** How many answers of a class were right. */

import { t } from "../shared/i18n.js";

/**
 * The number of right answers to a question and of all answers, in words; "" before the question is revealed.
 * @param {import("../learn/questions.js").Question | null} question @param {number[] | null} counts by option
 */
export function tallyText(question, counts) {
	if (!question || !counts) return "";
	const all = counts.reduce((sum, count) => sum + count, 0);
	return all ? t("class.right", { right: counts[question.right] ?? 0, all }) : t("class.unanswered");
}
