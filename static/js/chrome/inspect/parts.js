// @ts-check
/** What the inspectors are made of. */

import { h } from "../../shared/dom.js";

/** @param {string} title @param {Child[]} body */
export function part(title, ...body) {
	return h("section", { key: title, class: "inspect" }, h("h3", null, title), ...body);
}

/** @param {string} text @param {() => void} click */
export function link(text, click) {
	return h("button", { type: "button", class: "link", on: { click } }, text);
}
