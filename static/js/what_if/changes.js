// @ts-check
/** Lists the smallest changes that make a pod fit while they are found; one click applies a change. */

import { button, h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";

/** @typedef {import("./panel.js").Panel} Panel */

/**
 * The list of the changes found so far with which the pod fits, each with a button that applies it; a button that
 * starts the search before there is one.
 * @param {Panel} panel @returns {Child}
 */
export function changesView(panel) {
	const changes = panel.questions.changes;
	if (!changes) {
		return h(
			"p",
			{ key: "again" },
			button(() => panel.showTab("changes"), { class: "button" }, t("ask.search")),
		);
	}
	return [
		changes.going &&
			h(
				"div",
				{ key: "going", class: "ask-going" },
				h("progress", { max: String(changes.pieces), value: String(changes.done), "aria-label": t("ask.searching") }),
				button(() => panel.questions.stop(), { class: "button" }, t("ask.cancel")),
			),
		!changes.going &&
			changes.done < changes.pieces &&
			h(
				"p",
				{ key: "cut", class: "note" },
				t("ask.cut"),
				" ",
				button(() => panel.showTab("changes"), { class: "link" }, t("ask.goon")),
			),
		changes.missing.map((sentence) => h("p", { key: sentence, class: "note" }, sentence)),
		!changes.going && !changes.changes.length && h("p", { key: "none", class: "note" }, t("ask.nochange")),
		h(
			"ol",
			{ key: "list", class: "ask-found" },
			changes.changes.map((change) =>
				h(
					"li",
					{ key: change.words },
					h("span", null, change.words, ...change.untrue.map((why) => h("small", { class: "note" }, ` ${why}`))),
					button(
						() => panel.apply({ type: "set", edits: change.edits.map(withoutEmptyNamespace) }),
						{ class: "button" },
						t("ask.apply"),
					),
				),
			),
		),
	];
}

/** An edit without an empty namespace, as the panel's fields write it. @param {import("./edits.js").Edit} edit */
function withoutEmptyNamespace(edit) {
	const { namespace, ...rest } = edit;
	return namespace ? edit : rest;
}

/**
 * The section with the weights with which the chosen node wins; null without a chosen node, and while they are unknown.
 * @param {Panel} panel @returns {Child}
 */
export function weightsView(panel) {
	const weights = panel.questions.weights;
	if (!panel.weighed || !weights) return null;
	const able = weights.filter((weight) => weight.after !== null && weight.after !== weight.before);
	const wins = weights.some((weight) => weight.after === weight.before);
	const node = panel.weighed;
	return h(
		"section",
		{ key: "weigh", class: "ask-weigh" },
		h("h3", null, t("ask.weigh", { node })),
		wins
			? h("p", null, t("ask.weigh.wins", { node }))
			: able.length
				? h(
						"ul",
						null,
						able.map((weight) => weightItem(panel, weight)),
					)
				: h("p", null, t("ask.weigh.none", { node })),
	);
}

/**
 * The item of a weight with which the node wins, with a button that applies it.
 * @param {Panel} panel @param {import("./questions.js").WeightChange} change
 */
function weightItem(panel, { plugin, before, after, profile }) {
	const edit = /** @type {import("./edits.js").Edit} */ ({ type: "weight", plugin, weight: after ?? 1, profile });
	return h(
		"li",
		{ key: plugin },
		t("ask.weigh.change", { plugin, before, after: after ?? 0 }),
		" ",
		button(() => panel.apply({ type: "set", edits: [edit] }), { class: "button" }, t("ask.apply")),
	);
}
