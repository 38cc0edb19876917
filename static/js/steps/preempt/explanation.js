// @ts-check
/** Where a candidate's victims come from: which pods had to go, which were given back. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { amount, podName, quantity, short } from "../../shared/units.js";
import { priorityOf } from "../parts/marks.js";
import { panel, row, table } from "../parts/panel.js";
import { asks, rule } from "../parts/reasons_panel.js";
import { roomOf } from "./arithmetic.js";
import { actOf, theatre } from "./model.js";

/** @param {View} view @param {string} kind @param {string} first @returns {Child} */
export function explain(view, kind, first) {
	return candidate(view, kind === "candidate" ? first : (theatre(view.state)?.chosen?.node ?? ""));
}

/** How many pods have been tried so far; who asks is told of all. @param {View} view @param {Theatre} play */
function told({ event, frame, pin }, play) {
	const { act, at } = event.type === "PreemptionEvaluated" && !pin ? actOf(play, frame) : { act: "result", at: 0 };
	return act === "reprieve" ? at : act === "floor" || act === "removed" ? 0 : undefined;
}

/** How the victims of a node were found. @param {View} view @param {string} name */
function candidate(view, name) {
	const play = theatre(view.state);
	const one = play?.candidates.find((entry) => entry.node === name);
	const node = view.state.nodes.get(name);
	if (!play || !one || !node) return asks(view, view.hero);
	const { state, hero } = view;
	const { resource, need, empty, tried } = roomOf(state, one, hero);
	const rows = [row("gone", [t("margin.allgone", { n: priorityOf(state, hero) }), "", amount(resource, empty)])];
	for (const { pod, reprieved, after } of tried.slice(0, told(view, play))) {
		const sign = after < need ? "<" : "≥";
		rows.push(
			row(pod, [
				h("span", null, h("b", { class: reprieved ? "yes" : "no" }, reprieved ? "↩ " : "✕ "), podName(pod)),
				String(priorityOf(state, pod)),
				h(
					"span",
					{ class: reprieved ? "" : "no" },
					reprieved ? amount(resource, after) : `${amount(resource, after)} ${sign} ${amount(resource, need)}`,
				),
			]),
		);
	}
	return panel(
		t("margin.victims"),
		t("margin.reprieve", { node: name }),
		h(
			"div",
			{ key: "others", class: "segments wrap" },
			play.candidates
				.filter((entry, i) => i < 8 || entry.node === name)
				.map((entry) =>
					h(
						"button",
						{
							key: entry.node,
							type: "button",
							"aria-pressed": String(entry.node === name),
							on: { click: () => view.act.pin(`candidate:${entry.node}`) },
						},
						entry.node,
					),
				),
		),
		table([t("margin.giveback"), t("margin.priority"), t("margin.freeof", { resource: short(resource) })], rows),
		h("p", { key: "n1", class: "note" }, t("margin.important", { pod: podName(hero), need: quantity(resource, need) })),
		(play.event.budgets ?? []).map((budget) => budgetSum(budget, one)),
		play.rungs >= 3 && h("p", { key: "n3", class: "note" }, t("rung.3.why")),
		rule(state, "DefaultPreemption", "post_filter"),
	);
}

/**
 * How many disruptions a budget allowed, and whose eviction would be one too many.
 * @param {import("../../trace/trace").BudgetNow} budget
 * @param {Candidate} candidate
 */
function budgetSum({ name, namespace, rule: text = "", allowed, healthy = 0, desired = 0 }, { reprieve }) {
	const over = reprieve.filter((one) => one.violates_pdb && one.pod.startsWith(`${namespace}/`));
	if (!over.length && !allowed) return null; // it covers pods of another node
	return h(
		"div",
		{ key: `budget${namespace}/${name}`, class: "budget" },
		h("h3", null, `PodDisruptionBudget ${name}`),
		text && h("p", { class: "note" }, text),
		h(
			"p",
			{ class: "formula" },
			text ? t("margin.budget.sum", { healthy, desired }) : t("margin.budget.fixed"),
			h("b", { class: "result" }, t("margin.budget.allowed", { n: allowed })),
		),
		over.length > 0 &&
			h(
				"p",
				{ class: "note no" },
				t("margin.budget.over", { pods: over.map(({ pod }) => podName(pod)).join(t("list.comma")), n: over.length }),
			),
		h("p", { class: "note" }, t("margin.budget.note")),
	);
}

/** The victims of a node: of one that is still in, and so of the chosen one at last. @param {Asked} place */
export function asked({ state, hero, event, frame }) {
	const play = theatre(state);
	const { act, at } = play && event.type === "PreemptionEvaluated" ? actOf(play, frame) : { act: "", at: 6 };
	const out = act === "rung" ? at : 0;
	const shown = act && act !== "result" ? play?.candidates.find((one) => (one.rung || 7) > out) : play?.chosen;
	return shown ? `candidate:${shown.node}` : hero ? `request:${hero}` : null;
}
