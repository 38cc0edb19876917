// @ts-check
/**
 * A pass of an autoscaler: the options in order, with dashed new nodes and the pods planned on them, and the groups
 * that do not help; or the nodes that could be removed, with new places for their pods.
 */

import { h, patch } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { nodeName, shortPod } from "../../shared/names.js";
import { actorName } from "../controllers/view.js";
import { outcomeWords, podNames, scoreWords } from "./words.js";

/** @typedef {import("../../trace/trace").EvaluatedOption} Option */
/** @typedef {import("../../trace/trace").EvaluatedNode} Judged */

const NODES = 8; // dashed boxes of an option, or names in a row
const PODS = 6;

/** Draws what the autoscaler considered. @param {Element} target @param {View} view */
export function draw(target, { event }) {
	if (event.type === "ScaleUpEvaluated") patch(target, [scaleUpPass(event)]);
	else if (event.type === "ScaleDownEvaluated") patch(target, [scaleDownPass(event)]);
	else patch(target, []);
}

/** The options for new nodes, and the refusals. @param {import("../../trace/trace").ScaleUpEvaluated} event */
function scaleUpPass({ by, waiting, options = [], refusals = [] }) {
	return h(
		"div",
		{ key: "up", class: "pass" },
		h("h3", null, t("autoscaling.up.title", { actor: actorName(by), n: waiting })),
		options.length
			? h(
					"ol",
					{ key: "options", class: "pass-options" },
					options.map((option, i) => optionRow(option, i)),
				)
			: h("p", { key: "none", class: "note" }, t("autoscaling.options.none")),
		refusals.length > 0 && h("h3", null, t("autoscaling.refusals")),
		refusals.length > 0 &&
			h(
				"ul",
				{ key: "refusals", class: "pass-rows" },
				refusals.map(({ group = "", reason, pods, pod_count }, i) =>
					h(
						"li",
						{ key: i },
						h("b", null, `✕ ${group || t("autoscaling.pools")}`),
						h("code", null, reason),
						chips(podNames(pods, pod_count, PODS)),
					),
				),
			),
	);
}

/**
 * The row of an option: dashed nodes, the pods planned on them, scores, price and instance types.
 * @param {Option} option
 * @param {number} i
 */
function optionRow({ group, nodes, pods, pod_count, chosen = false, scores, types = [], type_count = 0, price }, i) {
	const facts = [
		...scoreWords(scores),
		price !== undefined && price !== null && t("autoscaling.price", { price: String(Number(price.toPrecision(4))) }),
		types.length > 0 &&
			[types.join(", "), type_count > types.length && `+${type_count - types.length}`].filter(Boolean).join(" "),
	].filter(Boolean);
	return h(
		"li",
		{ key: i, class: chosen ? "chosen" : "" },
		h("b", null, chosen ? `✓ ${group}` : group),
		h(
			"span",
			{ class: "pass-nodes", role: "img", "aria-label": t("autoscaling.nodes", { n: nodes }) },
			Array.from({ length: Math.min(nodes, NODES) }, (_, n) => h("i", { key: n })),
			nodes > NODES && h("small", null, `+${nodes - NODES}`),
		),
		chips(podNames(pods, pod_count, PODS)),
		h("small", null, ...facts.flatMap((fact, n) => (n ? [" · ", fact] : [fact]))),
	);
}

/** The nodes judged for removal, and replacements. @param {import("../../trace/trace").ScaleDownEvaluated} event */
function scaleDownPass({ by, nodes, more = 0, replacements = [] }) {
	return h(
		"div",
		{ key: "down", class: "pass" },
		h("h3", null, t("autoscaling.down.title", { actor: actorName(by) })),
		h(
			"ul",
			{ key: "nodes", class: "pass-rows" },
			groupByReason(nodes).map((entries) => judgedRow(entries)),
		),
		more > 0 && h("p", { key: "more", class: "note" }, t("autoscaling.more", { n: more })),
		replacements.length > 0 && h("h3", null, t("autoscaling.replacements")),
		replacements.length > 0 &&
			h(
				"ol",
				{ key: "replacements", class: "pass-options" },
				replacements.map((option, i) => optionRow(option, i)),
			),
	);
}

/** Groups nodes that stay for the same reason; others are alone. @param {Judged[]} nodes @returns {Judged[][]} */
function groupByReason(nodes) {
	/** @type {Map<string, Judged[]>} */
	const rows = new Map();
	for (const judged of nodes) {
		const { node, outcome, reason = "", stranded } = judged;
		const row = outcome === "stays" && !stranded ? `${outcome} ${reason}` : node;
		rows.set(row, [...(rows.get(row) ?? []), judged]);
	}
	return [...rows.values()];
}

/** The row of nodes with the same outcome, and where the pods of the first would go. @param {Judged[]} entries */
function judgedRow([{ node, outcome, reason = "", moves = [], stranded = "" }, ...others]) {
	const [sign, words] = outcomeWords(outcome);
	const names = [node, ...others.map((other) => other.node)].map((name) => nodeName(name));
	const shown = names.length > NODES ? [...names.slice(0, NODES), `+${names.length - NODES}`] : names;
	return h(
		"li",
		{ key: node, class: outcome === "stays" ? "stays" : "goes" },
		h("b", null, `${sign} ${shown.join(t("list.comma"))}`),
		h("span", null, words, reason && ": ", reason && h("code", null, reason)),
		moves.length > 0 && chips(moves.map(([key, place]) => `${shortPod(key)} → ${nodeName(place)}`)),
		stranded && h("span", { class: "pass-stranded" }, t("autoscaling.noplace", { pod: shortPod(stranded) })),
	);
}

/** Names side by side. @param {string[]} names */
function chips(names) {
	return h(
		"span",
		{ class: "pass-pods" },
		names.map((name, i) => h("span", { key: i }, name)),
	);
}
