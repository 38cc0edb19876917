/** Text that cannot be read: cut off, or with something drawn over it. */

const REGIONS = ["#hero", "#caption", "#next", "#rail", "#queue", "#stage", "#margin", "#transport", "#timeline", "#clock"];
const CUT = 2; // pixels that letters may stand out
const READABLE = 26; // pixels of a name that ends in an ellipsis

/** @param {Element} element */
function seen(element) {
	return element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !element.closest(".sr, .off, [hidden]");
}

/** Where the letters are: their box is higher. @param {DOMRect} box */
function letters({ left, top, width, height }) {
	return new DOMRect(left, top + height * 0.22, width, height * 0.56);
}

/** @param {Element} region */
function* texts(region) {
	const walker = document.createTreeWalker(region, NodeFilter.SHOW_TEXT);
	const range = document.createRange();
	for (let node = walker.nextNode(); node; node = walker.nextNode()) {
		const text = (node.nodeValue ?? "").trim();
		const parent = node.parentElement;
		if (!text || !parent || !seen(parent)) continue;
		range.selectNodeContents(node);
		const box = letters(range.getBoundingClientRect());
		if (box.width < 1 || box.height < 1) continue;
		yield { text, parent, box, lines: [...range.getClientRects()].map(letters) };
	}
}

/** How it is cut off by what it stands in; "" when it is not. */
function cut({ text, parent, box }) {
	for (let one = parent; one && one.id !== "player"; one = one.parentElement) {
		const style = getComputedStyle(one);
		if (/auto|scroll/.test(style.overflow + style.overflowX + style.overflowY)) return "";
		if (!/hidden|clip/.test(style.overflow + style.overflowX + style.overflowY)) continue;
		const inside = one.getBoundingClientRect();
		const beyond = Math.max(inside.left - box.left, box.right - inside.right, inside.top - box.top, box.bottom - inside.bottom);
		if (beyond <= CUT) continue;
		const whole = one.closest("[title]")?.getAttribute("title") || one.querySelector("[title]")?.getAttribute("title");
		const shortened = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
		if (shortened && whole && inside.width >= READABLE) return "";
		return `"${text.slice(0, 40)}" is cut by ${Math.round(beyond)} px in .${one.className || one.id}`;
	}
	return "";
}

/** @param {DOMRect} a @param {DOMRect} b */
function overlap(a, b) {
	return Math.min(Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
}

/** What is left of a box in what clips it. @param {Element} parent @param {DOMRect} box */
function left(parent, box) {
	let { left: x, top: y, right, bottom } = box;
	for (let one = parent; one && one.id !== "player"; one = one.parentElement) {
		if (getComputedStyle(one).overflow === "visible") continue;
		const inside = one.getBoundingClientRect();
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

/** Something opaque lies over the middle of a text. */
function covered({ text, parent, box }) {
	const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
	if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) return "";
	const top = document.elementFromPoint(x, y);
	if (!top || top.contains(parent) || parent.contains(top) || top.closest("dialog")) return "";
	if (parent.closest("button")?.contains(top)) return "";
	if (getComputedStyle(top).backgroundColor === "rgba(0, 0, 0, 0)") return "";
	return `"${text.slice(0, 40)}" is covered by .${top.className}`;
}

/** Inside something that scrolls, and scrolled out of it. @param {Element} element @param {DOMRect} box */
function scrolledAway(element, box) {
	for (let one = element.parentElement; one && one.id !== "player"; one = one.parentElement) {
		if (one.scrollHeight <= one.clientHeight + 1) continue;
		const inside = one.getBoundingClientRect();
		if (box.bottom > inside.bottom + 1 || box.top < inside.top - 1) return true;
	}
	return false;
}

/** @returns {Generator<[string, string]>} kind and what is wrong */
export function* unreadable() {
	for (const selector of REGIONS) {
		const region = document.querySelector(selector);
		if (!region || !seen(region)) continue;
		const found = [...texts(region)].filter(({ parent, box }) => !scrolledAway(parent, box));
		for (const one of found) {
			const clipped = cut(one);
			if (clipped) yield ["clipped", `${selector}: ${clipped}`];
			else if (selector === "#stage") {
				const under = covered(one);
				if (under) yield ["covered", `${selector}: ${under}`];
			}
		}
		for (const one of overlaps(found)) yield ["overlap", `${selector}: ${one}`];
	}
}

const NAMED = { ".tank-column": "h3 button", ".node-card": ".node-name", ".lanes:not(.thin) .lane": ".node-name", ".queue-pod": "span", ".gang-member": "span", ".placement h3": "b" };

/** What stands for a node or a pod has its name on it. @returns {Generator<[string, string]>} */
export function* nameless() {
	for (const [selector, name] of Object.entries(NAMED)) {
		for (const one of document.querySelectorAll(`.scene:not([hidden]) ${selector}`)) {
			const box = one.querySelector(name)?.getBoundingClientRect();
			if (seen(one) && !(box && box.height >= 10 && box.width >= 8)) yield ["nameless", `.${one.className} shows no name`];
		}
	}
}

const CARDS = ".gang-frame, .gang-ribbon, .placement, .victim-set, .node-card, .tank-column, .binding li, .queue-item, .floor, .rung, .hero";

/** Something stands out of the card that it belongs to. @returns {Generator<[string, string]>} */
export function* outside() {
	for (const card of document.querySelectorAll(`#player :is(${CARDS})`)) {
		if (!seen(card)) continue;
		const box = card.getBoundingClientRect();
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
	for (let one = part.parentElement; one && card.contains(one); one = one.parentElement)
		if (getComputedStyle(one).overflow !== "visible") return true;
	return false;
}
