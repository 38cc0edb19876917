// @ts-check
/** The scores of this cycle: per plugin raw, normalised and weighted, and the running totals. */

import { decodeColumn } from "../../trace/columns.js";

/** @type {WeakMap<object, Scores>} */
const cache = new WeakMap();

/** @param {State} state @returns {Scores | null} */
export function scores(state) {
	const event = state.cycle.ScoresComputed;
	if (!event) return null;
	const known = cache.get(event);
	if (known) return known;
	const names = [...decodeColumn(event.rows, event.count)].map((row) => state.order[row]);
	const plugins = [...event.plugins, ...(event.extenders ?? [])].map((one) => scorer(one, names.length));
	const model = { names, plugins, totals: [...decodeColumn(event.total, names.length)], skipped: event.skipped ?? [] };
	cache.set(event, model);
	return model;
}

/** @param {import("../../trace/trace").PluginScores} one @param {number} size @returns {Scorer} */
function scorer(one, size) {
	const normalized = [...decodeColumn(one.normalized, size)];
	const raw = one.raw === undefined || one.raw === null ? normalized : [...decodeColumn(one.raw, size)];
	return { plugin: one.plugin, weight: one.weight, raw, normalized, weighted: normalized.map((n) => n * one.weight) };
}

/** Points per node after the first `k` plugins. @param {Scores} model @param {number} k */
export function totalsAfter(model, k) {
	if (k >= model.plugins.length) return model.totals;
	return model.names.map((_, i) => model.plugins.slice(0, k).reduce((sum, one) => sum + one.weighted[i], 0));
}

/** Indexes of the nodes, best first; equal ones in the order found. @param {number[]} totals */
export function ranking(totals) {
	return totals.map((_, i) => i).sort((a, b) => totals[b] - totals[a] || a - b);
}
