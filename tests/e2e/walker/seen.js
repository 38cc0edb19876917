/**
 * The computed styles and boxes of elements, cached for one picture: reading them costs more than all rules
 * together.
 */

/** @type {Map<Element, {style: CSSStyleDeclaration, clips: boolean, scrolls: boolean, box: DOMRect}>} */
const known = new Map();
/** @type {Map<Element, boolean>} */
const visible = new Map();

/** Clears the cache, since another picture is on the screen. */
export function forget() {
	known.clear();
	visible.clear();
}

/** @param {Element} element */
export function lookOf(element) {
	const before = known.get(element);
	if (before) return before;
	const style = getComputedStyle(element);
	const overflow = style.overflowX + style.overflowY;
	const now = { style, clips: /hidden|clip/.test(overflow), scrolls: /auto|scroll/.test(overflow), box: element.getBoundingClientRect() };
	known.set(element, now);
	return now;
}

/** @param {Element} element */
export function seen(element) {
	const before = visible.get(element);
	if (before !== undefined) return before;
	const now = element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !element.closest(".sr, .off, [hidden]");
	visible.set(element, now);
	return now;
}

/** The element and its ancestors, up to the player. @param {Element | null} element */
export function* up(element) {
	for (let one = element; one && one.id !== "player"; one = one.parentElement) yield one;
}

/** The box of the letters, which is less high than the line. @param {DOMRect} box */
export function letters({ left, top, width, height }) {
	return new DOMRect(left, top + height * 0.22, width, height * 0.56);
}

/** @typedef {{text: string, node: Node, parent: Element, box: DOMRect, lines: DOMRect[]}} Text */

/** @param {Element} region @returns {Generator<Text>} */
export function* texts(region) {
	const walker = document.createTreeWalker(region, NodeFilter.SHOW_TEXT);
	const range = document.createRange();
	for (let node = walker.nextNode(); node; node = walker.nextNode()) {
		const text = (node.nodeValue ?? "").trim();
		const parent = node.parentElement;
		if (!text || !parent || !seen(parent)) continue;
		range.selectNodeContents(node);
		const box = letters(range.getBoundingClientRect());
		if (box.width < 1 || box.height < 1 || scrolledAway(parent, box)) continue;
		yield { text, node, parent, box, lines: [...range.getClientRects()].map(letters) };
	}
}

/**
 * Whether the box is in an element that scrolls, and is scrolled out of view.
 * @param {Element} element
 * @param {DOMRect} box
 */
export function scrolledAway(element, box) {
	for (const one of up(element.parentElement)) {
		const { scrolls, box: inside } = lookOf(one);
		if (scrolls && (box.bottom > inside.bottom + 1 || box.top < inside.top - 1)) return true;
	}
	return false;
}
