// @ts-check
/** Captions of a replay: what the cluster's own scheduler decided, beside the simulated decision. */

import { list, num, parts } from "../../shared/i18n.js";
import { extender, node, plainReason, pod } from "../parts/words.js";

/** @param {Context} context @returns {Partial<Caption>} */
function observedCaption({ event, hero }) {
	const chosen = event.node || event.nominated_node || "";
	const pods = (/** @type {string[]} */ keys = []) => keys.map((key) => pod(key, hero));
	const outcome = event.node ? "bound" : event.nominated_node ? "nominated" : "failed";
	const values = {
		pod: pod(event.pod, hero),
		node: node(chosen),
		simulated: node(event.simulated_node || ""),
		points: num(event.points ?? 0, chosen ? `total:${chosen}` : undefined),
		plugin: extender(event.plugin || ""),
		reasons: list((event.reasons ?? []).map(plainReason)),
		victims: list(pods(event.victims), 3),
		others: list(pods(event.simulated_victims), 3),
		message: event.message || "",
		note: event.note || "",
	};
	return {
		eyebrow: parts(`eyebrow.observed.${event.verdict}`),
		sentence: parts(`observed.${outcome}`, values),
		why: parts(`observed.why.${event.cause || event.verdict}${event.node ? "" : ".failed"}`, values),
	};
}

/** @type {Record<string, (context: Context) => Partial<Caption>>} */
export const CAPTIONS = { DecisionObserved: observedCaption };
