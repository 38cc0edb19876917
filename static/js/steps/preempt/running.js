// @ts-check
/** SchedulerAsyncPreemption: victims that are deleted beside the attempts; until then their preemptor is held back. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { podName } from "../../shared/units.js";
import { podTitle } from "../parts/pods.js";

const FURTHEST = 3000; // steps back
const MOST = 2; // rows
const NAMES = 4;

/** @typedef {import("../../trace/trace").PreemptionStarted} Started */

/** A row for each preemption that goes on, but in its own attempt's picture. @param {View} view @returns {Child[]} */
export function rows(view) {
	return underWay(view)
		.filter(({ pod }) => view.scene !== "preempt" || view.hero !== pod)
		.slice(0, MOST)
		.map((started) => row(view, started));
}

/** Begun and not finished, the latest first. @param {View} view @returns {Started[]} */
export function underWay({ state, store, step: here }) {
	const waiting = new Set();
	for (const { summary, node, nominated_node, place } of state.pods.values())
		if (nominated_node && !node && place !== "scheduling") waiting.add(summary.pod);
	/** @type {Started[]} */
	const out = [];
	if (!waiting.size) return out;
	for (const { step, event } of store.walk(here, -1)) {
		if (here - step > FURTHEST || !waiting.size) break;
		if (event.type === "PreemptionFinished") waiting.delete(event.pod);
		else if (event.type === "PreemptionStarted" && waiting.delete(event.pod)) out.push(event);
	}
	return out;
}

/** @param {View} view @param {Started} started */
function row(view, { pod, node, victims }) {
	const sent = (/** @type {string} */ key) => view.state.pods.get(key)?.gone_at !== null;
	const n = victims.filter(sent).length;
	return h(
		"div",
		{ key: `running${pod}`, class: "running" },
		h("b", { key: "who" }, t("async.running", { pod: podName(pod), node })),
		h(
			"ul",
			{ key: "victims" },
			victims
				.slice(0, NAMES)
				.map((key) =>
					h(
						"li",
						{ key, class: sent(key) ? "sent" : "", title: podTitle(view.state, key) },
						h("em", { "aria-hidden": "true" }, sent(key) ? "✕" : "…"),
						podName(key),
						h("span", { class: "sr" }, t(sent(key) ? "async.sent" : "async.coming")),
					),
				),
			victims.length > NAMES && h("li", { key: "more" }, t("list.more", { n: victims.length - NAMES })),
		),
		h("span", { key: "words", class: "running-words" }, t("async.calls", { n, all: victims.length })),
		h("span", { key: "till", class: "running-till" }, t("async.till", { pod: podName(pod) })),
	);
}
