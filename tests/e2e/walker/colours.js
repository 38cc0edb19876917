/** Finds texts with too little contrast to their background, in each theme. */

import { lookOf, up } from "./seen.js";

const CONTRAST = { small: 4.5, large: 3 }; // WCAG 2.2, 1.4.3

/** Red, green, blue and opacity, each from 0 to 1. @param {string} colour */
function channels(colour) {
	if (colour === "none") return [0, 0, 0, 0];
	const numbers = (colour.match(/[\d.]+/g) ?? []).map(Number);
	const [r, g, b, a = 1] = colour.startsWith("color(srgb") ? numbers : [...numbers.slice(0, 3).map((n) => n / 255), ...numbers.slice(3)];
	return [r, g, b, a];
}

/** @param {number[]} over @param {number[]} under */
const blend = (over, under) => [0, 1, 2].map((i) => over[i] * over[3] + under[i] * (1 - over[3]));

/** @param {number[]} colour */
function luminance(colour) {
	const [r, g, b] = colour.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** The shapes of a drawing that a text stands on, the topmost first. @param {Element} parent @param {DOMRect} box */
function* shapes(parent, box) {
	const drawing = parent.closest("svg");
	const inverse = drawing?.getScreenCTM()?.inverse();
	if (!drawing || !inverse || !(parent instanceof SVGElement)) return;
	const point = new DOMPoint(box.left + box.width / 2, box.top + box.height / 2).matrixTransform(inverse);
	for (const shape of [...drawing.querySelectorAll("path, rect, polygon, circle")].reverse()) {
		const fill = channels(lookOf(shape).style.fill);
		if (fill[3] && shape.isPointInFill(point)) yield shape;
	}
}

/** The colour behind a text; null if a picture is behind it. @param {Element} parent @param {DOMRect} box */
function behind(parent, box) {
	const layers = [...shapes(parent, box)].map((shape) => channels(lookOf(shape).style.fill));
	for (let one = layers.some((layer) => layer[3] === 1) ? null : parent; one; one = one.parentElement) {
		const { style } = lookOf(one);
		if (style.backgroundImage !== "none") return null;
		const layer = channels(style.backgroundColor);
		if (layer[3]) layers.push(layer);
		if (layer[3] === 1) break;
	}
	return layers.reduceRight((under, over) => blend(over, under), [1, 1, 1]);
}

/** @param {import("./seen.js").Text} text */
function faint({ text, parent, box }) {
	const { style } = lookOf(parent);
	if (!/[\p{L}\p{N}]/u.test(text) || parent.closest("canvas, :disabled, [aria-disabled=true]")) return "";
	const back = behind(parent, box);
	if (!back) return "";
	const ink = channels(parent instanceof SVGElement ? style.fill : style.color);
	for (const one of up(parent)) ink[3] *= Number(lookOf(one).style.opacity);
	const [a, b] = [luminance(back), luminance(blend(ink, back))].sort((x, y) => y - x);
	const ratio = (a + 0.05) / (b + 0.05);
	const size = Number.parseFloat(style.fontSize);
	const large = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700);
	if (ratio >= CONTRAST[large ? "large" : "small"] - 0.05) return "";
	return `"${text.slice(0, 30)}" of .${parent.className?.baseVal ?? parent.className} has a contrast of ${ratio.toFixed(1)}`;
}

/** The classes, states and own colours that determine the colours of a text. @param {import("./seen.js").Text} text */
function kindOf({ parent, box }) {
	const about = (/** @type {Element} */ one) => {
		const states = [...one.attributes].filter(({ name, value }) => /^(aria-(?!value|label|describedby|controls|owns)|data-asked)/.test(name));
		const style = one.getAttribute("style") ?? "";
		return [one.tagName, one.getAttribute("class"), ...states.map(({ name, value }) => name + value), /color|backg|opac/.test(style) && style].join(" ");
	};
	return [...up(parent), ...shapes(parent, box)].map(about).join(" < ");
}

const judged = new Set();

/**
 * Yields the texts with too little contrast. A theme changes only colours, so the same combination of colours is
 * checked once per theme.
 * @param {import("./seen.js").Text[]} found @param {string[]} themes
 * @returns {Generator<[string, string]>} kind and what is wrong
 */
export function* coloured(found, themes) {
	const { dataset } = document.documentElement;
	const own = dataset.theme ?? "light";
	const fresh = found.filter((one) => {
		const kind = kindOf(one);
		return !judged.has(kind) && judged.add(kind);
	});
	if (!fresh.length) return;
	for (const theme of [...themes.filter((one) => one !== own), own]) {
		dataset.theme = theme;
		for (const one of fresh) {
			const pale = faint(one);
			if (pale) yield ["faint", `${theme}: ${pale}`];
		}
	}
}
