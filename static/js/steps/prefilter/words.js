// @ts-check
/** Captions of PreFilter: which plugins have nothing to check, and which nodes are out before Filter begins. */

import { list, num, parts, t } from "../../shared/i18n.js";
import { count } from "../../shared/units.js";
import { requestPanel } from "../parts/panel.js";
import { node, nodes, pod, question } from "../parts/words.js";

/** The caption of PreFilter's result. @param {Context} context @returns {Partial<Caption>} */
function preFilterCaption({ state, event, subject, following }) {
	const skipped = event.results
		.filter((/** @type {any} */ result) => result.code === "Skip")
		.map((/** @type {any} */ result) => question(result.plugin).replace(/[?？]$/, ""));
	const checks = following?.type === "NodesFiltered" ? following.plugins.length : 0;
	const values = {
		pod: pod(subject ?? "", subject),
		plugin: event.rejected_by ?? "",
		names: list(nodes(event.nodes ?? []), 3),
		n: event.nodes?.length ?? 0,
		all: num(count(state.nodes.size)),
		k: num(checks),
		skipped: num(skipped.length),
	};
	if (event.rejected_by)
		return {
			sentence: parts("prefilter.rejected", values),
			why: event.reasons?.length ? [event.reasons.join("; ")] : [],
		};
	const first = state.pods.get(subject ?? "")?.nominated_node;
	const next = first
		? parts("next.nominated", { node: node(first) })
		: parts("next.NodesFiltered", { pod: values.pod });
	if (event.nodes)
		return { sentence: parts("prefilter.narrowed", values), why: parts("prefilter.narrowed.why", values), next };
	const key = !checks ? "prefilter.idle" : skipped.length ? "prefilter.checks" : "prefilter.checks.all";
	return {
		sentence: parts(key, values),
		why: skipped.length ? parts("prefilter.why", { skipped: skipped.join(t("list.comma")) }) : [],
		next,
	};
}

/** @type {Record<string, (context: Context) => Partial<Caption>>} */
export const CAPTIONS = { PreFilterFinished: preFilterCaption };

/**
 * The margin's panel with the requests of a pod.
 * @param {View} view @param {string} _kind @param {string} first @returns {Child}
 */
export function explain(view, _kind, first) {
	return requestPanel(view, first);
}
