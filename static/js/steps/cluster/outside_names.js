// @ts-check
/** Names of pods whose blocks are too narrow for them: under the bar, each on a line down from its block. */

import { h } from "../../shared/dom.js";
import { podName } from "../../shared/units.js";
import { request } from "../../trace/room.js";
import { inOrder } from "../parts/pods.js";

const FONT = 13; // pixels, where nothing is drawn larger
const LETTER = 7.4; // about
const APART = 8;
const PADDING = 12;
const SIDES = 9;
const TIER = 16;

/** @typedef {{key: string, wide: number, middle: number}} Name in pixels */

/**
 * What is written in a pod's block: its name, or shortened, or nothing; and the others' names, to stand under the bar.
 * @param {View} view @param {NodeState} node @param {string} resource @param {string[]} held
 * @param {{width: number, tiers: number, scale: number}} size the bar's pixels, rows, how large letters are
 */
export function namesOf(view, node, resource, held, { width: pixels, tiers, scale }) {
	const width = pixels / scale; // as if letters were small
	const keys = [...inOrder(view.state, node), ...held];
	const asked = keys.map((key) => request(view.state, key, resource));
	const sum = asked.reduce((a, b) => a + b, 0);
	const whole = Math.max(1, node.summary.allocatable[resource] ?? 1, sum);
	let at = 0;
	const names = keys.map((key, i) => {
		const block = (asked[i] / whole) * width;
		at += block;
		return { key, block, wide: podName(key).length * LETTER, middle: at - block / 2 };
	});
	const narrow = names.filter(({ block, wide }) => block < wide + PADDING);
	const below = placed(narrow, width, tiers);
	const inside = (/** @type {string} */ key) => {
		const one = names.find((name) => name.key === key);
		if (!one || below.some((name) => name.key === key)) return "";
		if (!narrow.includes(one)) return podName(key);
		const few = abbreviated(podName(key));
		const wide = /[mwMW]/.test(few) ? LETTER / 2 : 0;
		return few.length * LETTER + wide + SIDES <= one.block ? few : "";
	};
	return { inside, under: under(view, below, width) };
}

/** "m-1" for mail-1: what tells the pods of a workload apart stands at the end. @param {string} name */
function abbreviated(name) {
	const at = name.lastIndexOf("-");
	return at > 0 ? `${name[0]}${name.slice(at)}` : name;
}

/**
 * From the right to the left, each as high as it can, so that no line crosses a name.
 * @param {Name[]} names @param {number} width @param {number} tiers
 */
function placed(names, width, tiers) {
	/** @type {number[]} the left end of what stands in each tier */
	const ends = Array(tiers).fill(width + APART);
	return [...names].reverse().flatMap((name) => {
		const left = Math.max(0, Math.min(name.middle, width - name.wide));
		const tier = ends.findIndex((end) => left + name.wide + APART <= end);
		for (let above = 0; above <= tier; above += 1) ends[above] = Math.min(ends[above], left, name.middle);
		return tier < 0 ? [] : [{ ...name, left, tier }];
	});
}

/** @param {View} view @param {(Name & {left: number, tier: number})[]} names @param {number} width */
function under({ hero, act }, names, width) {
	const share = (/** @type {number} */ pixels) => `${(pixels / width) * 100}%`;
	const rows = Math.max(-1, ...names.map((one) => one.tier)) + 1;
	const name = (/** @type {typeof names[0]} */ { key, left, tier, middle }) => {
		const click = () => act.select({ kind: "pod", name: key });
		const style = { left: share(left), top: `${(tier * TIER + 4) / FONT}em` };
		return [
			h("i", { key: `l${key}`, style: { left: share(middle), height: `${(tier * TIER + 5) / FONT}em` } }),
			h("button", { key, type: "button", class: key === hero ? "mine" : "", style, on: { click } }, podName(key)),
		];
	};
	const style = { height: `${(rows * TIER + 4) / FONT}em` };
	return rows > 0 && h("div", { key: "names", class: "outside-names", style }, names.map(name));
}
