// @ts-check
/**
 * What a pod group adds around the steps of its members: when its own picture is on, its card, its items in the queue,
 * and a row under other pictures. It comes with the first group (captions.js), and registers itself.
 */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { podName } from "../../shared/units.js";
import { GROUPS } from "../parts/late.js";
import { quorum, quorumWords, slot } from "./frame.js";
import { gangOf, gathering, groupOf, inCycle } from "./model.js";
import { items } from "./queue.js";

/** These have pictures of their own: what a plugin says of each node, points, candidates of one pod. */
const OTHERS = new Set(["PreFilterFinished", "NodesFiltered", "ScoresComputed", "HostSelected", "PreemptionEvaluated"]);

/** Is the group's picture on? @param {AnyEvent} event @param {State} state */
function shown(event, state) {
	return inCycle(event, state) ? !OTHERS.has(event.type) : gathering(event, state) !== "";
}

/** The card, when the group itself is what a step is about. @param {View} view */
function card(view) {
	const gang = gangOf(view.event, view.state);
	if (!gang) return null;
	const { key, name, summary, min, whole } = gang;
	const domain = summary?.topology_key ?? "";
	const more = [
		summary?.priority ? t("priority", { n: summary.priority }) : "",
		domain && t("gang.within", { key: domain.slice(domain.lastIndexOf("/") + 1) }),
	].filter(Boolean);
	return h(
		"button",
		{
			key: "group",
			type: "button",
			class: "hero gang-card",
			title: key,
			on: { click: () => view.act.pin(`group:${key}`) },
		},
		h("b", { class: name.length > 16 ? "long" : "" }, name),
		h("span", { class: "hero-priority" }, t("gang.card", { n: whole })),
		h("span", { class: "hero-more" }, t(min === null ? "gang.policy.basic" : "gang.policy.gang", { min: min ?? 0 })),
		more.length > 0 &&
			h("span", { class: "hero-more labels", title: `${more.join(", ")} ${domain}` }, more.join(t("list.comma"))),
	);
}

/** Under the picture of a member's own step: how its group stands. @param {View} view */
function ribbon(view) {
	const gang = gangOf(view.event, view.state);
	if (!gang?.cycle) return [];
	return [
		h(
			"div",
			{ key: "gang", class: "gang-ribbon" },
			h("b", { key: "name" }, podName(groupOf(view.event, view.state))),
			h(
				"ol",
				{ key: "slots", class: "gang-slots" },
				gang.members.map((one, i) => slot(view, one, i, true)),
			),
			h("span", { key: "words", class: "gang-words" }, quorum(gang), quorumWords(gang)),
		),
	];
}

export const AROUND = { shown, card, items, ribbon };
Object.assign(GROUPS, AROUND);
