// @ts-check
/** The elements from which the builder's sections are made. */
import { button, h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";

/** @typedef {import("./documents.js").Ref} Ref */
/**
 * @typedef {{documents: import("./documents.js").Documents, names: Set<string>, edit: (change: () => void) => void}}
 *   Form the documents that the sections edit, and the names in use
 */

/**
 * A section of the form, with a button that adds an object.
 * @param {string} key @param {(event: Event) => void} add @param {Child[]} children
 */
export function section(key, add, ...children) {
	return h(
		"section",
		{ key, class: "builder-section" },
		h(
			"header",
			null,
			h("h2", null, t(`builder.${key}`)),
			button(add, { class: "button plain" }, `+ ${t(`builder.${key}.add`)}`),
		),
		...children,
	);
}

/** A table of the form. @param {string[]} heads @param {Child[]} rows */
export const table = (heads, ...rows) =>
	h(
		"table",
		{ class: "builder-table" },
		h(
			"thead",
			null,
			h(
				"tr",
				null,
				...heads.map((head) =>
					h("th", { scope: "col" }, head ? t(`builder.${head}`) : h("span", { class: "sr" }, t("builder.actions"))),
				),
			),
		),
		h("tbody", null, ...rows),
	);

/**
 * A cell with a text field.
 * @param {string} label @param {any} value @param {(text: string) => void} change @param {object} [more]
 */
export const input = (label, value, change, more = {}) =>
	h(
		"td",
		null,
		h("input", {
			"aria-label": label,
			value: value ?? "",
			on: { change: (/** @type {any} */ event) => change(event.target.value.trim()) },
			...more,
		}),
	);

/**
 * A cell with a list to choose from.
 * @param {string} label
 * @param {string} value
 * @param {[string, string][]} options
 * @param {(value: string) => void} change
 */
export const choice = (label, value, options, change) =>
	h(
		"td",
		null,
		h(
			"select",
			{ "aria-label": label, value, on: { change: (/** @type {any} */ event) => change(event.target.value) } },
			...options.map(([key, text]) => h("option", { key, value: key, selected: key === value }, text)),
		),
	);

/** A cell with the button that removes the object. @param {Form} form @param {Ref} ref */
export const removal = (form, ref) =>
	h(
		"td",
		{ class: "narrow" },
		button(
			() => form.edit(() => form.documents.remove(ref)),
			{ class: "icon-button", "aria-label": t("builder.remove", { name: ref.value.metadata?.name ?? "" }) },
			"✕",
		),
	);
