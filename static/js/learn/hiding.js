// @ts-check
/** A run as far as it may be told: what lies behind a step is there, but says nothing. */

import { RunIndex } from "../trace/run_index.js";

/** @type {{index: RunIndex, next: number, step: number, hidden: RunIndex} | null} */
let last = null;

/**
 * The same columns in the same places, without names and outcomes behind a step.
 * @param {RunIndex} index
 * @param {number} step
 * @returns {RunIndex}
 */
export function hiddenFrom(index, step) {
	if (last?.index === index && last.next === index.next && last.step === step) return last.hidden;
	const hidden = Object.assign(new RunIndex(), index, {
		columns: index.columns.map((column) => hiddenColumn(column, step)),
		moves: hiddenMoves(index, step),
	});
	last = { index, next: index.next, step, hidden };
	return hidden;
}

/** @param {Column} column @param {number} step @returns {Column} */
function hiddenColumn(column, step) {
	if (column.kind === "gap") return { ...column, changes: column.changes.filter((one) => one.step <= step) };
	if (column.end <= step) return column;
	return { ...column, pod: column.step <= step ? column.pod : "", outcome: null, node: "", victims: 0 };
}

/** @param {RunIndex} index @param {number} step */
function hiddenMoves(index, step) {
	const moves = new Map();
	for (const [pod, own] of index.moves) {
		const known = own.filter((move) => move.step <= step);
		if (known.length) moves.set(pod, known);
	}
	return moves;
}
