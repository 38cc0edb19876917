// @ts-check
/** The answer on the stage itself: nodes that changed sides, and the one that would be taken. */

import { t } from "../shared/i18n.js";

/** @param {import("./questions.js").Judgement | null} answer */
export function markStage(answer) {
	/** @type {Map<string, "gained" | "lost" | "winner">} */
	const marks = new Map();
	for (const one of answer?.gained ?? []) marks.set(one.node, "gained");
	for (const one of answer?.lost ?? []) marks.set(one.node, "lost");
	const taken = answer?.after.node || answer?.after.nominated;
	if (taken && taken !== (answer?.before.node || answer?.before.nominated)) marks.set(taken, "winner");
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
}
