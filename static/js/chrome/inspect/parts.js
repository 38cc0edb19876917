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

/** The page that counts copies of a pod, by the same release as this run. @param {View} view @param {string} pod */
export function capacityPage({ boot }, pod) {
	const kubernetes = new URLSearchParams(location.search).get("kubernetes");
	const query = new URLSearchParams({ pod, ...(kubernetes ? { kubernetes } : {}) });
	return `/s/${boot.scenario.id}/v/${boot.scenario.version}/capacity/?${query}`;
}
