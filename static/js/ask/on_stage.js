// @ts-check
/** The answer on the stage itself: nodes that changed sides, and the one that would be taken. */

import { t } from "../shared/i18n.js";

/** @typedef {Map<string, "gained" | "lost" | "winner">} Marks */

/** @param {import("./questions.js").Judgement | null} answer */
export function markStage(answer) {
	const marks = marksOf(answer);
	for (const element of document.querySelectorAll("#stage [data-node]")) {
		const mark = marks.get(element.getAttribute("data-node") ?? "");
		if (mark) {
			element.setAttribute("data-asked", mark);
			element.setAttribute("data-asked-label", t(`ask.mark.${mark}`));
		} else if (element.hasAttribute("data-asked")) {
			element.removeAttribute("data-asked");
			element.removeAttribute("data-asked-label");
		}
	}
	// cells are no elements: their canvas draws the marks itself
	document.querySelector("#stage canvas")?.dispatchEvent(new CustomEvent("asked", { detail: marks }));
}

/** @param {import("./questions.js").Judgement | null} answer @returns {Marks} */
export function marksOf(answer) {
	/** @type {Marks} */
	const marks = new Map();
	if (!answer) return marks;
	const { before, after, gained, lost, more = [[], []] } = answer;
	for (const name of [...gained.map((one) => one.node), ...more[0]]) marks.set(name, "gained");
	for (const name of [...lost.map((one) => one.node), ...more[1]]) marks.set(name, "lost");
	const taken = after.node || after.nominated;
	if (taken && taken !== (before.node || before.nominated)) marks.set(taken, "winner");
	return marks;
}
