// @ts-check
/** The smallest change of one weight that makes a node win, or that there is none. */

import { h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";

/** @typedef {import("./panel.js").Panel} Panel */

/** @param {Panel} panel @returns {Child} */
export function weightsView(panel) {
	const found = panel.questions.weights;
	if (!panel.weighed || !found) return null;
	const able = found.filter((one) => one.after !== null && one.after !== one.before);
	const wins = found.some((one) => one.after === one.before);
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
						able.map((one) =>
							h(
								"li",
								{ key: one.plugin },
								t("ask.weigh.change", { plugin: one.plugin, before: one.before, after: one.after ?? 0 }),
								" ",
								h(
									"button",
									{
										type: "button",
										class: "button",
										on: {
											click: () =>
												panel.apply({
													type: "set",
													edits: [{ type: "weight", plugin: one.plugin, weight: one.after ?? 1, profile: one.profile }],
												}),
										},
									},
									t("ask.apply"),
								),
							),
						),
					)
				: h("p", null, t("ask.weigh.none", { node })),
	);
}
