// @ts-check
/**
 * The stage for pod groups: the group above, the nodes below. Members are tried one by one and fill the quorum;
 * placements are shown side by side, and after the decision all members move together.
 */

import { button, h, PHONE, patch } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { nodeName, shortPod } from "../../shared/names.js";
import { nameInKey, outOf, rampStyle } from "../../shared/units.js";
import { allocatable, largest, nominatedTo, request, used } from "../../trace/room.js";
import { podLabel, podTitle, scaledBar } from "../parts/pods.js";
import { frame, quorumBar } from "./around.js";
import { gangOf } from "./model.js";

const FEW = 4; // nodes in one row
const MAX_NODES = 12;
const MAX_ON_PHONES = 6;

/** Draws the pod group of the step; nothing if the step is about none. @param {Element} target @param {View} view */
export function draw(target, view) {
	const gang = gangOf(view.event, view.state);
	if (!gang) return patch(target, []);
	const beside = placements(gang, view.state);
	patch(target, [
		h(
			"div",
			{ key: "gang", class: `gang phase-${gang.phase}` },
			frame(view, gang),
			victims(view, gang),
			beside.length > 0 ? columns(view, gang, beside) : nodeBoxes(view, gang),
		),
	]);
}

/** The nodes, with the pods of the group. @param {View} view @param {import("./model.js").Gang} gang */
function nodeBoxes(view, gang) {
	const all = [...view.state.nodes.keys()];
	const shown = mostRelevant(view, gang, all);
	return h(
		"div",
		{ key: "nodes", class: "gang-nodes", style: { "--across": String(columnsFor(shown.length)) } },
		shown.map((name) => nodeBox(view, gang, name)),
		all.length > shown.length &&
			h("p", { key: "more", class: "gang-nodes-more" }, t("gang.nodes.more", { n: all.length - shown.length })),
		!all.length && h("p", { key: "none", class: "empty" }, t("cluster.empty")),
	);
}

/** The number of columns for rows of about the same length. @param {number} n */
function columnsFor(n) {
	return Math.ceil(n / Math.max(1, Math.ceil(n / FEW)));
}

/**
 * All nodes; of too many, the most relevant ones, in their order.
 * @param {View} view @param {import("./model.js").Gang} gang @param {string[]} all
 */
function mostRelevant({ state, width }, { members, cycle, key }, all) {
	const most = width <= PHONE ? MAX_ON_PHONES : MAX_NODES;
	if (all.length <= most) return all;
	const own = new Set(members.map(({ node }) => node));
	const victimNodes = new Set(cycle?.preemption?.victims?.map((pod) => state.pods.get(pod)?.node));
	const near = all.filter((name) => own.has(name) || victimNodes.has(name));
	const grouped = all.filter((name) =>
		state.nodes.get(name)?.pods.some((pod) => state.pods.get(pod)?.summary.pod_group === key),
	);
	const shownNames = new Set([...near, ...grouped, ...all].slice(0, Math.max(most, Math.min(near.length, 2 * most))));
	return all.filter((name) => shownNames.has(name));
}

/** @typedef {import("./model.js").Gang} Gang */
/**
 * @typedef {object} Column
 * @property {string} name @property {string[]} nodes
 * @property {"ahead" | "now" | "holds" | "few"} standing
 * @property {boolean} chosen @property {import("../../trace/trace").PlacementScore | undefined} score
 * @property {import("../../trace/trace").PodGroupEvaluated | undefined} run
 */

const GATE = "TopologyAwareWorkloadScheduling";
const MAX_PLACEMENTS = 6;
const MAX_IN_PLACEMENT = 4; // nodes

/**
 * The columns of the placements: those tried, the current one, and those still to come if all are known; [] without a
 * topology key or with the gate off.
 * @param {Gang} gang @param {State} state @returns {Column[]}
 */
