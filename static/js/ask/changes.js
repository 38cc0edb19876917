// @ts-check
/** The smallest changes for a pod that found no node: the list as it grows, each applied with one click. */

import { h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";

/** @typedef {import("./panel.js").Panel} Panel */

/** @param {Panel} panel @returns {Child} */
export function changesView(panel) {
	const found = panel.questions.changes;
	if (!found) {
		return h(
			"p",
			{ key: "again" },
			h("button", { type: "button", class: "button", on: { click: () => panel.show("changes") } }, t("ask.search")),
		);
	}
	return [
		found.going &&
			h(
				"div",
				{ key: "going", class: "ask-going" },
				h("progress", { max: String(found.pieces), value: String(found.done), "aria-label": t("ask.searching") }),
				h("button", { type: "button", class: "button", on: { click: () => panel.questions.stop() } }, t("ask.cancel")),
			),
		!found.going &&
			found.done < found.pieces &&
			h(
				"p",
				{ key: "cut", class: "note" },
				t("ask.cut"),
				" ",
				h("button", { type: "button", class: "link", on: { click: () => panel.show("changes") } }, t("ask.goon")),
			),
		!found.going && !found.changes.length && h("p", { key: "none", class: "note" }, t("ask.nochange")),
		h(
			"ol",
			{ key: "list", class: "ask-found" },
			found.changes.map((one) =>
				h(
					"li",
					{ key: one.words },
					h("span", null, one.words),
					h(
						"button",
						{
							type: "button",
							class: "button",
							on: { click: () => panel.apply({ type: "set", edits: one.edits.map(plain) }) },
						},
						t("ask.apply"),
					),
				),
			),
		),
	];
}

/** As the fields write them. @param {import("./edits.js").Edit} edit */
function plain(edit) {
	const { namespace, ...rest } = edit;
	return namespace ? edit : rest;
}
