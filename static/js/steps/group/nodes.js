// @ts-check
/** A node with the members of a group on it: where one is only tried, where it will stand, where it stands. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { rampStyle } from "../../shared/priority.js";
import { cutName, outOf, podName } from "../../shared/units.js";
import { allocatable, nominatedTo, request, used } from "../../trace/room.js";
import { inOrder, podTitle } from "../parts/pods.js";

/** @typedef {import("./model.js").Gang} Gang */
/**
 * @typedef {object} How
 * @property {import("../../trace/trace").PodGroupEvaluated} [there] what a try came to whose members left again
 * @property {boolean} [carried] that is what is carried out now
 */
const LETTERS = 22;

/** @param {View} view @param {Gang} gang @param {string} name @param {How} [how] */
export function nodeBox(view, gang, name, how = {}) {
	const node = view.state.nodes.get(name);
	if (!node) return null;
	const resource = node.summary.allocatable.cpu ? "cpu" : "memory";
	const room = outOf(resource, used(node, resource), allocatable(node, resource), (part, all) =>
		t("cluster.of", { used: part, all }),
	);
	const mine = Boolean(view.hero) && (node.pods.includes(view.hero) || settledHere(gang, view.hero, name));
	const click = () => view.act.select({ kind: "node", name });
	return h(
		"article",
		{ key: name, class: `node-card gang-node ${mine ? "mine" : ""}`, "data-node": name },
		h(
			"header",
			null,
			h("button", { type: "button", class: "node-name", title: name, on: { click } }, cutName(name, LETTERS)),
			h("span", { class: "node-note" }, `${room} ${resource}`),
		),
		bar(view, gang, node, resource, ghosts(gang, name, view.state, how)),
	);
}

/** @param {Gang} gang @param {string} pod @param {string} name */
function settledHere({ members }, pod, name) {
	return members.some((one) => one.pod === pod && one.standing === "goes" && one.node === name);
}

/**
 * Who is not on the node: goes there, was there when it was tried, or has its room kept.
 * @param {Gang} gang @param {string} name @param {State} state @param {How} how
 */
function ghosts({ members, phase }, name, state, { there, carried }) {
	const away = (/** @type {string} */ pod) => state.pods.get(pod)?.node !== name;
	const settled = phase === "decided" && (carried || !there);
	const goes = settled ? members.filter((one) => one.standing === "goes" && one.node === name) : [];
	const was = settled ? [] : (there?.members.filter((one) => one.node === name && away(one.pod)) ?? []);
	const told = [...goes, ...was].map(({ pod }) => pod);
	const kept = nominatedTo(state, name).filter((pod) => !told.includes(pod));
	return [
		...goes.map(({ pod }) => ({ pod, flies: true, kind: "held" })),
		...was.map(({ pod }) => ({ pod, flies: false, kind: "held was" })),
		...kept.map((pod) => ({ pod, flies: false, kind: "held" })),
	];
}

/** Pods that go for the group: already told to stop, or chosen. @param {Gang} gang @param {PodState | undefined} pod */
function leaves({ cycle }, pod) {
	return pod?.gone_at != null || Boolean(cycle?.preemption?.victims?.includes(pod?.summary.pod ?? ""));
}

/**
 * @param {View} view @param {Gang} gang @param {NodeState} node @param {string} resource
 * @param {{pod: string, flies: boolean, kind: string}[]} beside
 */
function bar(view, gang, node, resource, beside) {
	const { state, hero, act } = view;
	const whole = Math.max(1, allocatable(node, resource));
	const part = (/** @type {string} */ key) => (request(state, key, resource) / whole) * 100;
	const own = inOrder(state, node);
	const asked = [...own, ...beside.map(({ pod }) => pod)].reduce((sum, key) => sum + part(key), 0);
	const scale = 100 / Math.max(100, asked);
	const standing = new Map(gang.members.map((one) => [one.pod, one.standing]));
	const block = (/** @type {string} */ key, /** @type {string} */ kind, /** @type {boolean} */ flies) => {
		const subject = hero ? key === hero : standing.has(key);
		return h(
			"i",
			{
				key,
				class: `block ${kind} ${subject ? "mine" : ""} ${standing.has(key) ? "member" : ""}`,
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
			h("b", null, podName(key)),
		);
	};
	const kindOf = (/** @type {string} */ key) =>
		standing.get(key) === "fits" ? "held" : leaves(gang, state.pods.get(key)) ? "leaving" : "";
	return h(
		"span",
		{ key: "podbar", class: "podbar", "data-resource": resource },
		own.map((key) => block(key, kindOf(key), true)),
		beside.map(({ pod, flies, kind }) => block(pod, kind, flies)),
	);
}
