// @ts-check
/** Draws a pod as a block, a name or pips, and the tags of a node, in the same way everywhere. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { podParts } from "../../shared/names.js";
import { nameInKey, pips, quantity, RAMP_COLOURS, rampColour, rampStyle } from "../../shared/units.js";
import { largest, prioritiesDiffer } from "../../trace/room.js";

/**
 * One to four marks that show a priority.
 * @param {number} priority @param {boolean} [written] whether to add the number
 */
export function pipsOf(priority, written = false) {
	return h(
		"span",
		{ class: "pips", "aria-hidden": "true", "data-priority": written ? String(priority) : null },
		Array.from({ length: pips(priority) }, (_, i) => h("i", { key: i })),
	);
}

/** A pod's name as it is drawn: the workload, and the hash small. @param {string} key @returns {Child[]} */
export function podLabel(key) {
	const [workload, hash] = podParts(key);
	return [workload, hash && h("small", { key: "hash", class: "hash" }, `\u00a0${hash}`)];
}

/**
 * The attributes that give the whole name on hover and to screen readers.
 * @param {string} name @param {string} shown
 */
export function wholeName(name, shown) {
	return { title: name, "aria-label": name === shown ? null : name };
}

/** Describes a pod, for a tooltip and for a screen reader. @param {State} state @param {string} key */
export function podTitle(state, key) {
	const pod = state.pods.get(key);
	const requests = Object.entries(pod?.summary.requests ?? {}).map(([name, value]) => quantity(name, value));
	return [nameInKey(key), t("priority", { n: pod?.summary.priority ?? 0 }), ...requests].join(", ");
}

/** A node with more pods shows their priorities as one gradient instead of a block for every pod. */
const MAX_BLOCKS = 24;

/**
 * `longest`: the amount of a bar of full length; `need`: the request of the pod being tried.
 * @typedef {{longest: number, need?: number}} Measure
 */

/**
 * The request of the pod being tried, after the used amount; the part that does not fit on the node is hatched. False
 * if there is none.
 * @param {number} taken @param {number} whole of the node @param {number} length of the bar @param {Measure} measure
 */
function requestedBar(taken, whole, length, { longest, need = 0 }) {
	const shown = Math.min(need, Math.max(0, longest - taken));
	const over = Math.min(shown, taken + shown - whole);
	const share = (/** @type {number} */ part, /** @type {number} */ of) => `${(part / of) * 100}%`;
	return (
		shown > 0 &&
		h(
			"span",
			{
				class: `requested ${shown < need ? "more" : ""}`,
				key: "requested",
				style: { left: share(taken, length), width: share(shown, length) },
			},
			over > 0 && h("u", { style: { width: share(over, shown) } }),
		)
	);
}

/**
 * A bar as long as its share of the longest one.
 * @param {number} length
 * @param {number} longest
 * @param {Child} bar
 */
export function scaledBar(length, longest, bar) {
	return h("span", { class: "bar-room", key: "podbar", style: { "--length": `${(length / longest) * 100}%` } }, bar);
}

/**
 * The pods of a node as one gradient, for many nodes or many pods.
 * @param {View} view @param {string} name @param {string} resource @param {Measure} [measure]
 */
export function plainBar({ state, subject }, name, resource, measure = { longest: largest(state, resource) }) {
	const node = state.nodes.get(name);
	const whole = Math.max(1, node?.summary.allocatable[resource] ?? 0);
	/** @type {Map<string, number>} by colour */
	const sums = new Map();
	for (const key of node?.pods ?? []) {
		const pod = state.pods.get(key)?.summary;
		const colour = isLeaving(state.pods.get(key)) ? "no" : key === subject ? "accent" : rampColour(pod?.priority ?? 0);
		sums.set(colour, (sums.get(colour) ?? 0) + ((pod?.requests?.[resource] ?? 0) / whole) * 100);
	}
	let at = 0;
	const stops = [...RAMP_COLOURS, "accent", "no"]
		.filter((colour) => sums.has(colour))
		.map((colour) => {
			const from = at;
			at += sums.get(colour) ?? 0;
			return `var(--${colour}) ${from}% ${at}%`;
		});
	at = Math.min(100, at);
	const bar = h(
		"span",
		{
			class: "podbar plain",
			"data-resource": resource,
			style: { background: `linear-gradient(90deg, ${[...stops, `var(--sunk) ${at}%`].join(", ")})` },
		},
		requestedBar((at / 100) * whole, whole, whole, measure),
	);
	return scaledBar(whole, measure.longest, bar);
}

