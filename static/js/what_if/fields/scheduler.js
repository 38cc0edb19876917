// @ts-check
/** The configuration: weights of Score plugins, the strategy of NodeResourcesFit, disabled plugins. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { scoreName } from "../../steps/parts/words.js";
import { group, numberField, toggle } from "./parts.js";

/** @typedef {import("../panel.js").Panel} Panel */
/** @typedef {import("../edits.js").Edit} Edit */

const STRATEGIES = ["LeastAllocated", "MostAllocated"];

/**
 * The form for the profile: weights of Score plugins (1 to 20), the scoring strategy, and plugins to disable.
 * @param {Panel} panel @returns {Child}
 */
export function schedulerFields(panel) {
	const { scores, filters, profile } = panel.about;
	return [
		group(
			"weights",
			t("ask.weights"),
			scores.map(({ plugin, weight }) => {
				const edit = /** @type {Edit} */ ({ type: "weight", plugin, profile });
				return numberField(`weight-${plugin}`, scoreName(plugin), {
					was: weight,
					now: panel.editFor(edit)?.weight,
					least: 1,
					most: 20,
					set: (value) => (value === weight ? panel.drop([edit]) : panel.put([{ ...edit, weight: value }])),
				});
			}),
		),
		group("strategy", t("ask.strategy"), strategyChoice(panel, profile)),
		group(
			"off",
			t("ask.plugins"),
			[...new Set([...filters, ...scores.map((score) => score.plugin)])].map((plugin) => {
				const edit = /** @type {Edit} */ ({ type: "disable", plugin, profile });
				return toggle(`on-${plugin}`, plugin, !panel.has(edit), (on) => (on ? panel.drop([edit]) : panel.put([edit])));
			}),
		),
	];
}

/** The choice of the scoring strategy. @param {Panel} panel @param {string} profile */
function strategyChoice(panel, profile) {
	const edit = /** @type {Edit} */ ({ type: "strategy", profile });
	const strategy = panel.editFor(edit)?.strategy;
	const choice = (/** @type {string} */ value, /** @type {string} */ text) =>
		h(
			"label",
			{ key: value, class: "ask-switch" },
			h("input", {
				type: "radio",
				name: "ask-strategy",
				checked: (strategy ?? "") === value,
				on: { change: () => (value ? panel.put([{ ...edit, strategy: value }]) : panel.drop([edit])) },
			}),
			h("span", null, text),
		);
	return [choice("", t("ask.asis")), ...STRATEGIES.map((name) => choice(name, name))];
}
