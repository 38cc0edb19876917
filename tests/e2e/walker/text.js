/**
 * Finds text that cannot be read (cut off, or covered by other text), nodes and pods without a name, and parts
 * that stick out of their card.
 */

import { lookOf, scrolledAway, seen, up } from "./seen.js";

const CUT = 2; // pixels that letters may stand out
const ROOMY = 3; // lines
const WRAPPED = 1.4; // times the height: letters alone are up to 1.25 times as high as a line
const READABLE = 26; // pixels of a name that ends in an ellipsis

/** How the text is cut off by an ancestor; "" if it is not. @param {import("./seen.js").Text} one */
function cut({ text, parent, box }) {
	for (const one of up(parent)) {
		const { style, clips, scrolls, box: inside } = lookOf(one);
		if (scrolls) return "";
		if (!clips) continue;
		const beyond = Math.max(inside.left - box.left, box.right - inside.right, inside.top - box.top, box.bottom - inside.bottom);
		if (beyond <= CUT) continue;
		const whole = one.closest("[title]")?.getAttribute("title") || one.querySelector("[title]")?.getAttribute("title");
		const shortened = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
		const hidden = text.slice(Math.floor(text.length * (1 - Math.max(0, box.right - inside.right) / box.width)));
		if (one.closest(".why-stopped") && /\d/.test(hidden)) return `the figure in "${hidden}" is cut off`; // it decides
		const row = one.closest(".heads .why-stopped") && one.closest(".lane"); // with room for a line more
		if (shortened && row && row.clientHeight > ROOMY * Number.parseFloat(style.lineHeight)) return `"${text.slice(0, 40)}" is cut beside an empty line`;
		if (one.closest(".caption :is(.why, .lesson)")) return `the sentence "${text.slice(0, 40)}" is cut by ${Math.round(beyond)} px`;
		if (shortened && whole && inside.width >= READABLE) return "";
		return `"${text.slice(0, 40)}" is cut by ${Math.round(beyond)} px in .${one.className || one.id}`;
	}
	return "";
}

/** @param {DOMRect} a @param {DOMRect} b */
function overlap(a, b) {
	return Math.min(Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
}

/** The part of a box that its ancestors do not clip. @param {Element} parent @param {DOMRect} box */
function left(parent, box) {
	let { left: x, top: y, right, bottom } = box;
	for (const one of up(parent)) {
		const { clips, scrolls, box: inside } = lookOf(one);
		if (!clips && !scrolls) continue;
		[x, y, right, bottom] = [Math.max(x, inside.left), Math.max(y, inside.top), Math.min(right, inside.right), Math.min(bottom, inside.bottom)];
	}
	return new DOMRect(x, y, Math.max(0, right - x), Math.max(0, bottom - y));
}

/** @param {any[]} found texts of one region */
function* overlaps(found) {
	const boxes = found.flatMap(({ text, parent, lines }) => lines.map((box) => ({ text, parent, box: left(parent, box) })));
	boxes.sort((a, b) => a.box.left - b.box.left);
	for (let i = 0; i < boxes.length; i += 1) {
		for (let k = i + 1; k < boxes.length && boxes[k].box.left < boxes[i].box.right; k += 1) {
			const [one, other] = [boxes[i], boxes[k]];
			if (one.parent.contains(other.parent) || other.parent.contains(one.parent)) continue;
			if (overlap(one.box, other.box) > CUT + 1) yield `"${one.text.slice(0, 30)}" and "${other.text.slice(0, 30)}" lie over each other`;
		}
	}
}

/** Whether an opaque element covers the middle of a text. @param {import("./seen.js").Text} text */
function covered({ text, parent, box: whole }) {
	const box = left(parent, whole);
	if (box.width < 1 || box.height < 1) return "";
	const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
	if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) return "";
	const top = document.elementFromPoint(x, y);
	if (!top || top.contains(parent) || parent.contains(top) || top.closest("dialog")) return "";
	if (parent.closest("button")?.contains(top) || leaves(top, box)) return "";
	if (getComputedStyle(top).backgroundColor === "rgba(0, 0, 0, 0)") return "";
	return `"${text.slice(0, 40)}" is covered by .${top.className}`;
}

/**
 * Yields texts that a line crosses, such as the mark of a node's allocatable amount.
 * @param {import("./seen.js").Text[]} found
 */
function* crossed(found) {
	for (const line of document.querySelectorAll(".scene:not([hidden]) :is(.brim, .lead)")) {
		if (!seen(line)) continue;
		const { box: at } = lookOf(line);
		line.style.pointerEvents = "auto"; // or it is no element at a point
		for (const { text, box, parent } of found) {
			if (lookOf(parent).clips && at.left > lookOf(parent).box.right) continue; // its end is not drawn
			if (at.left < box.left || at.right > box.right || at.top > box.top || at.bottom < box.bottom) continue;
			if (document.elementFromPoint(at.left + at.width / 2, box.top + box.height / 2) === line) yield `a line crosses "${text.slice(0, 40)}"`;
		}
		line.style.pointerEvents = "";
	}
}

/** Yields texts of the caption that overlap the header or the rail. @param {import("./seen.js").Text[]} found */
function* beside(found) {
	const above = document.querySelector("body > header.bar")?.getBoundingClientRect().bottom ?? 0;
	const below = document.querySelector("#rail")?.getBoundingClientRect().top ?? innerHeight;
	for (const { text, parent, lines } of found)
		if (lines.map((box) => left(parent, box)).some(({ top, bottom, height }) => height && (top < above - CUT || bottom > below + CUT))) yield `"${text.slice(0, 40)}" stands over the header or the rail`;
}

