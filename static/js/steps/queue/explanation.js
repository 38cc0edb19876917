// @ts-check
/** Who goes first, and how long a pod waits. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { decimal, podName, seconds } from "../../shared/units.js";
import { panel, row, table } from "../parts/panel.js";
import { rule } from "../parts/reasons_panel.js";
import { flushAfter } from "./captions.js";
import { travels } from "./travels.js";
import { activeOrder } from "./view.js";

/** @param {View} view @param {string} kind @param {string} first @returns {Child} */
export function explain(view, kind, first) {
	if (kind === "queues") return travels(view);
	return kind === "priority" ? priority(view, first) : backoff(view, first);
}

/** @param {View} view @param {string} key */
function priority(view, key) {
	const { state } = view;
	const waiting = activeOrder(state);
	const own = state.pods.get(key);
	return panel(
		t("margin.order"),
		t("margin.priorityof", { pod: podName(key), n: own?.summary.priority ?? 0 }),
		table(
			["activeQ", t("margin.priority"), t("margin.since")],
			waiting.slice(0, 12).map((name) => {
				const pod = state.pods.get(name);
				return row(
					name,
					[podName(name), String(pod?.summary.priority ?? 0), seconds(pod?.timestamp ?? 0)],
					name === key ? "hot" : "",
				);
			}),
		),
		rule(state, "PrioritySort", "key"),
	);
}

/** @param {View} view @param {string} key */
function backoff(view, key) {
	const pod = view.state.pods.get(key);
	if (!pod) return null;
	const wait = (pod.backoff_until ?? view.state.time) - pod.timestamp;
	return panel(
		t("margin.backoff"),
		podName(key),
		h(
			"p",
			{ key: "f", class: "formula" },
			t("margin.backoff.until", {
				from: seconds(pod.timestamp),
				wait: decimal(wait),
				until: seconds(pod.backoff_until ?? 0),
			}),
		),
		h("p", { key: "doubles", class: "note" }, t("margin.backoff.doubles")),
		h(
			"p",
			{ key: "flush", class: "note" },
			t("margin.backoff.flush", { at: seconds(flushAfter(pod.backoff_until ?? 0, view.state.time)) }),
		),
	);
}
