// @ts-check
/** What a pointer, two fingers or a wheel do to the timeline: go to a step, zoom, move along. */

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
	line.zoom(view.index, before / apart(), (middle - box.left) / box.width);
	view.act.set({});
}

/** @param {Timeline} line @param {Element} target @param {View} view */
export function handsOn(line, target, view) {
	const go = (/** @type {PointerEvent} */ event) => {
		const box = target.getBoundingClientRect();
		const [from, to] = line.range(view.index);
		view.act.seek(view.index.stepAt(from + ((event.clientX - box.left) / box.width) * (to - from), view.store.steps));
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
			else line.zoom(view.index, event.deltaY > 0 ? 1.25 : 0.8, (event.clientX - box.left) / box.width);
			view.act.set({});
		},
	};
}
