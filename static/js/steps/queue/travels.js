// @ts-check
/** How pods travel between the queues: the ways that there are, and how often this run went each so far. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { panel, row, table } from "../parts/panel.js";

/** The ways, in the order in which a pod may go them. @type {[string, string][]} */
const WAYS = [
	["new", "active"],
	["new", "gated"],
	["gated", "active"],
	["active", "cycle"],
	["backoff", "cycle"],
	["cycle", "bound"],
	["cycle", "unschedulable"],
	["cycle", "backoff"],
	["cycle", "active"],
	["unschedulable", "active"],
	["unschedulable", "backoff"],
	["backoff", "active"],
];

/** @param {View} view @returns {Child} */
export function travels(view) {
	const tally = counted(view);
	const name = (/** @type {string} */ place) => t(`travels.${place}`);
	return panel(
		t("travels.label"),
		t("travels.title"),
		table(
			[t("travels.from"), t("travels.to"), "×"],
			WAYS.map(([from, to]) =>
				row(
					`${from}${to}`,
					[
						name(from),
						h("span", null, name(to), h("small", null, t(`travels.why.${from}.${to}`))),
						String(tally.get(`${from} ${to}`) ?? 0),
					],
					tally.has(`${from} ${to}`) ? "" : "never",
				),
			),
		),
		h("p", { key: "note", class: "note" }, t("travels.note")),
	);
}

/** @param {View} view @returns {Map<string, number>} by "from to" */
function counted({ store, step: here }) {
	/** @type {Map<string, string>} */
	const at = new Map();
	/** @type {Map<string, number>} */
	const out = new Map();
	const go = (/** @type {string} */ pod, /** @type {string} */ to) => {
		const way = `${at.get(pod) ?? "new"} ${to}`;
		at.set(pod, to);
		out.set(way, (out.get(way) ?? 0) + 1);
	};
	for (const { step, event } of store.walk(0, 1)) {
		if (step > here) break;
		if (event.type === "PodEnqueued") go(event.pod, event.queue);
		else if (event.type === "PodGated") go(event.pod, "gated");
		else if (event.type === "CycleStarted") go(event.pod, "cycle");
		else if (event.type === "PodBound") go(event.pod, "bound");
		else if (event.type === "ObjectDeleted" && event.kind === "Pod") at.delete(`${event.namespace}/${event.name}`);
	}
	return out;
}
