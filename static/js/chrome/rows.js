// @ts-check
/** Finds the rows of the stage and the items of the queue for things that are drawn over them. */

const GAP = 8; // pixels beside the stage
export const SIZE = 44; // pixels of a button, large enough for a thumb

/**
 * The bounding box of an option's row on the stage, or of its item in the queue; null if there is none.
 * @param {HTMLElement} root
 * @param {{key: string, kind: string}} option
 */
export function rowOf(root, { key, kind }) {
	if (kind !== "node" && kind !== "pod") return null;
	const name = CSS.escape(key);
	const rows =
		kind === "node"
			? [`[data-node="${name}"]`]
			: [`.victim[data-pod="${name}"]`, `[data-pod="${name}"]`, `[data-fly="${name}"]`];
	for (const row of rows) {
		for (const element of root.querySelectorAll(`#stage .scene:not([hidden]) ${row}, #queue ${row}`)) {
			const box = element.getBoundingClientRect();
			if (box.width && box.height) return box;
		}
	}
	return null;
}

/** Whether the answers are in a column beside the stage. @param {HTMLElement} root */
export const standBeside = (root) => root.classList.contains("beside");

/**
 * The upper left corner of a button at a row's right end, or beside the stage.
 * @param {HTMLElement} root
 * @param {DOMRect} box
 * @returns {{left: number, top: number}}
 */
export function cornerOf(root, box) {
	const frame = root.getBoundingClientRect();
	const zoom = root.currentCSSZoom ?? 1;
	return {
		left: (box.right - frame.left) / zoom + (standBeside(root) ? GAP : -SIZE),
		top: (box.top - frame.top + box.height / 2) / zoom + root.scrollTop - SIZE / 2,
	};
}
