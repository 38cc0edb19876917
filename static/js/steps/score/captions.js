// @ts-check
/** Captions of Score and of the choice. */

import { has, list, num, parts, t } from "../../shared/i18n.js";
import { count } from "../../shared/units.js";
import { allocatable, free } from "../../trace/room.js";
import { node, nodes, pod } from "../parts/marks.js";
import { extender, scoreName } from "../parts/plain_words.js";
import { ranking, scores } from "./model.js";

/** @param {Context} context @returns {Partial<Caption>} */
function scoreCaption(context) {
	const model = scores(context.state);
	if (!model) return {};
	return context.frame >= model.plugins.length ? result(context, model) : onePlugin(context, model);
}

/** @param {Context} context @param {Scores} model @returns {Partial<Caption>} */
function onePlugin({ state, frame, hero = "" }, model) {
	const scorer = model.plugins[frame];
	const { plugin, weight, weighted } = scorer;
	const top = Math.max(...weighted);
	const low = Math.min(...weighted);
	const best = model.names.filter((_, i) => weighted[i] === top);
	const worst = model.names.filter((_, i) => weighted[i] === low);
	const values = {
		pod: pod(hero, hero),
		plugin: extender(plugin),
		name: scoreName(plugin),
		nodes: list(nodes(best), 3),
		n: best.length,
		top: num(top, `score:${best[0]}:${plugin}`),
		low: num(low, `score:${worst[0]}:${plugin}`),
		worst: list(nodes(worst), 3),
		k: worst.length,
		gap: num(top - low),
		weight: num(weight),
		normalized: num(scorer.normalized[model.names.indexOf(best[0])]),
		count: num(count(model.names.length)),
		full: num(100 * weight),
	};
	const kind = top === low ? (top ? "same" : "zero") : low === 0 && worst.length < best.length ? "cost" : "best";
	const full =
		plugin === "NodeResourcesFit" &&
		kind === "best" &&
		best.length === 1 &&
		isFullest(state, model, model.names.indexOf(best[0]));
	const key = [`scored.${plugin}.${full ? "full" : kind}`, `scored.any.${kind}`].find(has) ?? "scored.any.best";
	const following = model.plugins[frame + 1];
	return {
		eyebrow: parts("eyebrow.score", { i: frame + 1, n: model.plugins.length, plugin: extender(plugin) }),
		sentence: parts(key, values),
		why: [
			...(has(`scored.${plugin}.why`) ? [...parts(`scored.${plugin}.why`, values), " "] : []),
			...parts(weight === 1 ? "scored.weight.one" : "scored.weight", values),
		],
		next: following
			? parts("next.scorer", { name: scoreName(following.plugin), plugin: extender(following.plugin) })
			: parts("next.total"),
	};
}

/**
 * Which plugin made the difference between two nodes, and by how much.
 * @param {Scores} model
 * @param {number} first
 * @param {number} second
 */
function decider(model, first, second) {
	const gaps = model.plugins.map((one) => one.weighted[first] - one.weighted[second]);
	const best = gaps.indexOf(Math.max(...gaps));
	return { plugin: model.plugins[best]?.plugin ?? "", gap: gaps[best] ?? 0 };
}

/** @param {Context} context @param {Scores} model @returns {Partial<Caption>} */
function result({ state, hero = "" }, model) {
	const rank = ranking(model.totals);
	const [first, second = first] = rank;
	const lead = model.totals[first] - model.totals[second];
	const ties = model.totals.filter((total) => total === model.totals[first]).length;
	const { plugin, gap } = decider(model, first, second);
	const values = {
		pod: pod(hero, hero),
		node: node(model.names[first]),
		total: num(model.totals[first], `total:${model.names[first]}`),
		lead: num(lead, `compare:${model.names[first]}:${model.names[second]}`),
		second: node(model.names[second]),
		n: num(ties),
		count: num(count(model.names.length)),
		plugin: scoreName(plugin),
		gap: num(gap, `score:${model.names[first]}:${plugin}`),
	};
	const fullest = model.names.length > 2 && isFullest(state, model, first);
	return {
		eyebrow: parts("eyebrow.result"),
		sentence: parts(ties > 1 ? "score.tie" : fullest ? "score.wins.fullest" : "score.wins", values),
		why: parts(ties > 1 ? "score.tie.why" : gap > 0 ? "score.decider" : "score.plain", values),
		next: parts("next.HostSelected"),
	};
}

/**
 * Is the node the one with the smallest free share of cpu?
 * @param {State} state
 * @param {Scores} model
 * @param {number} index
 */
function isFullest(state, model, index) {
	const share = (/** @type {string} */ name) => {
		const record = state.nodes.get(name);
		return record ? free(state, name, "cpu") / Math.max(1, allocatable(record, "cpu")) : 1;
	};
	const own = share(model.names[index]);
	return model.names.every((name, i) => i === index || share(name) > own);
}

/** @param {Context} context @returns {Partial<Caption>} */
function hostCaption({ state, event, hero = "" }) {
	const ties = event.ties ?? [];
	const total = state.cycle.NodesFiltered?.total ?? state.nodes.size; // of a group’s placement its own nodes
	const values = {
		pod: pod(hero, hero),
		node: node(event.node),
		total: num(event.score ?? 0, `total:${event.node}`),
		n: num(Math.max(event.tied ?? 1, ties.length)),
		feasible: num(count(event.feasible)),
		evaluated: num(count(event.evaluated)),
		all: num(count(total)),
		nodes: tied(ties, event.tied ?? 1),
	};
	const single = event.score === null || event.score === undefined;
	const sampled = event.evaluated < total && !single;
	const key = single ? singleKey(state, total) : ties.length > 1 ? "host.tie" : sampled ? "host.sampled" : "host.best";
	return {
		eyebrow: parts("eyebrow.host"),
		sentence: parts(key, values),
		why: parts(event.by_heap ? `${key}.heap` : `${key}.why`, values),
		next: parts("next.assume", values),
	};
}

/** Why one node was enough: all were looked at, or not. @param {State} state @param {number} total */
function singleKey({ cycle }, total) {
	const { evaluated = 0, nominated_first: first, feasible } = cycle.NodesFiltered ?? {};
	if (first && cycle.HostSelected?.node === first && evaluated <= 1) return "host.single.nominated";
	if (cycle.PreFilterFinished?.nodes) return "host.single.named";
	return evaluated < total && feasible ? "host.single.found" : "host.single";
}

/** The first of those that tied, and how many more. @param {string[]} ties @param {number} all */
function tied(ties, all) {
	return ties.length >= all && all <= 4
		? list(nodes(ties), 4)
		: list([...nodes(ties.slice(0, 3)), t("list.more", { n: Math.max(all, ties.length) - 3 })]);
}

/** @type {Record<string, (context: Context) => Partial<Caption>>} */
export const CAPTIONS = { ScoresComputed: scoreCaption, HostSelected: hostCaption };
