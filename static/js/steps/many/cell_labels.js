// @ts-check
/** Words beside cells of the canvas, none over another. */

/** @typedef {{left: number, right: number, top: number}} Label */

const LINE = 20;

/**
 * What writes beside the cell at an index: after it (1), or before and above it (-1); lower where something is written
 * already.
 * @param {CanvasRenderingContext2D} pen
 * @param {Record<string, string>} ink
 * @param {{columns: number, size: number, width: number, scale: number}} grid
 */
export function writer(pen, ink, { columns, size, width, scale }) {
	/** @type {Label[]} */
	const taken = [];
	const unit = 1 / scale;
	return (/** @type {number} */ at, /** @type {string} */ text, /** @type {1 | -1} */ side) => {
		const x = (at % columns) * size;
		const y = Math.floor(at / columns) * size;
		pen.font = `650 ${13.5 * unit}px "Source Sans 3", system-ui, sans-serif`;
		const wide = pen.measureText(text).width + 12 * unit;
		const after = x + size + 6 * unit;
		const beside = after + wide > width ? x - wide - 6 * unit : after;
		const left = Math.max(0, side < 0 ? Math.min(x - wide, width - wide) : beside);
		const near = Math.max(0, side > 0 ? y - 9 * unit + size / 2 : y - LINE * unit);
		const top = freeTop(taken, { left, right: left + wide, top: near }, LINE * unit);
		taken.push({ left, right: left + wide, top });
		pen.fillStyle = ink.panel;
		pen.fillRect(left, top, wide, 18 * unit);
		pen.fillStyle = ink.ink;
		pen.fillText(text, left + 6 * unit, top + 13.5 * unit);
	};
}

/**
 * The first height, downwards from its own, at which a label is over none that is there.
 * @param {Label[]} taken
 * @param {Label} label
 * @param {number} line
 */
export function freeTop(taken, { left, right, top }, line) {
	const near = taken.filter((one) => one.left < right && left < one.right).sort((a, b) => a.top - b.top);
	return near.reduce((found, one) => (Math.abs(one.top - found) < line ? one.top + line : found), top);
}
