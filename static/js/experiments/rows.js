// @ts-check
/** The loaded results by run, and the values that the table and the drawing show. */

/**
 * @typedef {{run: number, measures: (number | null)[] | null, error: string}} Result
 * @typedef {{name: string, labels: string[]}} Factor
 * @typedef {{run: number, level: number, value: number}} Point a run's level of the factor, and its measure
 * @typedef {{level: string, count: number, least: number, median: number, mean: number, most: number}} Summary
 */

/**
 * The index of a run's level of each factor; the last factor changes fastest from run to run.
 * @param {Factor[]} factors
 * @param {number} run counted from 1
 */
export function levelsOf(factors, run) {
	let rest = run - 1;
	const levels = [];
	for (const { labels } of [...factors].reverse()) {
		levels.unshift(rest % labels.length);
		rest = Math.floor(rest / labels.length);
	}
	return levels;
}

/**
 * The results that have a number for the measure, by run, with the level of one factor.
 * @param {Map<number, Result>} results
 * @param {Factor[]} factors
 * @param {number} factor
 * @param {number} measure
 * @returns {Point[]}
 */
export function pointsOf(results, factors, factor, measure) {
	const points = [];
	for (const { run, measures } of results.values()) {
		const value = measures?.[measure];
		if (typeof value === "number") points.push({ run, level: levelsOf(factors, run)[factor] ?? 0, value });
	}
	return points.sort((a, b) => a.run - b.run);
}

/**
 * The horizontal place of each dot within its level, from -1 to 1. Dots with about the same value are side by side, so
 * that the width shows their number; a single one is in the middle.
 * @param {Point[]} points
 * @param {number} bins the number of parts into which the range of all values is divided
 * @returns {number[]}
 */
export function dotPlaces(points, bins = 48) {
	const values = points.map((point) => point.value);
	const [least, most] = [Math.min(...values), Math.max(...values)];
	const bin = (/** @type {Point} */ point) =>
		`${point.level} ${most > least ? Math.round(((point.value - least) / (most - least)) * bins) : 0}`;
	/** @type {Map<string, number>} */
	const counts = new Map();
	const ranks = points.map((point) => {
		const rank = counts.get(bin(point)) ?? 0;
		counts.set(bin(point), rank + 1);
		return rank;
	});
	const widest = Math.max(...counts.values(), 12);
	return points.map((point, at) => {
		const count = counts.get(bin(point)) ?? 1;
		return (((ranks[at] + 0.5) / count - 0.5) * 1.8 * count) / widest;
	});
}

/**
 * The distribution of the values at each level that has any.
 * @param {Point[]} points @param {string[]} labels @returns {Summary[]}
 */
export function summaryOf(points, labels) {
	/** @type {number[][]} */
	const values = labels.map(() => []);
	for (const { level, value } of points) values[level].push(value);
	return labels.flatMap((level, at) => {
		const sorted = values[at].sort((a, b) => a - b);
		if (!sorted.length) return [];
		const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
		return [
			{
				level,
				count: sorted.length,
				least: sorted[0],
				median: medianOf(sorted),
				mean,
				most: sorted[sorted.length - 1],
			},
		];
	});
}

/** The median of sorted numbers. @param {number[]} sorted */
function medianOf(sorted) {
	const half = sorted.length >> 1;
	return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/**
 * The reasons of runs without measures, each with the number of runs, the most frequent first.
 * @param {Map<number, Result>} results
 */
export function reasonsOf(results) {
	/** @type {Map<string, number>} */
	const counts = new Map();
	for (const { measures, error } of results.values()) if (!measures) counts.set(error, (counts.get(error) ?? 0) + 1);
	return [...counts].sort((a, b) => b[1] - a[1]);
}

/**
 * The factor and the measure to show first: the first factor that varies, and the most interesting measure that
 * differs. `sure`: whether a measure does.
 * @param {Factor[]} factors
 * @param {Map<number, Result>} results
 * @param {string[]} measures
 */
export function firstChoice(factors, results, measures) {
	const factor = factors.findIndex(({ labels }) => labels.length > 1);
	const rows = [...results.values()].map((row) => row.measures).filter((row) => row !== null);
	const preferred = ["evicted", "pending", "cpu_spread", "wait_mean", ...measures].map((name) =>
		measures.indexOf(name),
	);
	const differs = (/** @type {number} */ at) => rows.some((row) => row?.[at] !== rows[0]?.[at]);
	const measure = preferred.find((at) => at >= 0 && differs(at));
	return { factor: Math.max(factor, 0), measure: measure ?? 0, sure: measure !== undefined };
}

const MAX_BARS = 24;
export const MAX_BOXES = 24; // levels; of more, the drawing has dots alone in one field

/** Whether there are at most MAX_BARS runs, and no level has two of them. @param {Point[]} points */
export function isSingle(points) {
	return points.length <= MAX_BARS && new Set(points.map(({ level }) => level)).size === points.length;
}

/**
 * The value of a measure as text, for the drawing and the tables.
 * @param {number} value
 * @param {boolean} share shown in percent
 */
export function formatValue(value, share) {
	if (share) return `${(100 * value).toLocaleString(undefined, { maximumFractionDigits: 1 })}%`;
	return value.toLocaleString(undefined, { maximumFractionDigits: 2 });
}
