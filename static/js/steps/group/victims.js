// @ts-check
/** WorkloadAwarePreemption: the victims of a group as one set across nodes, and what was given back before them. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { rampStyle } from "../../shared/priority.js";
import { podName } from "../../shared/units.js";
import { podTitle } from "../parts/pods.js";

/** @typedef {import("../../trace/trace").VictimUnit} Unit */
const MOST = 6;

/** @param {View} view @param {import("./model.js").Gang} gang */
export function victims(view, { cycle, name, summary }) {
	const found = cycle?.preemption;
	if (!found) return null;
	const all = (found.units ?? []).map((unit, i) => ({ unit, i }));
	const go = all.filter(({ unit }) => !unit.reprieved);
	const stay = all.filter(({ unit }) => unit.reprieved);
	const none = !(found.victims ?? []).length;
	return h(
		"div",
		{ key: "victims", class: "gang-victims" },
		h(
			"section",
			{ key: "go", class: "victim-set go" },
			h(
				"h3",
				null,
				h("b", { "aria-hidden": "true" }, "✕ "),
				t(none ? "gang.victims.none" : "gang.victims.go", {
					name,
					n: (found.victims ?? []).length,
					priority: summary?.priority ?? 0,
				}),
			),
			h(
				"ul",
				null,
				go.slice(0, MOST).map((one) => unitBox(view, one)),
				rest(go.length),
			),
		),
		stay.length > 0 &&
			h(
				"section",
				{ key: "stay", class: "victim-set given" },
				h("h3", null, h("b", { "aria-hidden": "true" }, "↩ "), t("gang.victims.stay")),
				h(
					"ul",
					null,
					stay.slice(0, MOST).map((one) => unitBox(view, one)),
					rest(stay.length),
				),
			),
	);
}

/** @param {number} n */
function rest(n) {
	return n > MOST && h("li", { key: "more", class: "gang-more" }, t("list.more", { n: n - MOST }));
}

/** What can only go together is one box. @param {View} view @param {{unit: Unit, i: number}} one */
function unitBox(view, { unit, i }) {
	const { pods, priority, pod_group: group = "", violates_pdb: guarded } = unit;
	const gone = pods.every((pod) => !view.state.pods.has(pod));
	return h(
		"li",
		{ key: pods[0], class: `victim-unit ${gone ? "gone" : ""} ${group && pods.length > 1 ? "whole" : ""}` },
		h("span", { key: "place", class: "unit-place", title: t("gang.unit.place") }, String(i + 1)),
		h(
			"span",
			{ key: "pods", class: "unit-pods" },
			pods.slice(0, MOST).map((pod) => {
				const { node = "" } = view.state.pods.get(pod) ?? {};
				return h(
					"button",
					{
						key: pod,
						type: "button",
						class: "unit-pod",
						"data-pod": pod,
						title: podTitle(view.state, pod),
						style: rampStyle(priority),
						on: { click: () => view.act.select({ kind: "pod", name: pod }) },
					},
					`${podName(pod)}${node ? ` · ${node}` : ""}`,
				);
			}),
			pods.length > MOST && h("span", { key: "more" }, t("list.more", { n: pods.length - MOST })),
		),
		h(
			"small",
			{ key: "what" },
			[
				t("priority", { n: priority }),
				group && pods.length > 1 ? t("gang.unit.whole", { name: podName(group) }) : "",
				guarded ? "PDB" : "",
			]
				.filter(Boolean)
				.join(t("list.comma")),
		),
	);
}
