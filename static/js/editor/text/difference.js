// @ts-check
/** The one change from one text to another: what they begin and end with alike stays, and the cursor with it. */

/** @param {string} before @param {string} after */
export function difference(before, after) {
	const shorter = Math.min(before.length, after.length);
	let from = 0;
	while (from < shorter && before[from] === after[from]) from += 1;
	let same = 0;
	while (same < shorter - from && before[before.length - 1 - same] === after[after.length - 1 - same]) same += 1;
	return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}
