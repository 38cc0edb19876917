// @ts-check
/**
 * Why nodes fell, in words and how many of them: with more nodes than lanes can be written on. One reason can be
 * picked.
 */

import { h } from "../../shared/dom.js";
import { list, plain, t } from "../../shared/i18n.js";
import { count } from "../../shared/units.js";
import { plainReason, question } from "../parts/plain_words.js";

/** @typedef {{key: string, plugin: string, words: string, nodes: string[]}} Group */

const MIDDLE = 40; // nodes
const ABOVE = 112; // pixels over the rows
const ROW = 19; // pixels of a row that is written on
const LETTER = 7.6;
const NAMED = 8; // nodes of the picked reason that are named

/** Have so many rows room for a name and a reason? On a phone they scroll. @param {View} view @param {number} count */
export function modeOf({ width, sizes }, count) {
	const room = width <= 700 || !sizes.height ? MIDDLE : Math.floor((sizes.height - ABOVE) / ROW);
	return count <= Math.min(MIDDLE, room) ? "middle" : "thin";
}

/** Letters of a name in a low row, where the bar stands beside it. @param {Geometry} geometry */
export function lettersIn({ head, phone }) {
	return Math.floor((phone ? head - 24 : (head - 36) * 0.6) / LETTER);
}

/**
 * Reasons so far: in the order of the plugins, then the most frequent first.
 * @param {Pick<Lanes, "model" | "at" | "plugins" | "seen">} lanes
 * @returns {Group[]}
 */
export function groupsOf({ model, at, plugins, seen }) {
	/** @type {Map<string, Group>} */
	const found = new Map();
	/** @type {Map<object, Group>} nodes with the same verdict share it */
	const known = new Map();
	for (const name of model?.names ?? []) {
		const { stop, verdict } = model?.at.get(name) ?? {};
		if (!verdict || (stop ?? 0) > at || (seen && !seen.has(name))) continue;
		const same = known.get(verdict);
		if (same) {
			same.nodes.push(name);
			continue;
		}
		const words = plain(list([...new Set(verdict.reasons.map(plainReason))]));
		const key = `${verdict.plugin}: ${words}`;
		const group = found.get(key) ?? { key, plugin: verdict.plugin, words, nodes: [] };
		group.nodes.push(name);
		found.set(key, group);
		known.set(verdict, group);
	}
	return [...found.values()].sort(
		(a, b) => plugins.indexOf(a.plugin) - plugins.indexOf(b.plugin) || b.nodes.length - a.nodes.length,
	);
}

/** The nodes of the reason that is picked, if it is one of this picture. @param {View} view @param {Group[]} groups */
export function pickedNodes(view, groups) {
	const group = groups.find((one) => one.key === view.options.reason);
	return group ? new Set(group.nodes) : null;
}

/** @param {View} view @param {Group[]} groups */
export function reasonList(view, groups) {
	if (!groups.length) return null;
	return h(
		"ul",
		{ key: "reasons", class: "reasons", "aria-label": t("lane.reasons") },
		groups.map((group, i) => {
			const picked = group.key === view.options.reason;
			const first = groups[i - 1]?.plugin !== group.plugin;
			return h(
				"li",
				{ key: group.key, class: first ? "first" : "" },
				h(
					"button",
					{
						type: "button",
						"aria-pressed": String(picked),
						title: group.plugin,
						on: { click: () => view.act.set({ reason: picked ? "" : group.key }) },
					},
					h("span", null, first && h("b", null, question(group.plugin), " "), group.words),
					h("em", null, count(group.nodes.length)),
				),
				picked && h("p", null, names(view, group.nodes)),
			);
		}),
	);
}

/** @param {View} view @param {string[]} nodes */
function names(view, nodes) {
	const shown = nodes.slice(0, NAMED);
	return [
		shown.map((name, i) => [
			h(
				"span",
				{ key: name },
				h(
					"button",
					{ type: "button", class: "link", on: { click: () => view.act.select({ kind: "node", name }) } },
					name,
				),
				i + 1 < nodes.length && t("list.comma").trim(),
			),
			" ",
		]),
		nodes.length > NAMED && t("list.more", { n: nodes.length - NAMED }),
	];
}
