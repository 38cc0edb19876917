// @ts-check
/** What Filter said in this cycle, by node: read from the NodesFiltered event, decoded once. */

import { decodeColumn } from "../../trace/columns.js";

const MOST_NODE_FRAMES = 40;

/** @type {WeakMap<object, Filtered>} */
const cache = new WeakMap();

/** Index of a plugin that passed nobody on: beyond every plugin. */
export const PASSED = 1000;

/** @param {State} state @returns {Filtered | null} */
export function filtered(state) {
	const event = state.cycle.NodesFiltered;
	if (!event) return null;
	const known = cache.get(event);
	if (known) return known;
	const model = read(event, state.order);
	cache.set(event, model);
	return model;
}

/** Who filters, in order: the plugins, then each extender that turned a node away. @param {NodesFiltered} event */
export function filterers(event) {
	return event.extenders?.length
		? [...new Set([...event.plugins, ...event.extenders.map(([name]) => name)])]
		: event.plugins;
}

/** @param {NodesFiltered} event @param {string[]} order @returns {Filtered} */
function read(event, order) {
	const names = evaluatedNames(event, order);
	const walk = event.nominated_first ? [event.nominated_first, ...names] : names;
	const verdicts = [...decodeColumn(event.verdict, names.length)];
	if (event.nominated_first && !names.includes(event.nominated_first)) {
		names.unshift(event.nominated_first);
		verdicts.unshift(event.nominated_verdict ?? 0);
	}
	const plugins = filterers(event);
	const at = new Map();
	names.forEach((name, i) => {
		const verdict = verdicts[i] ? event.verdicts[verdicts[i] - 1] : null;
		const found = verdict ? plugins.indexOf(verdict.plugin) : PASSED;
		at.set(name, { stop: found < 0 ? event.plugins.length - 1 : found, verdict });
	});
	for (const [plugin, name, reason] of event.extenders ?? []) {
		at.set(name, { stop: plugins.indexOf(plugin), verdict: { plugin, code: "Unschedulable", reasons: [reason] } });
	}
	const left = plugins.map((_, k) => names.filter((name) => at.get(name).stop > k).length);
	const feasible = names.filter((name) => at.get(name).stop === PASSED);
	return {
		plugins,
		names,
		walk,
		at,
		feasible,
		left,
		total: event.total,
		evaluated: names.length,
		toFind: event.nodes_to_find,
		start: event.start,
		twoPasses: event.two_passes ?? [],
		nominatedFirst: event.nominated_first ?? null,
		hinted: event.hinted ?? false,
	};
}

/** @param {NodesFiltered} event @param {string[]} order */
function evaluatedNames(event, order) {
	if (event.rows !== undefined && event.rows !== null) {
		return [...decodeColumn(event.rows, event.evaluated)].map((row) => order[row]);
	}
	return Array.from({ length: event.evaluated }, (_, i) => order[(event.start + i) % order.length]);
}

/** Nodes that the plugin `k` stopped, in search order. @param {Filtered} model @param {number} k */
export function stoppedBy(model, k) {
	return model.names.filter((name) => model.at.get(name)?.stop === k);
}

/**
 * The node that a plugin stops alone: its headline has the engine's numbers.
 * @param {AnyEvent} event @param {State} state @param {number} frame @param {FilterOrder} order
 */
export function stoppedAlone(event, state, frame, order) {
	const model = event.type === "NodesFiltered" && order === "plugin" && filtered(state);
	if (!model || /^Node(ResourcesFit|Unschedulable|Name)$/.test(model.plugins[frame])) return null;
	const stopped = stoppedBy(model, frame);
	return stopped.length === 1 ? stopped[0] : null;
}

/**
 * Frames of Filter: plugin by plugin, or node by node.
 * @param {NodesFiltered} event @param {"plugin" | "node"} order
 */
export function filterFrames(event, order) {
	return Math.max(1, order === "node" ? nodeFrames(event) : pluginFrames(event));
}

/** Frames of Filter plugin by plugin: up to the one that turned the last node away. @param {NodesFiltered} event */
function pluginFrames(event) {
	const names = filterers(event);
	if (event.feasible !== 0) return names.length;
	return (
		1 +
		Math.max(
			-1,
			...event.verdicts.map(({ plugin }) => names.indexOf(plugin)),
			...(event.extenders ?? []).map(([name]) => names.indexOf(name)),
		)
	);
}

/** Frames of Filter node by node: one each, or equal helpings where there are many. @param {NodesFiltered} event */
function nodeFrames(event) {
	return Math.min(MOST_NODE_FRAMES, event.evaluated + (event.nominated_first ? 1 : 0));
}

/**
 * Nodes seen up to and with this frame, in the order of the search.
 * @param {NodesFiltered} event @param {number} frame
 */
export function nodesSeen(event, frame) {
	const all = event.evaluated + (event.nominated_first ? 1 : 0);
	return Math.ceil(((frame + 1) * all) / Math.max(1, nodeFrames(event)));
}
