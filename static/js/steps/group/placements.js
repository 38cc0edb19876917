// @ts-check
/**
 * Placements beside each other: each with its nodes, how many members would have one there, its score; one is taken.
 */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { quorum } from "./frame.js";
import { nodeBox } from "./nodes.js";

/** @typedef {import("./model.js").Gang} Gang */
/**
 * @typedef {object} Column
 * @property {string} name @property {string[]} nodes
 * @property {"ahead" | "now" | "holds" | "few"} standing
 * @property {boolean} chosen @property {import("../../trace/trace").PlacementScore | undefined} score
 * @property {import("../../trace/trace").PodGroupEvaluated | undefined} run
 */

const GATE = "TopologyAwareWorkloadScheduling";
const MOST = 6;
const MOST_NODES = 4; // of one placement

/**
 * Those that were tried, the one under way, and those to come.
 * @param {Gang} gang @param {State} state @returns {Column[]}
 */
export function placements({ cycle }, state) {
	const key = cycle?.started.topology_key;
	if (!cycle || !key || !state.feature_gates[GATE]) return [];
	const { placement: now, runs, scored, decided, started } = cycle;
	const domains = started.scheduled ? new Map() : byValue(state, key);
	const told = [...runs.map((run) => run.placement ?? ""), ...(now ? [now.placement] : [])];
	const whole = now ? domains.size === now.count : !started.scheduled;
	const names = [...new Set([...(whole ? domains.keys() : []), ...told])].filter(Boolean);
	return names.map((name) => {
		const run = runs.find((one) => one.placement === name);
		const current = run ? undefined : now?.placement === name ? now : undefined;
		return {
			name,
			run,
			nodes: run?.nodes ?? current?.nodes ?? domains.get(name) ?? [],
			standing: run ? (run.success || run.waiting_on_preemption ? "holds" : "few") : current ? "now" : "ahead",
			chosen: decided ? decided.outcome === "Scheduled" && decided.placement === name : scored?.chosen === name,
			score: scored?.placements.find((one) => one.placement === name),
		};
	});
}

/** Nodes by the value of a label, in the scheduler's order. @param {State} state @param {string} key */
function byValue({ order, nodes }, key) {
	/** @type {Map<string, string[]>} */
	const out = new Map();
	for (const name of order.length ? order : nodes.keys()) {
		const value = nodes.get(name)?.summary.labels?.[key];
		if (value !== undefined) out.set(value, [...(out.get(value) ?? []), name]);
	}
	return out;
}

/** The current, the chosen and the scored ones are always among them. @param {Column[]} all */
function few(all) {
	if (all.length <= MOST) return all;
	const rank = (/** @type {Column} */ { chosen, standing, score }) =>
		chosen ? 0 : standing === "now" ? 1 : score ? 2 : standing === "holds" ? 3 : standing === "few" ? 4 : 5;
	const kept = new Set([...all].sort((a, b) => rank(a) - rank(b)).slice(0, MOST));
	return all.filter((one) => kept.has(one));
}

/** @param {View} view @param {Gang} gang @param {Column[]} all */
export function columns(view, gang, all) {
	const shown = few(all);
	return h(
		"div",
		{ key: "placements", class: "placements", style: { "--columns": String(shown.length) } },
		shown.map((one) => column(view, gang, one)),
		all.length > shown.length &&
			h("p", { key: "more", class: "placements-more" }, t("list.more", { n: all.length - shown.length })),
	);
}

/** @param {View} view @param {Gang} gang @param {Column} one */
function column(view, gang, one) {
	const { name, nodes, run, standing, chosen, score } = one;
	const held = nodes.filter((node) => has(view, gang, one, node));
	const shown =
		nodes.length > MOST_NODES
			? [...held, ...nodes.filter((node) => !held.includes(node))].slice(
					0,
					Math.max(MOST_NODES, Math.min(held.length, 6)),
				)
			: nodes;
	return h(
		"section",
		{ key: name, class: `placement is-${standing} ${chosen ? "chosen" : ""}` },
		h(
			"h3",
			{ key: "name", title: name },
			h("b", null, chosen ? "★ " : "", name),
			h("span", { class: standing === "few" ? "no" : standing === "holds" ? "yes" : "" }, words(gang, one)),
		),
		h(
			"div",
			{ key: "nodes", class: "placement-nodes" },
			shown.map((node) => nodeBox(view, gang, node, { there: run, carried: chosen })),
			nodes.length > shown.length &&
				h("small", { key: "more" }, t("gang.nodes.more", { n: nodes.length - shown.length })),
		),
		score &&
			h(
				"p",
				{ key: "score", class: "placement-score" },
				h("b", null, t("gang.score", { total: score.total })),
				h(
					"small",
					null,
					Object.entries(score.scores).map(([plugin, points]) => h("span", { key: plugin }, `${plugin} ${points}`)),
				),
			),
	);
}

/** @param {View} view @param {Gang} gang @param {Column} one @param {string} node */
function has({ state }, { key }, { run }, node) {
	if (run?.members.some((member) => member.node === node)) return true;
	return (state.nodes.get(node)?.pods ?? []).some((pod) => state.pods.get(pod)?.summary.pod_group === key);
}

/** @param {Gang} gang @param {Column} one */
function words(gang, { run, standing }) {
	if (standing === "ahead") return t("gang.placement.ahead");
	if (standing === "now") return [quorum(gang), " ", t("gang.placement.now")];
	const n = run?.members.filter(({ node }) => node).length ?? 0;
	return `${standing === "few" ? "✕" : "✓"} ${t("gang.placement.fit", { n, all: run?.members.length ?? 0 })}`;
}
