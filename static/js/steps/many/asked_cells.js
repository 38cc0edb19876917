// @ts-check
/** What a "what if" changes, on cells: nodes that would fit are framed, those that would not are framed in dashes. */

/** @typedef {import("../../ask/on_stage.js").Marks} Marks */

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Record<string, string>} ink
 * @param {{order: string[], columns: number, size: number, scale: number}} grid
 * @param {Marks} marks
 */
export function drawMarks(pen, ink, { order, columns, size, scale }, marks) {
	const paths = { gained: new Path2D(), lost: new Path2D() };
	order.forEach((name, i) => {
		const mark = marks.get(name);
		if (!mark) return;
		const inset = Math.min(2, size / 8);
		const path = mark === "lost" ? paths.lost : paths.gained;
		path.rect((i % columns) * size + inset, Math.floor(i / columns) * size + inset, size - 2 * inset, size - 2 * inset);
	});
	const width = Math.max(1.5 / scale, Math.min(3, size / 7));
	pen.save();
	pen.globalAlpha = 0.75;
	pen.fillStyle = ink.hero;
	pen.fill(paths.gained);
	pen.globalAlpha = 1;
	pen.lineWidth = width;
	pen.strokeStyle = ink.edge;
	pen.stroke(paths.gained);
	pen.strokeStyle = ink.no;
	pen.setLineDash([Math.max(2, size / 5), Math.max(1.5, size / 7)]);
	pen.stroke(paths.lost);
	pen.restore();
}
