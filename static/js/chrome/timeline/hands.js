// @ts-check
/** What a pointer, two fingers or a wheel do to the timeline: go to a step, zoom, move along. */

import { lastUpTo } from "../../trace/run_index.js";

/**
 * The step at a place on the axis.
 * @param {RunIndex} index
 * @param {number} position
 * @param {number} steps
 */
function stepAt({ columns, edges }, position, steps) {
	const i = lastUpTo(columns.length, (at) => edges[at] <= position);
	const first = columns[i].step;
	const end = columns[i + 1]?.step ?? steps;
	const part = (position - edges[i]) / (edges[i + 1] - edges[i]);
	return Math.max(0, Math.min(steps - 1, Math.floor(first + Math.max(0, Math.min(0.999, part)) * (end - first))));
}

/**
 * Zoom about a place.
 * @param {Timeline} line
 * @param {RunIndex} index
 * @param {number} factor
 * @param {number} about share of the width
 */
export function zoom(line, index, factor, about) {
	const [from, to] = line.range(index);
	const size = Math.min(index.width, Math.max(4, (to - from) * factor));
	line.show(index, from + (to - from) * about - size * about, size);
}

/**
 * Two fingers: what is between them stays between them.
 * @param {Timeline} line
 * @param {Element} target
 * @param {View} view
 * @param {PointerEvent} event
 */
function pinch(line, target, view, event) {
	const apart = () => Math.max(8, Math.abs([...line.fingers.values()].reduce((a, b) => a - b)));
	const before = apart();
	line.fingers.set(event.pointerId, event.clientX);
	const box = target.getBoundingClientRect();
	const middle = [...line.fingers.values()].reduce((a, b) => a + b) / 2;
	zoom(line, view.index, before / apart(), (middle - box.left) / box.width);
	view.act.set({});
}

/** @param {Timeline} line @param {Element} target @param {View} view */
export function handsOn(line, target, view) {
	const go = (/** @type {PointerEvent} */ event) => {
		const box = target.getBoundingClientRect();
		const [from, to] = line.range(view.index);
		view.act.seek(stepAt(view.index, from + ((event.clientX - box.left) / box.width) * (to - from), view.store.steps));
	};
	const lift = (/** @type {PointerEvent} */ event) => {
		line.fingers.delete(event.pointerId);
		line.dragging = false;
	};
	return {
		pointerdown: (/** @type {PointerEvent} */ event) => {
			line.fingers.set(event.pointerId, event.clientX);
			line.dragging = line.fingers.size === 1;
			/** @type {Element} */ (event.currentTarget).setPointerCapture(event.pointerId);
			if (line.dragging) go(event);
		},
		pointermove: (/** @type {PointerEvent} */ event) => {
			if (line.fingers.size === 2) pinch(line, target, view, event);
			else if (line.dragging) go(event);
		},
		pointerup: lift,
		pointercancel: lift,
		dblclick: () => {
			line.window = null;
			view.act.set({});
		},
		wheel: (/** @type {WheelEvent} */ event) => {
			event.preventDefault();
			const box = target.getBoundingClientRect();
			const [from, to] = line.range(view.index);
			if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
				line.show(view.index, from + (event.deltaX / box.width) * (to - from), to - from);
			else zoom(line, view.index, event.deltaY > 0 ? 1.25 : 0.8, (event.clientX - box.left) / box.width);
			view.act.set({});
		},
	};
}
