// @ts-check
/** The verdicts of Filter in this cycle, by node: read from the NodesFiltered event, decoded once. */

import { has, hasAny, t } from "../../shared/i18n.js";
import { shortPod } from "../../shared/names.js";
import { inOneUnit, quantity, short } from "../../shared/units.js";
import { decodeColumn } from "../../trace/feed.js";
import { allocatable, free, request, resourceOf, scarcest } from "../../trace/room.js";
import { currentPlugin, passWords, plainReason, stopWords } from "../parts/words.js";
import { comparesRoom, lacksRoom } from "./fit.js";

const MAX_NODE_FRAMES = 40;

/** @type {WeakMap<object, Filtered>} */
const cache = new WeakMap();

/** The `stop` of a node that no plugin rejected: beyond every index. */
export const PASSED = 1000;

/** The verdicts of Filter in this cycle; null before Filter. @param {State} state @returns {Filtered | null} */
export function filterModel(state) {
	const event = state.cycle.NodesFiltered;
	if (!event) return null;
	const cached = cache.get(event);
	if (cached) return cached;
	const model = decodeVerdicts(event, state.order);
	cache.set(event, model);
	return model;
}

/** The filters in order: the plugins, then each extender that rejected a node. @param {NodesFiltered} event */
function filterers(event) {
	return event.extenders?.length
		? [...new Set([...event.plugins, ...event.extenders.map(([name]) => name)])]
		: event.plugins;
}

/** Decodes the verdicts of Filter. @param {NodesFiltered} event @param {string[]} order @returns {Filtered} */
function decodeVerdicts(event, order) {
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
		if (!verdict) return at.set(name, { stop: PASSED, verdict });
		const [first, ...others] = rejectingPlugins(verdict.plugin, plugins);
		const stop = plugins.indexOf(first);
		const split = others.length ? { ...verdict, plugin: first, others } : verdict;
		return at.set(name, { stop: stop < 0 ? event.plugins.length - 1 : stop, verdict: split });
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
		every: [...at.values()].some(({ verdict }) => verdict?.others),
	};
}

/**
 * The plugins that a verdict names: several in releases that check every predicate.
 * @param {string} named @param {string[]} plugins
 */
function rejectingPlugins(named, plugins) {
	return plugins.includes(named) ? [named] : named.split(",");
}

/** The names of the evaluated nodes, in search order. @param {NodesFiltered} event @param {string[]} order */
function evaluatedNames(event, order) {
	if (event.rows !== undefined && event.rows !== null) {
		return [...decodeColumn(event.rows, event.evaluated)].map((row) => order[row]);
	}
	return Array.from({ length: event.evaluated }, (_, i) => order[(event.start + i) % order.length]);
}

/** Nodes that the plugin `k` rejects, in search order. @param {Filtered} model @param {number} k */
export function stoppedBy(model, k) {
	const plugin = model.plugins[k];
	const failsToo = (/** @type {string} */ name) => model.at.get(name)?.verdict?.others?.includes(plugin);
	return model.names.filter((name) => model.at.get(name)?.stop === k || failsToo(name));
}

/**
 * The only node that the frame's plugin rejects, if its headline has the engine's numbers; otherwise null.
 * @param {AnyEvent} event @param {State} state @param {number} frame @param {FilterOrder} order
 */
export function stoppedAlone(event, state, frame, order) {
	const model = event.type === "NodesFiltered" && order === "plugin" && filterModel(state);
	if (!model || !hasAny(`fact.${model.plugins[frame]}.`)) return null;
	const stopped = stoppedBy(model, frame);
	return stopped.length === 1 ? stopped[0] : null;
}

/**
 * The number of frames of Filter: plugin by plugin, or node by node.
 * @param {NodesFiltered} event @param {"plugin" | "node"} order
 */
export function filterFrames(event, order) {
	return Math.max(1, order === "node" ? nodeFrames(event) : pluginFrames(event));
}

/**
 * The number of frames plugin by plugin: those after the plugin that rejects the last node are left out.
 * @param {NodesFiltered} event
 */
function pluginFrames(event) {
	const names = filterers(event);
	if (event.feasible !== 0) return names.length;
	return (
		1 +
		Math.max(
			-1,
			...event.verdicts.flatMap(({ plugin }) => rejectingPlugins(plugin, names).map((name) => names.indexOf(name))),
			...(event.extenders ?? []).map(([name]) => names.indexOf(name)),
		)
	);
}

/**
 * The number of frames node by node: one per node, or per group of nodes if there are many.
 * @param {NodesFiltered} event
 */
function nodeFrames(event) {
	return Math.min(MAX_NODE_FRAMES, event.evaluated + (event.nominated_first ? 1 : 0));
}