/** Whether a text that was shortened with "…" is cut off again by an ancestor. @param {import("./seen.js").Text} one */
function cutTwice({ text, parent }) {
	if (/[a-z-]…\s*…|\.{3,}\s*…|…\.{2,}|\.{4,}/.test(text)) return true;
	const { style, clips } = lookOf(parent);
	return text.includes("…") && clips && style.textOverflow === "ellipsis" && parent.scrollWidth > parent.clientWidth + CUT;
}

/**
 * Yields names and priorities in blocks whose second line, which should wrap out of sight, is partly seen. The digits of
 * a priority are generated content, of which only the height is known.
 */
function* wrapped() {
	for (const one of document.querySelectorAll(".scene:not([hidden]) .block :is(b, .pips[data-priority])")) {
		const { clientHeight: high, scrollHeight: whole } = one;
		if (whole > WRAPPED * high && whole < 2 * high - CUT && seen(one)) yield `a second line is partly seen in "${one.closest(".block")?.textContent}"`;
	}
}

const MOST_LINES = 2; // of a headline

/** @param {Element} headline */
function linesOf(headline) {
	return Math.round(headline.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(headline).lineHeight));
}

/**
 * Whether scrolling moves the box out from under a bar that is fixed at the lower edge.
 * @param {Element} top
 * @param {DOMRect} box
 */
function leaves(top, box) {
	const page = document.getElementById("player");
	const bar = [...up(top)].find((one) => /fixed|sticky/.test(lookOf(one).style.position));
	return bar && page && box.bottom - (page.scrollHeight - page.clientHeight - page.scrollTop) <= lookOf(bar).box.top;
}

/**
 * @param {string} region @param {import("./seen.js").Text[]} found what stands in it
 * @returns {Generator<[string, string]>} kind and what is wrong
 */
export function* unreadable(region, found) {
	for (const one of found) {
		const clipped = cut(one);
		if (clipped) yield ["clipped", `${region}: ${clipped}`];
		if (cutTwice(one)) yield ["ellipsis", `${region}: "${one.text.slice(0, 60)}" is cut off twice`];
		const under = !clipped && region === "#stage" && covered(one);
		if (under) yield ["covered", `${region}: ${under}`];
	}
	const headline = region === "#caption" && innerWidth > 700 && document.querySelector("#caption h1");
	if (headline && linesOf(headline) > MOST_LINES) yield ["lines", `the headline "${headline.textContent.slice(0, 60)}" has ${linesOf(headline)} lines`];
	if (region === "#caption") for (const one of beside(found)) yield ["overlap", `${region}: ${one}`];
	for (const one of overlaps(found)) yield ["overlap", `${region}: ${one}`];
	if (region !== "#stage") return;
	for (const one of crossed(found)) yield ["covered", `${region}: ${one}`];
	for (const one of wrapped()) yield ["clipped", `${region}: ${one}`];
}

const WORD = /[\p{Script=Latin}\p{N}]{2,}/gu;

/** Yields words that are broken across two lines. @param {import("./seen.js").Text[]} found */
export function* broken(found) {
	const range = document.createRange();
	for (const { node, parent, lines } of found) {
		if (lines.length < 2 || lookOf(parent).style.whiteSpace.startsWith("pre") || parent.closest(".letters")) continue; // code, a row of letters
		for (const { 0: word, index } of (node.nodeValue ?? "").matchAll(WORD)) {
			range.setStart(node, index);
			range.setEnd(node, index + word.length);
			const [first, ...others] = range.getClientRects();
			if (others.some(({ top }) => top >= first.bottom - CUT)) yield `"${word}" is broken in .${parent.className || parent.tagName}`;
		}
	}
}

const NAMED = { ".candidate-column": "h3 button", ".node-card": ".node-name", ".lanes:not(.thin) .lane": ".node-name", ".queue-pod": "span", ".gang-member": "span", ".placement h3": "b" };

/** Yields shapes of nodes and pods without a name. @returns {Generator<[string, string]>} */
export function* nameless() {
	for (const [selector, name] of Object.entries(NAMED)) {
		for (const one of document.querySelectorAll(`.scene:not([hidden]) ${selector}`)) {
			const box = one.querySelector(name)?.getBoundingClientRect();
			if (seen(one) && !(box && box.height >= 10 && box.width >= 8)) yield ["nameless", `.${one.className} shows no name`];
		}
	}
}

const CARDS = ".gang-frame, .gang-ribbon, .placement, .victim-set, .node-card, .candidate-column, .binding li, .queue-item, .filter-result, .criterion, .subject";

/** Yields parts that stick out of their card. @returns {Generator<[string, string]>} */
export function* outside() {
	for (const card of document.querySelectorAll(`#player :is(${CARDS})`)) {
		if (!seen(card)) continue;
		const { box } = lookOf(card);
		if (scrolledAway(card, box)) continue;
		for (const part of card.querySelectorAll("*")) {
			const own = part.getBoundingClientRect();
			if (own.width < 1 || own.height < 1 || !seen(part) || part.closest("[data-outside]")) continue;
			const beyond = Math.max(box.left - own.left, own.right - box.right, box.top - own.top, own.bottom - box.bottom);
			if (beyond > CUT + 1 && !clippedAway(part, card))
				yield ["outside", `.${part.className || part.tagName} stands ${Math.round(beyond)} px out of .${card.className}`];
		}
	}
}

/** @param {Element} part @param {Element} card */
function clippedAway(part, card) {
	for (let one = part.parentElement; one && card.contains(one); one = one.parentElement) {
		const { clips, scrolls } = lookOf(one);
		if (clips || scrolls) return true;
	}
	return false;
}
