// @ts-check
/**
 * Compares the saved text of a scenario with the text in the editor, line by line, and lets the author choose one.
 */
import { h, patch } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { post } from "../shared/server.js";

/**
 * @typedef {{mark: "+" | "-" | " " | "@", old: number | null, new: number | null, text: string}} Row as in the
 *   difference of two versions
 */
const KINDS = { "+": "added", "-": "removed", "@": "gap", " ": "" };
const MARKS = { "+": "+", "-": "−", "@": "", " ": "" };

/** @typedef {{text: string, rows: Row[] | null}} Difference `text` is the version's; `rows`: null if it is too long */

/**
 * Asks which text to keep: `choice` is "mine", "theirs", or "" if neither is chosen; `theirs` is the saved text.
 * @param {HTMLDialogElement} dialog @param {{address: string, file: string, version: number, text: string, saving:
 *   boolean}} asked
 * @returns {Promise<{choice: string, theirs: string}>}
 */
export async function chooseText(dialog, { address, file, version, text, saving }) {
	const difference = await differenceTo(address, text);
	const rows = typeof difference === "string" ? null : difference.rows;
	const about = rows?.length ? "conflict.about" : rows ? "conflict.same" : "conflict.long";
	dialog.returnValue = "";
	patch(dialog, [
		h("h2", { id: `${dialog.id}-title` }, t("conflict.title", { version })),
		h("p", null, typeof difference === "string" ? difference : t(about, { version })),
		rows?.length
			? h(
					"div",
					{
						class: "difference",
						role: "region",
						tabindex: "0",
						autofocus: true,
						"aria-label": t("conflict.difference"),
					},
					table(rows, version),
				)
			: null,
		h("p", null, h("a", { href: file, download: true }, t("conflict.download", { version }))),
		h(
			"form",
			{ method: "dialog", class: "dialog-buttons" },
			h("button", { class: "button", value: "" }, t("conflict.later")),
			h(
				"button",
				{ class: "button", value: "theirs", disabled: typeof difference === "string" },
				t("conflict.theirs", { version }),
			),
			h("button", { class: "button primary", value: "mine" }, t(saving ? "conflict.mine.save" : "conflict.mine")),
		),
	]);
	dialog.showModal();
	await new Promise((closed) => dialog.addEventListener("close", closed, { once: true }));
	return { choice: dialog.returnValue, theirs: typeof difference === "string" ? "" : difference.text };
}

/**
 * Asks the server in which lines the saved text differs from this one.
 * @param {string} address
 * @param {string} text
 * @returns {Promise<Difference | string>} a sentence if the server cannot tell
 */
async function differenceTo(address, text) {
	const { body } = await post(address, { text });
	return body.errors ? body.errors[0].message : body;
}

/** The table of the difference between two versions. @param {Row[]} rows @param {number} version */
function table(rows, version) {
	const heads = [t("conflict.version", { version }), t("conflict.yours"), t("conflict.changed"), t("conflict.text")];
	return h(
		"table",
		{ class: "diff" },
		h(
			"thead",
			{ class: "sr" },
			h(
				"tr",
				null,
				heads.map((head) => h("th", { scope: "col" }, head)),
			),
		),
		h(
			"tbody",
			null,
			rows.map(({ mark, old, new: own, text }) =>
				h(
					"tr",
					{ class: KINDS[mark] },
					[old ?? "", own ?? "", MARKS[mark]].map((cell) => h("td", null, cell)),
					h("td", null, h("code", null, text)),
				),
			),
		),
	);
}
