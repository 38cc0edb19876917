// @ts-check
/** Names of pods whose blocks are too narrow for them: under the bar, each on a line down from its block. */

import { h } from "../../shared/dom.js";
import { podName } from "../../shared/units.js";
import { request } from "../../trace/room.js";
import { inOrder } from "../parts/pods.js";

const LETTER = 7.4; // pixels, about
const APART = 8;
const PADDING = 12;
const TIER = 16;

/** Does a name stand in a block of so many pixels? @param {string} name @param {number} pixels */
function standsIn(name, pixels) {
	return pixels >= name.length * LETTER + PADDING;
}

/**
 * Where the names stand: from the right to the left, each as high as it can, so that no line crosses a name.
 * @param {{key: string, name: string, middle: number}[]} blocks middles in pixels, from the left to the right
 * @param {number} width of the bar
 * @param {number} most tiers
 */
export function outsideNames(blocks, width, most) {
	/** @type {number[]} the left end of what stands in each tier */
	const ends = Array(most).fill(width + APART);
	/** @type {{key: string, name: string, left: number, line: number, tier: number}[]} */
	const out = [];
	for (const { key, name, middle } of [...blocks].reverse()) {
		const wide = name.length * LETTER;
		const left = Math.max(0, Math.min(middle, width - wide));
		const tier = ends.findIndex((end) => left + wide + APART <= end);
		if (tier < 0) continue;
		for (let above = 0; above <= tier; above += 1) ends[above] = Math.min(ends[above], left, middle);
		out.push({ key, name, left, line: middle, tier });
	}
	return out;
}

/**
 * Which pods of a bar have their name in their block, and the others' names, to stand under it.
 * @param {View} view @param {NodeState} node @param {string} resource @param {string[]} held
 * @param {{width: number, tiers: number}} size of the bar in pixels, and how many rows
 */
export function namesOf(view, node, resource, held, { width, tiers }) {
	const keys = [...inOrder(view.state, node), ...held];
	const asked = keys.map((key) => request(view.state, key, resource));
	const whole = Math.max(
		1,
		node.summary.allocatable[resource] ?? 1,
		asked.reduce((a, b) => a + b, 0),
	);
	let at = 0;
	/** @type {Set<string>} */
	const inside = new Set();
	/** @type {{key: string, name: string, middle: number}[]} */
	const narrow = [];
	keys.forEach((key, i) => {
		const pixels = (asked[i] / whole) * width;
		const name = podName(key);
		if (standsIn(name, pixels)) inside.add(key);
		else narrow.push({ key, name, middle: at + pixels / 2 });
		at += pixels;
	});
	const placed = outsideNames(narrow, width, tiers);
	return {
		inside: (/** @type {string} */ key) => inside.has(key),
		under: placed.length ? under(view, placed, width) : null,
	};
}

/** @param {View} view @param {ReturnType<typeof outsideNames>} placed @param {number} width */
function under({ hero, act }, placed, width) {
	const rows = Math.max(...placed.map((one) => one.tier)) + 1;
	return h(
		"div",
		{ key: "names", class: "outside-names", style: { height: `${rows * TIER + 4}px` } },
		placed.map(({ key, name, left, line, tier }) => [
			h("i", { key: `l${key}`, style: { left: `${(line / width) * 100}%`, height: `${tier * TIER + 5}px` } }),
			h(
				"button",
				{
					key,
					type: "button",
					class: key === hero ? "mine" : "",
					style: { left: `${(left / width) * 100}%`, top: `${tier * TIER + 4}px` },
					on: { click: () => act.select({ kind: "pod", name: key }) },
				},
				name,
			),
		]),
	);
}