/** Whether the pod is terminating. @param {PodState | undefined} pod */
const isLeaving = (pod) => (pod?.gone_at ?? null) !== null;

/**
 * The bar of a deleted pod's remaining grace period; null for other pods.
 * @param {State} state @param {string} key
 */
function graceBar({ pods, time }, key) {
	const { gone_at = null, grace = null } = pods.get(key) ?? {};
	if (gone_at === null || !grace) return null;
	const left = Math.max(0, Math.min(1, (gone_at - time) / grace));
	return h("span", { key: "grace", class: "grace", style: { "--left": `${left * 100}%` }, "aria-hidden": "true" });
}

/**
 * The blocks of a node's pods along one resource, in order of arrival, and those held for nominated pods; one gradient
 * for more than MAX_BLOCKS pods; null if there is no such node.
 * @param {View} view @param {string} name @param {string} resource
 * @param {{held: string[], measure?: Measure, inside?: (key: string) => Child}} more `inside`: the text of a block
 */
export function podBar(view, name, resource, { held, measure = { longest: largest(view.state, resource) }, inside }) {
	const { state, subject, act } = view;
	const node = state.nodes.get(name);
	if (!node) return null;
	if (node.pods.length > MAX_BLOCKS) return plainBar(view, name, resource, measure);
	const whole = Math.max(1, node.summary.allocatable[resource] ?? 0);
	const asked = (/** @type {string} */ key) => state.pods.get(key)?.summary.requests?.[resource] ?? 0;
	const { pods } = node;
	const sum = (/** @type {string[]} */ keys) => keys.reduce((all, key) => all + asked(key), 0);
	const over = held.length > 0 && sum(pods) + sum(held) > whole; // they take the place of pods that leave
	const taken = sum(pods) + (over ? 0 : sum(held));
	const length = Math.max(whole, taken); // all requests fit, even beyond the capacity
	const stays = sum(pods.filter((key) => !isLeaving(state.pods.get(key))));
	const keptFrom = Math.max(0, Math.min(stays, length - sum(held)));
	// Pods nominated for the same resources overlap.
	const heldFrom = (/** @type {string} */ key, /** @type {number} */ i) =>
		Math.max(0, Math.min(keptFrom + sum(held.slice(0, i)), length - asked(key)));
	const share = (/** @type {number} */ part) => `${(part / length) * 100}%`;
	const block = (
		/** @type {string} */ key,
		/** @type {string} */ kind,
		/** @type {Record<string, string>} */ place = {},
	) =>
		h(
			"i",
			{
				key: `${kind}${key}`,
				class: `block ${kind} ${key === subject ? "mine" : ""} ${isLeaving(state.pods.get(key)) ? "leaving" : ""}`,
				title: podTitle(state, key),
				style: { ...rampStyle(state.pods.get(key)?.summary.priority ?? 0), width: share(asked(key)), ...place },
				"data-pod": key,
				"data-fly": kind ? null : key,
				on: {
					click: (/** @type {Event} */ event) => {
						event.stopPropagation();
						act.select({ kind: "pod", name: key });
					},
				},
			},
			inside?.(key)
				? [h("b", null, inside(key)), pipsOf(state.pods.get(key)?.summary.priority ?? 0, prioritiesDiffer(state))]
				: null,
			kind === "" && graceBar(state, key),
		);
	const bar = h(
		"span",
		{ class: "podbar", "data-resource": resource },
		pods.map((key) => block(key, "")),
		held.map((key, i) => (over ? block(key, "held over", { left: share(heldFrom(key, i)) }) : block(key, "held"))),
		taken > whole && h("span", { class: "brim", key: "brim", style: { left: share(whole) }, title: t("node.brim") }),
		requestedBar(taken, whole, length, measure),
	);
	return scaledBar(length, measure.longest, bar);
}

