// @ts-check
/** The message of a failed attempt, taken apart: the nodes of each count, and which reason to see to first. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { podName } from "../../shared/units.js";
import { filtered } from "../filter/model.js";
import { panel, row, table } from "../parts/panel.js";
import { plainReason, question } from "../parts/plain_words.js";

const ASKED = 40; // nodes that are judged by every plugin
const NAMES = 4;

/** @param {View} view @param {string} _kind @param {string} key @returns {Child} */
export function explain(view, _kind, key) {
	const { state } = view;
	const pod = state.pods.get(key);
	const model = state.cycle.CycleStarted?.pod === key ? filtered(state) : null;
	const message = pod?.message ?? "";
	return panel(
		t("message.label"),
		podName(key),
		h("p", { key: "raw", class: "raw" }, message.split(" preemption:")[0]),
		model && model.names.length > 0 && first(view, model),
		model?.names.length ? counts(model) : h("p", { key: "early", class: "note" }, t("message.early")),
		message.includes("preemption:") && h("p", { key: "preemption", class: "note" }, t("message.preemption")),
	);
}

/** Reasons with their nodes. @param {Filtered} model */
function counts({ at, total, names }) {
	/** @type {Map<string, string[]>} */
	const by = new Map();
	for (const [name, { verdict }] of at)
		for (const reason of verdict?.reasons ?? []) by.set(reason, [...(by.get(reason) ?? []), name]);
	const several = names.filter((name) => (at.get(name)?.verdict?.reasons.length ?? 0) > 1);
	const sum = [...by.values()].reduce((all, list) => all + list.length, 0);
	return [
		table(
			[t("message.reason"), t("message.nodes"), "×"],
			[
				[...by]
					.sort((a, b) => b[1].length - a[1].length)
					.map(([reason, list]) => row(reason, [plainReason(reason), few(list), String(list.length)])),
				row("sum", [t("message.sum", { total }), "", String(sum)], "sum"),
			],
		),
		h(
			"p",
			{ key: "why", class: "note" },
			sum === total
				? t("message.adds")
				: several.length
					? t("message.twice", { nodes: few(several), n: several.length })
					: "",
			" ",
			t("message.firstonly"),
		),
	];
}

/** @param {string[]} names */
function few(names) {
	const shown = names.slice(0, NAMES).join(t("list.comma"));
	return names.length > NAMES ? `${shown}${t("list.comma")}${t("list.more", { n: names.length - NAMES })}` : shown;
}

/**
 * What stands alone between a node and the pod: every plugin is asked, also those that the scheduler did not come to.
 * @param {View} view @param {Filtered} model
 */
function first({ state, explainer }, model) {
	const nodes = model.names.slice(0, ASKED);
	explainer.want(state.attempt, nodes);
	const known = nodes.filter((name) => explainer.node(state.attempt, name));
	if (known.length < nodes.length) return h("p", { key: "first", class: "note" }, t("message.asking"));
	/** @type {Map<string, string[]>} */
	const alone = new Map();
	for (const name of known) {
		const all = (explainer.node(state.attempt, name)?.filters ?? []).filter(({ code }) => !/Success|Skip/.test(code));
		if (all.length === 1) alone.set(all[0].plugin, [...(alone.get(all[0].plugin) ?? []), name]);
	}
	const best = [...alone].sort((a, b) => b[1].length - a[1].length);
	return [
		h("h3", { key: "firsttitle" }, t("message.first")),
		...best.map(([plugin, list]) =>
			h(
				"p",
				{ key: plugin, class: "formula" },
				h("b", null, question(plugin)),
				" ",
				t("message.alone", { nodes: few(list), n: list.length }),
			),
		),
		h("p", { key: "firstnote", class: "note" }, t(best.length ? "message.first.note" : "message.first.none")),
	];
}
