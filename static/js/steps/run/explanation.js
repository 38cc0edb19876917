// @ts-check
/** What the run is about. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { panel } from "../parts/panel.js";

/** @param {View} view @returns {Child} */
export function explain(view) {
	const { scenario, lesson } = view.boot;
	return panel(
		t("margin.about"),
		scenario?.title || view.state.title,
		lesson?.description && h("p", { key: "text", class: "note" }, lesson.description),
		lesson?.look_at && [
			h("h3", { key: "look" }, t("lesson.look")),
			h("p", { key: "lookat", class: "note" }, lesson.look_at),
		],
		view.state.finished &&
			!view.boot.embed &&
			h(
				"button",
				{ key: "ask", type: "button", class: "button", on: { click: () => view.act.open("ask:run") } },
				t("ask.title"),
			),
		h("p", { key: "keys", class: "note" }, t("margin.keys")),
	);
}