const MANY = 12; // nodes, whose cards have no room for labels

/**
 * The labels of a node that changed, and those by which pods select nodes.
 * @param {State} state @param {NodeState} node @param {NodeState} [before]
 */
function askedLabels({ nodes, pods }, { summary: { labels = {} } }, before) {
	const had = before?.summary.labels ?? labels;
	const wishes = [...(nodes.size > MANY ? [] : pods.values())]
		.flatMap(({ summary }) => summary.wishes ?? [])
		.filter(({ kind }) => kind === "node");
	const asked = (/** @type {string} */ key) => wishes.some(({ value }) => value.split(/[^\w./-]/).includes(key));
	const changed = (/** @type {string} */ key) => had[key] !== labels[key];
	const shown = Object.entries(labels).filter(([key]) => changed(key) || asked(key));
	return shown.sort(([a], [b]) => Number(changed(b)) - Number(changed(a)));
}

const EDGE = 3; // letters that the edges of a tag take
const LONG_TAG = 20; // letters
const SOFT = "PreferNoSchedule";

/** A text with places to break a long word where lines may wrap. @param {string} text @returns {Child[]} */
export function breakable(text) {
	if (text.length < LONG_TAG) return [text];
	return text.split(/(?<=[a-z])(?=[A-Z])/).flatMap((word, i) => (i ? [h("wbr", { key: `b${i}` }), word] : [word]));
}

/**
 * The tags of a node: whether it is cordoned, and two of its taints; without these, the labels that matter and fit.
 * @param {State} state @param {NodeState} node @param {number} [room] letters for labels
 * @param {NodeState} [before] the node before the step, which changed it
 */
export function tags(state, node, room = 0, before = undefined) {
	let left = node.summary.unschedulable || node.summary.taints?.length ? 0 : room;
	/** @type {Map<string, [string, string, string][]>} by key: a lost node has its taint with two effects */
	const taints = new Map();
	for (const taint of node.summary.taints ?? [])
		if (taint[0] !== "node.kubernetes.io/unschedulable") taints.set(taint[0], [...(taints.get(taint[0]) ?? []), taint]);
	const isSoft = (/** @type {[string, string, string][]} */ own) => own.every(([, , effect]) => effect === SOFT);
	const hardFirst = [...taints].sort(([, a], [, b]) => Number(isSoft(a)) - Number(isSoft(b)));
	return [
		node.summary.unschedulable &&
			h("span", { key: "cordon", class: "tag", title: t("node.cordoned") }, t("node.cordoned")),
		hardFirst.slice(0, 2).map(([key, own]) =>
			h(
				"span",
				{
					key,
					class: `tag ${isSoft(own) ? "soft" : ""}`,
					title: own.map(([, value, effect]) => `${key}${value ? `=${value}` : ""}:${effect}`).join("\n"),
				},
				breakable(key.split("/").at(-1) ?? key),
			),
		),
		askedLabels(state, node, before).map(([key, value]) => {
			const text = `${key.split("/").at(-1)}=${value}`;
			left -= text.length + EDGE;
			if (left < 0) return null;
			return h("span", { key: `label${key}`, class: "tag label", title: `${key}=${value}` }, text);
		}),
	];
}

/**
 * The number of pods on these nodes that have the subject's app label, in words; "" if the subject has no such label.
 * @param {View} view @param {string[]} names
 */
export function alikeText({ state, subject, event }, names) {
	const label = Object.entries(state.pods.get(subject)?.summary.labels ?? {}).find(([key]) =>
		/(^|\/)(app|name)$/.test(key),
	);
	if (!label) return "";
	const keys = names.flatMap((name) => state.nodes.get(name)?.pods ?? []);
	const n = keys.filter((key) => state.pods.get(key)?.summary.labels?.[label[0]] === label[1]).length;
	const came = event.type === "PodAssumed" && keys.includes(event.pod);
	const what = `${label[0].slice(label[0].lastIndexOf("/") + 1)}=${label[1]}`;
	return came ? t("cluster.like.was", { n, what, was: n - 1 }) : t("cluster.like", { n, what });
}
