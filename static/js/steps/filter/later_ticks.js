// @ts-check
/** What is behind the first rejection; it comes when somebody asks, which few do. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { scoreName } from "../parts/plain_words.js";

/**
 * What the plugins behind the first rejection would say; the scheduler did not ask them.
 * @param {View} view
 * @param {Lanes} lanes
 * @param {string} name
 * @param {number} stop
 */
export function laterTicks(view, { geometry, plugins }, name, stop) {
	return plugins.slice(stop + 1).map((plugin, i) => {
		const told = view.explainer.filter(view.state.attempt, name, plugin);
		const x = geometry.x[stop + 1 + i];
		const passes = told?.code === "Success";
		return h(
			"button",
			{
				key: `later${plugin}`,
				type: "button",
				class: `tick later ${told && !passes ? "no" : ""}`,
				style: { left: `${x[0] + x[1] / 2}px` },
				title: told
					? t("lane.later", { plugin: scoreName(plugin), verdict: passes ? t("passed") : told.reasons.join(", ") })
					: plugin,
				on: { click: () => view.act.pin(`verdict:${name}:${plugin}`) },
			},
			told ? (passes ? "✓" : "✕") : "·",
		);
	});
}
