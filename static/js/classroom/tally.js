// @ts-check
/** How many answers of a class were right. */

import { t } from "../shared/i18n.js";

/**
 * The number of right answers to a question and of all answers; null before the question is revealed.
 * @param {import("../learn/questions.js").Question | null} question @param {number[] | null} counts by option
 * @returns {[number, number] | null}
 */
export function tallyOf(question, counts) {
	if (!question || !counts) return null;
	return [counts[question.right] ?? 0, counts.reduce((sum, count) => sum + count, 0)];
}

/** The two numbers in words. @param {[number, number]} tally */
export function tallyText([right, all]) {
	return all ? t("class.right", { right, all }) : t("class.unanswered");
}
