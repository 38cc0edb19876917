// @ts-check
/** Keep it: the edits as a fork, with a link to send and a way to see both runs. */

import { h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";

/** @typedef {import("./panel.js").Panel} Panel */

/** @param {Panel} panel @returns {Child} */
export function keepView(panel) {
	const { asked, questions, view } = panel;
	if (!questions.judged.length || !asked.edits.length || questions.problem) return null;
	const { kept } = questions;
	if (!kept) {
		return h(
			"p",
			{ key: "keep", class: "ask-keep" },
			h(
				"button",
				{ type: "button", class: "button primary", on: { click: () => void questions.keep(asked.edits) } },
				t("ask.keep"),
			),
			h("small", { class: "note" }, t("ask.keep.about")),
		);
	}
	const { scenario } = view.boot;
	const link = new URL(kept.url, location.href).href;
	const kubernetes = new URLSearchParams(location.search).get("kubernetes");
	const releases = kubernetes ? `?first=${kubernetes}&second=${kubernetes}` : "";
	return h(
		"div",
		{ key: "kept", class: "ask-kept", role: "status" },
		h("p", null, t("ask.kept")),
		h(
			"label",
			null,
			t("ask.link"),
			h("input", {
				type: "text",
				readonly: true,
				value: link,
				on: { focus: (/** @type {any} */ event) => event.target.select() },
			}),
		),
		h(
			"p",
			{ class: "buttons" },
			h("a", { class: "button primary", href: kept.url }, t("ask.open")),
			h(
				"button",
				{ type: "button", class: "button", on: { click: (/** @type {any} */ event) => copy(event.target, link) } },
				t("share.copy"),
			),
			h(
				"a",
				{ class: "button", href: `/compare/${scenario.id}/${scenario.version}/${kept.id}/${kept.version}/${releases}` },
				t("ask.compare"),
			),
		),
	);
}

/** @param {HTMLElement} button @param {string} text */
async function copy(button, text) {
	await navigator.clipboard?.writeText(text);
	button.textContent = t("share.copied");
}