/**
 * The number of nodes seen up to and including this frame.
 * @param {NodesFiltered} event @param {number} frame
 */
export function nodesSeen(event, frame) {
	const all = event.evaluated + (event.nominated_first ? 1 : 0);
	return Math.ceil(((frame + 1) * all) / Math.max(1, nodeFrames(event)));
}

/**
 * Whether the plugin rejects cordoned nodes, which it does if there is a caption for pods that tolerate them.
 * @param {string} plugin
 */
export function rejectsCordoned(plugin) {
	return has(`filter.${currentPlugin(plugin)}.tolerated`);
}

const LONGEST_FACT = 26; // letters

/**
 * What a plugin found on a node that passed, in a few words; "" if that is not known, or too long for a lane.
 * @param {View} view
 * @param {string} name
 * @param {string} plugin
 */
export function passedText({ state, subject, explainer }, name, plugin) {
	const node = state.nodes.get(name);
	if (!node) return "";
	if (rejectsCordoned(plugin)) return t(node.summary.unschedulable ? "lane.tolerated" : "lane.open");
	if (has(`pass.${plugin}`)) return t(`pass.${plugin}`);
	if (comparesTaints(plugin)) return passedTaints(node.summary.taints ?? []);
	if (comparesRoom(plugin)) {
		const resource = scarcest(state, name, subject);
		const need = request(state, subject, resource);
		const { texts, unit } = inOneUnit(resource, [need, free(state, name, resource, subject)]);
		return `${texts.join(" ≤ ")}${unit && ` ${unit}`}`;
	}
	const text = passWords((explainer.filter(state.attempt, name, plugin)?.facts ?? []).filter((fact) => fact.holds));
	return text.length <= LONGEST_FACT ? text : "";
}

/**
 * The reason why a node was rejected: the bold part and the rest.
 * @param {View} view @param {string} name @param {Verdict} verdict @returns {[string, string]}
 */
export function stoppedText(view, name, verdict) {
	const { state, subject, explainer } = view;
	const reason = verdict.reasons[0] ?? "";
	const node = state.nodes.get(name);
	if (node && lacksRoom(verdict)) {
		const resource = resourceOf(reason);
		if (resource === "pods") return [t("lane.full", { n: allocatable(node, resource) }), t("lane.full.rest")];
		const need = request(state, subject, resource);
		const left = Math.max(0, free(state, name, resource, subject));
		const never = need > allocatable(node, resource);
		const { texts, unit } = inOneUnit(resource, [need, never ? allocatable(node, resource) : left, need - left]);
		const own = unit || short(resource);
		const bold = t(never ? "lane.never" : "lane.needs", {
			need: unit ? texts[0] : `${texts[0]} ${own}`,
			free: unit ? `${texts[1]} ${unit}` : texts[1],
		});
		const more = verdict.reasons.length > 1 ? t("lane.also", { resource: short(resourceOf(verdict.reasons[1])) }) : "";
		return [bold, more || t("lane.short", { gap: `${texts[2]} ${own}` })];
	}
	const facts = explainer.filter(state.attempt, name, verdict.plugin)?.facts?.filter((fact) => !fact.holds) ?? [];
	const words = facts.map((fact) => stopWords(fact, subject)).find(Boolean);
	if (verdict.reasons.length > 1 && comparesRoom(verdict.plugin))
		return [plainReason(reason), verdict.reasons.slice(1).map(plainReason).join(t("list.comma"))];
	const rest = `stop.${verdict.plugin}.rest`;
	return words ?? [plainReason(reason), has(rest) ? t(rest, { pod: shortPod(subject) }) : ""];
}

/** The reason in a few words, for a narrow lane. @param {View} view @param {string} name @param {Verdict} verdict */
export function stoppedShort(view, name, verdict) {
	const { state, subject } = view;
	const reason = verdict.reasons[0] ?? "";
	if (!lacksRoom(verdict)) return stoppedText(view, name, verdict)[0];
	const resource = resourceOf(reason);
	if (resource === "pods") return t("lane.free.pods", { n: Math.max(0, free(state, name, resource, subject)) });
	return t("lane.free", { free: quantity(resource, Math.max(0, free(state, name, resource, subject))) });
}

/** Whether the plugin, or the one that replaced it, is TaintToleration. @param {string} plugin */
function comparesTaints(plugin) {
	return currentPlugin(plugin) === "TaintToleration";
}

/**
 * The taints that did not stop a pod, in words: none, only soft ones, or tolerated.
 * @param {[string, string, string][]} taints
 */
function passedTaints(taints) {
	const soft = taints.filter(([, , effect]) => effect === "PreferNoSchedule");
	if (!taints.length) return t("lane.none");
	return soft.length === taints.length ? t("lane.soft", { taint: soft[0][0] }) : t("lane.tolerated");
}
