// @ts-check
/** A pod group in the margin: what it asks for, how each member stands, and its condition. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { podName } from "../../shared/units.js";
import { panel, row, table } from "../parts/panel.js";
import { gangOf, groupOf } from "./model.js";
import { messageWords } from "./words.js";

/** @param {View} view @param {string} _kind @param {string} named @returns {Child} */
export function explain(view, _kind, named) {
	const { state, event, act } = view;
	const key = named || groupOf(event, state) || (state.group?.started.pod_group ?? "");
	const record = state.pod_groups.get(key);
	const gang = groupOf(event, state) === key ? gangOf(event, state) : null;
	const pods = [...state.pods.values()].filter(({ summary }) => summary.pod_group === key);
	const standing = (/** @type {PodState} */ { summary, place, node }) => {
		const member = gang?.members.find(({ pod }) => pod === summary.pod);
		if (!member || member.standing === "here") return node ? t("gang.is.bound", { node }) : t(`place.${place}`);
		return t(`gang.is.${member.standing}`, { node: member.node });
	};
	return panel(
		t("gang.margin"),
		podName(key),
		rules(record?.summary),
		table(
			[t("gang.margin.member"), t("gang.margin.standing")],
			pods.map((pod) =>
				row(pod.summary.pod, [
					h(
						"button",
						{ type: "button", class: "link", on: { click: () => act.select({ kind: "pod", name: pod.summary.pod }) } },
						podName(pod.summary.pod),
					),
					standing(pod),
				]),
			),
		),
		record?.condition && [
			h("p", { key: "raw", class: "raw" }, `PodGroupScheduled  ${record.condition.status}  ${record.condition.reason}`),
			record.condition.message && h("p", { key: "message", class: "note" }, messageWords(record.condition.message)),
		],
		h("p", { key: "note", class: "note" }, t("gang.margin.note")),
	);
}

/** @param {import("../../trace/trace").PodGroupSummary | undefined} summary */
function rules(summary) {
	if (!summary) return h("p", { key: "rules", class: "note" }, t("gang.margin.none"));
	const { min_count: min = null, topology_key: key, disruption_mode: mode = "Pod", priority = 0 } = summary;
	const lines = [
		t(min === null ? "gang.policy.basic" : "gang.policy.gang", { min: min ?? 0 }),
		key && t("gang.within", { key }),
		priority && t("priority", { n: priority }),
		mode === "PodGroup" && "disruptionMode: PodGroup",
	];
	return h("p", { key: "rules", class: "formula" }, lines.filter(Boolean).join(t("list.comma")));
}

/** Where it is about no single pod. @param {Asked} place */
export function asked({ hero }) {
	return hero ? null : "group";
}
