// @ts-check
/** Addresses that somebody gives away. */

import { formatLink } from "./link.js";

/**
 * A place for others, of which servers see the step: they draw it where the link is shown.
 * @param {URL} page @param {import("./link.js").Place} place
 */
export function sharedLink(page, { step, frame, selection, order }) {
	const link = new URL(page);
	link.searchParams.set("step", `${step ?? 0}${frame ? `.${frame}` : ""}`);
	if (selection || order === "node") link.hash = formatLink({ step, frame, selection, order });
	return link.href;
}
