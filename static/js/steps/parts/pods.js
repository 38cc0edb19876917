// @ts-check
/** A pod as a block, a name or pips, and what is special about a node: one look wherever they appear. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { podParts } from "../../shared/names.js";
import { pips, podName, quantity, RAMP_COLOURS, rampColour, rampStyle } from "../../shared/units.js";

/** @param {number} priority */
export function pipsOf(priority) {
	return h(
		"span",
		{ class: "pips", "aria-hidden": "true" },
		Array.from({ length: pips(priority) }, (_, i) => h("i", { key: i })),
	);
}

/** A pod's name as it is drawn: the workload, and the hash small. @param {string} key @returns {Child[]} */
export function podLabel(key) {
	const [workload, hash] = podParts(key);
	return [workload, hash && h("small", { key: "hash", class: "hash" }, `\u00a0${hash}`)];
}

/** The whole name, on hover and for screen readers. @param {string} name @param {string} shown */
export function wholeName(name, shown) {
	return { title: name, "aria-label": name === shown ? null : name };
}

/** Describe a pod, for a tooltip and for a screen reader. @param {State} state @param {string} key */
export function podTitle(state, key) {
	const pod = state.pods.get(key);
	const requests = Object.entries(pod?.summary.requests ?? {}).map(([name, value]) => quantity(name, value));
	return [podName(key), t("priority", { n: pod?.summary.priority ?? 0 }), ...requests].join(", ");
}

/** From this many pods on a node shows its priorities as one gradient instead of a block for every pod. */
const MAX_BLOCKS = 24;

const OVER = 16; // per cent of the bar that what does not fit may stand out

/** The pod that is tried, no longer than the bar and a little. @param {number} taken @param {number} ghost per cent */
function ghostOf(taken, ghost) {
	const shown = Math.min(ghost, Math.max(0, 100 - taken) + OVER);
	const over = taken + shown - 100;
	return (
		ghost > 0 &&
		h(
			"span",
			{ class: "ghost", key: "ghost", style: { left: `${taken}%`, width: `${shown}%` } },
			over > 0 && h("u", { style: { width: `${Math.min(100, (over / shown) * 100)}%` } }),
		)
	);
}

/**
 * The same bar in one element: where many nodes or many pods are on.
 * @param {View} view @param {string} name @param {string} resource @param {number} [ghost] per cent
 */
export function plainBar({ state, hero }, name, resource, ghost = 0) {
	const node = state.nodes.get(name);
	const whole = Math.max(1, node?.summary.allocatable[resource] ?? 1);
	/** @type {Map<string, number>} by colour */
	const sums = new Map();
	for (const key of node?.pods ?? []) {
		const pod = state.pods.get(key)?.summary;
		const colour = key === hero ? "hero" : rampColour(pod?.priority ?? 0);
		sums.set(colour, (sums.get(colour) ?? 0) + ((pod?.requests?.[resource] ?? 0) / whole) * 100);
	}
	let at = 0;
	const stops = [...RAMP_COLOURS, "hero"]
		.filter((colour) => sums.has(colour))
		.map((colour) => {
			const from = at;
			at += sums.get(colour) ?? 0;
			return `var(--${colour}) ${from}% ${at}%`;
		});
	at = Math.min(100, at);
	return h(
		"span",
		{
			class: "podbar plain",
			key: "podbar",
			style: { background: `linear-gradient(90deg, ${[...stops, `var(--sunk) ${at}%`].join(", ")})` },
		},
		ghostOf(at, ghost),
	);
}

/** A node's pods as they stand on its bar. @param {State} state @param {NodeState} node */
export function inOrder({ pods }, node) {
	const priority = (/** @type {string} */ key) => pods.get(key)?.summary.priority ?? 0;
	return [...node.pods].sort((a, b) => priority(b) - priority(a));
}

/**
 * The blocks of a node's pods along one resource, and what is kept for nominated ones.
 * @param {View} view @param {string} name @param {string} resource
 * @param {{held: string[], ghost?: number, inside?: (key: string) => Child}} more what is written in the block
 */
export function podBar(view, name, resource, { held, ghost = 0, inside }) {
	const { state, hero, act } = view;
	const node = state.nodes.get(name);
	if (!node) return null;
	if (node.pods.length > MAX_BLOCKS) return plainBar(view, name, resource, ghost);
	const whole = Math.max(1, node.summary.allocatable[resource] ?? 1);
	const part = (/** @type {string} */ key) => ((state.pods.get(key)?.summary.requests?.[resource] ?? 0) / whole) * 100;
	const pods = inOrder(state, node);
	const requested = [...pods, ...held].reduce((sum, key) => sum + part(key), 0);
	const scale = 100 / Math.max(100, requested); // where more is promised than the node has, all of it is shown
	const taken = requested * scale;
	const block = (/** @type {string} */ key, /** @type {string} */ kind) =>
		h(
			"i",
			{
				key: `${kind}${key}`,
				class: `block ${kind} ${key === hero ? "mine" : ""} ${state.pods.get(key)?.gone_at ? "leaving" : ""}`,
				title: podTitle(state, key),
				style: { ...rampStyle(state.pods.get(key)?.summary.priority ?? 0), width: `${part(key) * scale}%` },
				"data-pod": key,
				"data-fly": kind ? null : key,
				on: {
					click: (/** @type {Event} */ event) => {
						event.stopPropagation();
						act.select({ kind: "pod", name: key });
					},
				},
			},
			inside?.(key) ? [h("b", null, inside(key)), pipsOf(state.pods.get(key)?.summary.priority ?? 0)] : null,
		);
	return h(
		"span",
		{ class: "podbar", key: "podbar", "data-resource": resource },
		pods.map((key) => block(key, "")),
		held.map((key) => block(key, "held")),
		scale < 1 && h("span", { class: "brim", key: "brim", style: { left: `${100 * scale}%` }, title: t("node.brim") }),
		ghostOf(taken, ghost),
	);
}

/** Cordon and taints, in a few letters. @param {NodeState} node */
export function tags(node) {
	const taints = (node.summary.taints ?? []).filter(([key]) => key !== "node.kubernetes.io/unschedulable");
	return [
		node.summary.unschedulable &&
			h("span", { key: "cordon", class: "tag", title: t("node.cordoned") }, t("node.cordoned")),
		taints.slice(0, 2).map(([key, value, effect]) =>
			h(
				"span",
				{
					key: `${key}${effect}`,
					class: `tag ${effect === "PreferNoSchedule" ? "soft" : ""}`,
					title: `${key}${value ? `=${value}` : ""}:${effect}`,
				},
				key.split("/").at(-1) ?? key,
			),
		),
	];
}

/** Pods of a zone like the amber one: what spreading counts. @param {View} view @param {string[]} names */
export function alike({ state, hero, event }, names) {
	const label = Object.entries(state.pods.get(hero)?.summary.labels ?? {}).find(([key]) =>
		/(^|\/)(app|name)$/.test(key),
	);
	if (!label) return "";
	const keys = names.flatMap((name) => state.nodes.get(name)?.pods ?? []);
	const n = keys.filter((key) => state.pods.get(key)?.summary.labels?.[label[0]] === label[1]).length;
	const came = event.type === "PodAssumed" && keys.includes(event.pod);
	const what = `${label[0].slice(label[0].lastIndexOf("/") + 1)}=${label[1]}`;
	return came ? t("cluster.like.was", { n, what, was: n - 1 }) : t("cluster.like", { n, what });
}