export function placements({ cycle }, state) {
	const key = cycle?.started.topology_key;
	if (!cycle || !key || !state.feature_gates[GATE]) return [];
	const { placement: now, runs, scored, decided, started } = cycle;
	const domains = started.scheduled ? new Map() : nodesByLabel(state, key);
	const seen = [...runs.map((run) => run.placement ?? ""), ...(now ? [now.placement] : [])];
	const knowsAll = now ? domains.size === now.count : !started.scheduled;
	const names = [...new Set([...(knowsAll ? domains.keys() : []), ...seen])].filter(Boolean);
	return names.map((name) => {
		const run = runs.find((candidate) => candidate.placement === name);
		const current = run ? undefined : now?.placement === name ? now : undefined;
		return {
			name,
			run,
			nodes: run?.nodes ?? current?.nodes ?? domains.get(name) ?? [],
			standing: run ? (run.success || run.waiting_on_preemption ? "holds" : "few") : current ? "now" : "ahead",
			chosen: decided ? decided.outcome === "Scheduled" && decided.placement === name : scored?.chosen === name,
			score: scored?.placements.find((placement) => placement.placement === name),
		};
	});
}

/** Nodes by the value of a label, in the scheduler's order. @param {State} state @param {string} key */
function nodesByLabel({ order, nodes }, key) {
	/** @type {Map<string, string[]>} */
	const out = new Map();
	for (const name of order.length ? order : nodes.keys()) {
		const value = nodes.get(name)?.summary.labels?.[key];
		if (value !== undefined) out.set(value, [...(out.get(value) ?? []), name]);
	}
	return out;
}

/** The placements that are shown: first of all the chosen, the current and the scored ones. @param {Column[]} all */
function shownPlacements(all) {
	if (all.length <= MAX_PLACEMENTS) return all;
	const rank = (/** @type {Column} */ { chosen, standing, score }) =>
		[chosen, standing === "now", score, standing === "holds", standing === "few", true].findIndex(Boolean);
	const shown = new Set([...all].sort((a, b) => rank(a) - rank(b)).slice(0, MAX_PLACEMENTS));
	return all.filter((entry) => shown.has(entry));
}

/** The placements side by side. @param {View} view @param {Gang} gang @param {Column[]} all */
export function columns(view, gang, all) {
	const shown = shownPlacements(all);
	return h(
		"div",
		{ key: "placements", class: "placements", style: { "--columns": String(shown.length) } },
		shown.map((entry) => column(view, gang, entry)),
		all.length > shown.length &&
			h("p", { key: "more", class: "placements-more" }, t("list.more", { n: all.length - shown.length })),
	);
}

