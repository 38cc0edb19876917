// @ts-check
/** The queue of a run with pod groups: a group is one item with its members inside, and leaves it as one. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { rampStyle } from "../../shared/priority.js";
import { podName } from "../../shared/units.js";
import { podTitle } from "../parts/pods.js";
import { inCycle } from "./model.js";

const MOST = 6; // items
const INSIDE = 5; // members with their names

/**
 * @param {View} view @param {string} section @param {PodState[]} pods
 * @param {(view: View, section: any, pod: PodState) => Child} single
 * @returns {Child[] | undefined} undefined: no group has to do with it
 */
export function items(view, section, pods, single) {
	const { event, state } = view;
	const { started, decided, finished } = state.group ?? {};
	const back = finished || (decided && decided.outcome !== "Scheduled");
	const away = section === "active" && inCycle(event, state) && !back && started;
	if (!away && !pods.some(({ summary }) => summary.pod_group)) return undefined;
	const all = units(pods);
	return [
		away && left(view, away.pod_group, away.pods.length),
		...all
			.slice(0, MOST)
			.map((unit) =>
				unit.length > 1 || unit[0].summary.pod_group
					? group(view, section, unit, single)
					: single(view, section, unit[0]),
			),
		all.length > MOST && h("small", { key: "more" }, t("list.more", { n: all.length - MOST })),
	];
}

/** Pods in order, those of a group together where its first one stands. @param {PodState[]} pods */
function units(pods) {
	/** @type {Map<string, PodState[]>} */
	const out = new Map();
	for (const pod of pods) {
		const key = pod.summary.pod_group ? `group ${pod.summary.pod_group}` : pod.summary.pod;
		out.set(key, [...(out.get(key) ?? []), pod]);
	}
	return [...out.values()];
}

/** What is said of several members in the same words stands once, behind them. @param {any[]} drawn */
function told(drawn) {
	const notes = drawn.map(({ children: [, note] }) => JSON.stringify(note));
	return drawn.map((one, i) => (notes[i] === notes[i + 1] ? { ...one, children: one.children.slice(0, 1) } : one));
}

/** Its place in the queue while it is tried. @param {View} view @param {string} key @param {number} n */
function left({ act }, key, n) {
	const on = { click: () => act.pin(`group:${key}`) };
	return h(
		"button",
		{ key: `left${key}`, type: "button", class: "queue-pod left gang-left", on },
		t("gang.left", { group: podName(key), n }),
	);
}

/**
 * @param {View} view @param {string} section @param {PodState[]} pods
 * @param {(view: View, section: any, pod: PodState) => Child} single
 */
function group(view, section, pods, single) {
	const key = pods[0].summary.pod_group ?? "";
	const { min_count: min = null } = view.state.pod_groups.get(key)?.summary ?? {};
	const all = [...view.state.pods.values()].filter(({ summary }) => summary.pod_group === key).length;
	const members = pods.slice(0, pods.length > INSIDE ? INSIDE - 1 : INSIDE);
	return h(
		"div",
		{ key: `group${key}`, class: "gang-item" },
		h(
			"button",
			{
				key: "name",
				type: "button",
				class: "gang-item-name",
				title: key,
				on: { click: () => view.act.pin(`group:${key}`) },
			},
			h("b", null, podName(key)),
			h("span", null, t("gang.item", { n: pods.length, all: Math.max(all, min ?? 0) })),
		),
		told(members.map((pod) => single(view, section, pod))),
		pods.length > members.length &&
			h(
				"div",
				{ key: "squares", class: "squares" },
				pods.slice(members.length).map(({ summary }) =>
					h("button", {
						key: summary.pod,
						type: "button",
						title: podTitle(view.state, summary.pod),
						"aria-label": podName(summary.pod),
						"data-fly": summary.pod,
						style: rampStyle(summary.priority ?? 0),
						on: { click: () => view.act.select({ kind: "pod", name: summary.pod }) },
					}),
				),
			),
	);
}
