// @ts-check
/**
 * Flights: a pod that is drawn somewhere else than before moves there. `remember` before a draw, `fly` after it.
 * Everything else moves by CSS transitions. Nothing moves on a seek, on the first paint, or with reduced motion.
 */

const MOST = 240;
const FLIGHT = 720;
const SLIDE = 320;
const NEAR = 2;
/** @typedef {{box: DOMRect, home: string}} Place */
/** @type {Set<Animation>} */
const running = new Set();
const reduced = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)");

/** Does the reader want motion? */
export function wantsMotion() {
	return !reduced?.matches;
}

/** End what is under way: a seek shows everything where it belongs. */
export function settle() {
	for (const animation of running) animation.cancel();
}

/** @param {Element} element @param {Keyframe[]} frames @param {KeyframeAnimationOptions} timing */
function animate(element, frames, timing) {
	const animation = element.animate(frames, timing);
	running.add(animation);
	const ended = () => void running.delete(animation);
	return animation.finished.then(ended, ended);
}

/** What a pod is drawn in: its node, its part of the queue, the card. @param {Element} element */
function homeOf(element) {
	const home = element.closest("[data-node], .queue-section, #hero");
	return home?.getAttribute("data-node") ?? home?.className ?? home?.id ?? "";
}

/** Where every pod is. @param {Element} root @returns {Map<string, Place> | null} null: too many to follow */
export function remember(root) {
	const marked = root.querySelectorAll(":is([data-fly], [data-fly-from]):not([hidden] *)");
	if (marked.length > MOST) return null;
	const places = new Map();
	for (const element of marked) {
		const key = element.getAttribute("data-fly") ?? element.getAttribute("data-fly-from");
		const box = element.getBoundingClientRect();
		if (key && box.width && !(places.has(key) && element.hasAttribute("data-fly-from")))
			places.set(key, { box, home: homeOf(element) });
	}
	return places;
}

/** @param {Element} root @param {Map<string, Place> | null} before @param {number} speed */
export function fly(root, before, speed) {
	if (!before) return;
	for (const element of root.querySelectorAll("[data-fly]:not([hidden] *)")) {
		const from = before.get(element.getAttribute("data-fly") ?? "");
		const home = homeOf(element);
		if (!from || (from.home === home && element.closest("[data-node]"))) continue; // it stays where it is
		const to = element.getBoundingClientRect();
		const [dx, dy] = [from.box.left - to.left, from.box.top - to.top];
		if (!to.width || (Math.abs(dx) < NEAR && Math.abs(dy) < NEAR)) continue;
		const timing = {
			duration: (from.home === home ? SLIDE : FLIGHT) / Math.max(1, speed),
			easing: "cubic-bezier(.3,0,.1,1)",
		};
		if (from.home === home)
			void animate(element, [{ transform: `translate(${dx}px, ${dy}px)` }, { transform: "none" }], timing);
		else if (!element.closest(".queue-section.binding")) flight(root, element, from.box, to, timing);
	}
}

/**
 * From one home to another a pod flies over everything, as a block of its own; where it lands it shows up at the end.
 * @param {Element} root @param {Element} element @param {DOMRect} from @param {DOMRect} to @param
 *   {KeyframeAnimationOptions} timing
 */
function flight(root, element, from, to, timing) {
	const block = document.createElement("div");
	const look = getComputedStyle(element);
	block.className = "flight";
	block.textContent = (element.getAttribute("data-fly") ?? "").split("/").at(-1) ?? "";
	const empty = look.backgroundColor === "rgba(0, 0, 0, 0)"; // hatched: it is not there for good
	block.style.setProperty("background-color", empty ? "var(--panel)" : look.backgroundColor);
	block.style.setProperty("background-image", look.backgroundImage);
	block.style.setProperty("color", look.color);
	root.append(block);
	const at = (/** @type {DOMRect} */ box) => ({
		left: `${box.left}px`,
		top: `${box.top}px`,
		width: `${box.width}px`,
		height: `${box.height}px`,
	});
	void animate(element, [{ opacity: 0 }, { opacity: 0 }], timing);
	animate(block, [at(from), at(to)], { ...timing, fill: "forwards" }).then(() => block.remove());
}
