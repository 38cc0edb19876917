// @ts-check
/** What the margin's panels are made of: a title, tables and their rows. */

import { h } from "../../shared/dom.js";

/** @param {string} label @param {Child} title @param {Child[]} body @returns {Child} */
export function panel(label, title, ...body) {
	return [h("p", { key: "label", class: "margin-label" }, label), h("h2", { key: "title" }, title), ...body];
}

/** @param {string[]} head @param {Child[]} rows */
export function table(head, rows) {
	return h(
		"table",
		{ key: "table", class: "figures" },
		h(
			"thead",
			null,
			h(
				"tr",
				null,
				head.map((text, i) => h("th", { key: i, scope: "col" }, text)),
			),
		),
		h("tbody", null, rows),
	);
}

/** @param {string} key @param {Child[]} cells @param {string} [kind] */
export function row(key, cells, kind = "") {
	return h(
		"tr",
		{ key, class: kind },
		cells.map((cell, i) => h("td", { key: i }, cell)),
	);
}