/** One placement: its nodes, and how many members fit. @param {View} view @param {Gang} gang @param {Column} entry */
function column(view, gang, entry) {
	const { name, nodes, run, standing, chosen, score } = entry;
	const held = nodes.filter((node) => hasMember(view, gang, entry, node));
	const shown =
		nodes.length > MAX_IN_PLACEMENT
			? [...held, ...nodes.filter((node) => !held.includes(node))].slice(
					0,
					Math.max(MAX_IN_PLACEMENT, Math.min(held.length, 6)),
				)
			: nodes;
	return h(
		"section",
		{ key: name, class: `placement is-${standing} ${chosen ? "chosen" : ""}` },
		h(
			"h3",
			{ key: "name", title: name },
			h("b", null, chosen ? "★ " : "", name),
			h("span", { class: standing === "few" ? "no" : standing === "holds" ? "yes" : "" }, resultText(gang, entry)),
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

/**
 * Whether the placement puts a member on the node, or one runs there.
 * @param {View} view @param {Gang} gang @param {Column} entry @param {string} node
 */
function hasMember({ state }, { key }, { run }, node) {
	if (run?.members.some((member) => member.node === node)) return true;
	return (state.nodes.get(node)?.pods ?? []).some((pod) => state.pods.get(pod)?.summary.pod_group === key);
}

/** The result of a placement in words. @param {Gang} gang @param {Column} entry */
function resultText(gang, { run, standing }) {
	if (standing === "ahead") return t("gang.placement.ahead");
	if (standing === "now") return [quorumBar(gang), " ", t("gang.placement.now")];
	const n = run?.members.filter(({ node }) => node).length ?? 0;
	return `${standing === "few" ? "✕" : "✓"} ${t("gang.placement.fit", { n, all: run?.members.length ?? 0 })}`;
}

/**
 * @typedef {object} PlacementShown
 * @property {import("../../trace/trace").PodGroupEvaluated} [there] the result of a try that was undone
 * @property {boolean} [carried] whether the result is being carried out
 */
const LETTERS = 22;

/**
 * The card of a node with the group's members on it; null if the node does not exist at this step.
 * @param {View} view @param {Gang} gang @param {string} name @param {PlacementShown} [placement]
 */
export function nodeBox(view, gang, name, placement = {}) {
	const node = view.state.nodes.get(name);
	if (!node) return null;
	const resource = node.summary.allocatable.cpu ? "cpu" : "memory";
	const room = outOf(resource, used(node, resource), allocatable(node, resource), (part, all) =>
		t("cluster.of", { used: part, all }),
	);
	const mine = Boolean(view.subject) && (node.pods.includes(view.subject) || settledHere(gang, view.subject, name));
	const click = () => view.act.select({ kind: "node", name });
	return h(
		"article",
		{ key: name, class: `node-card gang-node ${mine ? "mine" : ""}`, "data-node": name },
		h(
			"header",
			null,
			button(click, { class: "node-name", title: name }, nodeName(name, LETTERS)),
			h("span", { class: "node-note" }, `${room} ${resource}`),
		),
		bar(view, gang, node, resource, podsBeside(gang, name, view.state, placement)),
	);
}

/**
 * Whether the pod is about to be assumed on this node.
 * @param {Gang} gang @param {string} pod @param {string} name
 */
function settledHere({ members }, pod, name) {
	return members.some((member) => member.pod === pod && member.standing === "goes" && member.node === name);
}

/**
 * The pods that are not on the node yet: on their way, there during the trial, or nominated.
 * @param {Gang} gang @param {string} name @param {State} state @param {PlacementShown} placement
 */
function podsBeside({ members, phase }, name, state, { there, carried }) {
	const away = (/** @type {string} */ pod) => state.pods.get(pod)?.node !== name;
	const settled = phase === "decided" && (carried || !there);
	const goes = settled ? members.filter((member) => member.standing === "goes" && member.node === name) : [];
	const was = settled ? [] : (there?.members.filter((member) => member.node === name && away(member.pod)) ?? []);
	const shownPods = [...goes, ...was].map(({ pod }) => pod);
	const nominated = nominatedTo(state, name).filter((pod) => !shownPods.includes(pod));
	return [
		...goes.map(({ pod }) => ({ pod, flies: true, kind: "held" })),
		...was.map(({ pod }) => ({ pod, flies: false, kind: "held was" })),
		...nominated.map((pod) => ({ pod, flies: false, kind: "held" })),
	];
}

/**
 * Whether a pod is a victim of the group, or already terminating.
 * @param {Gang} gang
 * @param {PodState | undefined} pod
 */
function isLeaving({ cycle }, pod) {
	return pod?.gone_at != null || Boolean(cycle?.preemption?.victims?.includes(pod?.summary.pod ?? ""));
}

/**
 * A node's bar of pods for one resource.
 * @param {View} view @param {Gang} gang @param {NodeState} node @param {string} resource
 * @param {{pod: string, flies: boolean, kind: string}[]} beside
 */
function bar(view, gang, node, resource, beside) {
	const { state, subject, act } = view;
	const whole = Math.max(1, allocatable(node, resource));
	const part = (/** @type {string} */ key) => (request(state, key, resource) / whole) * 100;
	const own = node.pods;
	const requested = [...own, ...beside.map(({ pod }) => pod)].reduce((sum, key) => sum + part(key), 0);
	const scale = 100 / Math.max(100, requested); // all requests fit, even beyond the node's capacity
	const standing = new Map(gang.members.map((member) => [member.pod, member.standing]));
	const block = (/** @type {string} */ key, /** @type {string} */ kind, /** @type {boolean} */ flies) => {
		const mine = subject ? key === subject : standing.has(key);
		return h(
			"i",
			{
				key,
				class: `block ${kind} ${mine ? "mine" : ""} ${standing.has(key) ? "member" : ""}`,
				title: podTitle(state, key),
				style: { ...rampStyle(state.pods.get(key)?.summary.priority ?? 0), width: `${part(key) * scale}%` },
				"data-pod": key,
				"data-fly": flies ? key : null,
				on: {
					click: (/** @type {Event} */ event) => {
						event.stopPropagation();
						act.select({ kind: "pod", name: key });
					},
				},
			},
			h("b", null, podLabel(key)),
		);
	};
	const kindOf = (/** @type {string} */ key) =>
		standing.get(key) === "fits" ? "held" : isLeaving(gang, state.pods.get(key)) ? "leaving" : "";
	const blocks = h(
		"span",
		{ class: "podbar", "data-resource": resource },
		own.map((key) => block(key, kindOf(key), true)),
		beside.map(({ pod, flies, kind }) => block(pod, kind, flies)),
	);
	const length = whole / Math.min(1, scale);
	return scaledBar(length, Math.max(length, largest(state, resource)), blocks);
}

/** @typedef {import("../../trace/trace").VictimUnit} Unit */
const MAX_VICTIMS = 6;

/**
 * The lists of the units that the group's preemption evicts, and of those that it reprieves; null without a preemption.
 * @param {View} view @param {import("./model.js").Gang} gang
 */
export function victims(view, { cycle, name, summary }) {
	const preemption = cycle?.preemption;
	if (!preemption) return null;
	const all = (preemption.units ?? []).map((unit, i) => ({ unit, i }));
	const go = all.filter(({ unit }) => !unit.reprieved);
	const stay = all.filter(({ unit }) => unit.reprieved);
	const none = !(preemption.victims ?? []).length;
	return h(
		"div",
		{ key: "victims", class: "gang-victims" },
		h(
			"section",
			{ key: "go", class: "victim-set go" },
			h(
				"h3",
				null,
				h("b", { "aria-hidden": "true" }, "✕ "),
				t(none ? "gang.victims.none" : "gang.victims.go", {
					name,
					n: (preemption.victims ?? []).length,
					priority: summary?.priority ?? 0,
				}),
			),
			h(
				"ul",
				null,
				go.slice(0, MAX_VICTIMS).map((unit) => unitBox(view, unit)),
				moreVictims(go.length),
			),
		),
		stay.length > 0 &&
			h(
				"section",
				{ key: "stay", class: "victim-set given" },
				h("h3", null, h("b", { "aria-hidden": "true" }, "↩ "), t("gang.victims.stay")),
				h(
					"ul",
					null,
					stay.slice(0, MAX_VICTIMS).map((unit) => unitBox(view, unit)),
					moreVictims(stay.length),
				),
			),
	);
}

/** A list item with the number of units that are not drawn; false if all are. @param {number} n of all units */
function moreVictims(n) {
	return n > MAX_VICTIMS && h("li", { key: "more", class: "gang-more" }, t("list.more", { n: n - MAX_VICTIMS }));
}

/** Pods that can only be evicted together, as one box. @param {View} view @param {{unit: Unit, i: number}} entry */
function unitBox(view, { unit, i }) {
	const { pods, priority, pod_group: group = "", violates_pdb: guarded } = unit;
	const gone = pods.every((pod) => !view.state.pods.has(pod));
	return h(
		"li",
		{ key: pods[0], class: `victim-unit ${gone ? "gone" : ""} ${group && pods.length > 1 ? "whole" : ""}` },
		h("span", { key: "place", class: "unit-place", title: t("gang.unit.place") }, String(i + 1)),
		h(
			"span",
			{ key: "pods", class: "unit-pods" },
			pods.slice(0, MAX_VICTIMS).map((pod) => {
				const { node = "" } = view.state.pods.get(pod) ?? {};
				return button(
					() => view.act.select({ kind: "pod", name: pod }),
					{
						key: pod,
						class: "unit-pod",
						"data-pod": pod,
						title: podTitle(view.state, pod),
						style: rampStyle(priority),
					},
					`${shortPod(pod)}${node ? ` · ${nodeName(node)}` : ""}`,
				);
			}),
			pods.length > MAX_VICTIMS && h("span", { key: "more" }, t("list.more", { n: pods.length - MAX_VICTIMS })),
		),
		h(
			"small",
			{ key: "what" },
			[
				t("priority", { n: priority }),
				group && pods.length > 1 ? t("gang.unit.whole", { name: nameInKey(group) }) : "",
				guarded ? "PDB" : "",
			]
				.filter(Boolean)
				.join(t("list.comma")),
		),
	);
}
