// @ts-check
/** Finds the rows of the stage and the items of the queue for things that are drawn over them. */

const GAP = 8; // pixels beside the stage
export const SIZE = 44; // pixels of a button, large enough for a thumb

const ROWS = ":is([data-node], [data-pod], [data-fly])";
const DRAWN = `#stage .scene:not([hidden]) ${ROWS}, #queue ${ROWS}`;

/**
 * The bounding box of each option's row on the stage, or of its item in the queue; null for an option that has none.
 * The page is searched once for all of them: a stage with 100 nodes and a long queue has thousands of elements.
 * @param {HTMLElement} root
 * @param {{key: string, kind: string}[]} options
 * @returns {(DOMRect | null)[]}
 */
export function rowsOf(root, options) {
	/** @type {Map<string, Element[]>} */
	const drawn = new Map(); // by kind and name
	const put = (/** @type {string} */ kind, /** @type {string | undefined} */ name, /** @type {Element} */ element) => {
		if (name === undefined) return;
		const key = `${kind} ${name}`;
		drawn.set(key, [...(drawn.get(key) ?? []), element]);
	};
	for (const element of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(DRAWN))) {
		const { node, pod, fly } = element.dataset;
		put("node", node, element);
		put(element.classList.contains("victim") ? "victim" : "pod", pod, element);
		put("fly", fly, element);
	}
	return options.map(({ key, kind }) => {
		const kinds = kind === "node" ? ["node"] : kind === "pod" ? ["victim", "pod", "fly"] : [];
		const elements = kinds.flatMap((kindOfRow) => drawn.get(`${kindOfRow} ${key}`) ?? []);
		return elements.map((element) => element.getBoundingClientRect()).find((box) => box.width && box.height) ?? null;
	});
}

/**
 * The size of a button on a row: in the queue, where the pods themselves can be clicked, it is not higher than the row.
 * @param {HTMLElement} root @param {DOMRect} box
 */
export function sizeOn(root, box) {
	const stage = root.querySelector("#stage")?.getBoundingClientRect();
	const beside = stage && box.right <= stage.left;
	return beside ? Math.min(SIZE, box.height / (root.currentCSSZoom ?? 1)) : SIZE;
}

/** Whether the answers are in a column beside the stage. @param {HTMLElement} root */
export const answersBeside = (root) => root.classList.contains("beside");

/**
 * The upper left corner of a button at a row's right end, or beside the stage.
 * @param {HTMLElement} root
 * @param {DOMRect} box
 * @param {number} [size] of the button
 * @returns {{left: number, top: number}}
 */
export function cornerOf(root, box, size = SIZE) {
	const frame = root.getBoundingClientRect();
	const zoom = root.currentCSSZoom ?? 1;
	return {
		left: (box.right - frame.left) / zoom + (answersBeside(root) ? GAP : -size),
		top: (box.top - frame.top + box.height / 2) / zoom + root.scrollTop - size / 2,
	};
}
