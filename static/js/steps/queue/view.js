// @ts-check
/** The scheduling queue: active in pop order, backoff with countdowns, unschedulable, gated, in flight, on Permit. */

import { h, patch } from "../../shared/dom.js";
import { has, list, plain, t } from "../../shared/i18n.js";
import { rampStyle } from "../../shared/priority.js";
import { decimal, podName, seconds } from "../../shared/units.js";
import { pipsOf, podTitle } from "../parts/pods.js";

const MOST = 6;
const SQUARES = 60;
const ICONS = {
	active: "M1 3h9M1 8h6M1 13h9M12 5l3 3-3 3",
	backoff: "M8 1.5a6.5 6.5 0 1 0 .01 0M8 4.5V8l2.5 2",
	unschedulable: "M8 1.5a6.5 6.5 0 1 0 .01 0M3.5 3.5l9 9",
	gated: "M3.5 7.5h9v6.5h-9zM5.5 7V5a2.5 2.5 0 0 1 5 0v2",
	waiting: "M5 2.5v11M11 2.5v11",
	outside: "M8 1.5a6.5 6.5 0 1 0 .01 0M5.5 8h5",
	binding: "M2 8h9M8 4.5 11.5 8 8 11.5M14 2.5v11",
};

/** activeQ in pop order. @param {State} state */
export function activeOrder(state) {
	return [...state.pods.values()]
		.filter((one) => one.place === "active")
		.sort(
			(a, b) =>
				(b.summary.priority ?? 0) - (a.summary.priority ?? 0) || a.timestamp - b.timestamp || a.sequence - b.sequence,
		)
		.map((one) => one.summary.pod);
}

/** @param {Element} target @param {View} view */
export function drawQueue(target, view) {
	const by = groups(view);
	patch(target, [
		section(view, "active", by.active, t("queue.order")),
		section(view, "backoff", by.backoff, by.backoff.length ? "" : t("queue.nobody")),
		section(view, "unschedulable", by.unschedulable, by.unschedulable.length ? "" : t("queue.nobody")),
		section(view, "gated", by.gated, by.gated.length ? gates(by.gated) : t("queue.nobody")),
		section(view, "waiting", by.waiting, by.waiting.length ? "" : t("queue.nobody")),
		by.outside.length > 0 && section(view, "outside", by.outside, t("queue.outside")),
		by.binding.length > 0 && section(view, "binding", by.binding, t("queue.inflight")),
	]);
}

/** @param {View} view @returns {Record<keyof typeof ICONS, PodState[]>} */
function groups({ state }) {
	/** @type {Record<keyof typeof ICONS, PodState[]>} */
	const out = { active: [], backoff: [], unschedulable: [], gated: [], waiting: [], binding: [], outside: [] };
	for (const pod of state.pods.values()) {
		const place = /** @type {keyof typeof ICONS} */ (pod.place);
		if (place in out && place !== "active") out[place].push(pod);
	}
	out.active = activeOrder(state).map((key) => /** @type {PodState} */ (state.pods.get(key)));
	out.backoff.sort((a, b) => (a.backoff_until ?? 0) - (b.backoff_until ?? 0) || a.sequence - b.sequence);
	out.unschedulable.sort((a, b) => a.timestamp - b.timestamp || a.sequence - b.sequence);
	return out;
}

/** @param {PodState[]} pods */
function gates(pods) {
	const names = [...new Set(pods.flatMap((pod) => pod.summary.gates ?? []))].map(
		(name) => name.split("/").at(-1) ?? name,
	);
	return names.length ? t("queue.waitsfor", { gates: plain(list(names, 2)) }) : "";
}

/** @param {View} view @param {keyof typeof ICONS} name @param {PodState[]} pods @param {string} note */
function section(view, name, pods, note) {
	const left =
		name === "active" && view.event.type === "CycleStarted"
			? view.hero
			: name === "active" && view.scene !== "cluster"
				? view.hero
				: "";
	const gone = left && !pods.some((pod) => pod.summary.pod === left) ? left : "";
	return h(
		"section",
		{ key: name, class: `queue-section ${name}` },
		h(
			"h2",
			{ key: "title" },
			h(
				"button",
				{ type: "button", title: t("travels.title"), on: { click: () => view.act.pin("queues") } },
				h("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, h("path", { d: ICONS[name] })),
				h("span", { class: "queue-name" }, t(`queue.name.${name}`)),
				h("span", { class: "queue-short", "aria-hidden": "true" }, t(`queue.short.${name}`)),
				h("span", { class: "queue-count" }, String(pods.length)),
			),
		),
		note && h("small", { key: "note" }, note),
		h(
			"div",
			{ key: "items", class: "queue-items" },
			gone &&
				h(
					"button",
					{
						key: `left${gone}`,
						type: "button",
						class: "queue-pod left",
						on: { click: () => view.act.select({ kind: "pod", name: gone }) },
					},
					t("queue.left", { pod: podName(gone) }),
				),
			pods.slice(0, pods.length > MOST ? MOST - 2 : MOST).map((pod) => item(view, name, pod)),
			pods.length > MOST &&
				h(
					"div",
					{ key: "squares", class: "squares" },
					pods.slice(MOST - 2, MOST - 2 + SQUARES).map((pod) =>
						h("button", {
							key: pod.summary.pod,
							type: "button",
							title: podTitle(view.state, pod.summary.pod),
							"aria-label": podName(pod.summary.pod),
							"data-fly": pod.summary.pod,
							style: rampStyle(pod.summary.priority ?? 0),
							on: { click: () => view.act.select({ kind: "pod", name: pod.summary.pod }) },
						}),
					),
					pods.length > MOST - 2 + SQUARES && h("span", { key: "more" }, `+${pods.length - MOST + 2 - SQUARES}`),
				),
		),
	);
}

/** @param {View} view @param {keyof typeof ICONS} name @param {PodState} pod */
function item(view, name, pod) {
	const key = pod.summary.pod;
	const priority = pod.summary.priority ?? 0;
	const mine = key === view.hero;
	return h(
		"div",
		{ key, class: "queue-item" },
		h(
			"button",
			{
				type: "button",
				class: `queue-pod ${mine ? "mine" : ""} ${view.selection?.name === key ? "selected" : ""}`,
				title: podTitle(view.state, key),
				"data-fly": key,
				style: rampStyle(priority),
				on: { click: () => view.act.select({ kind: "pod", name: key }) },
			},
			h("span", { class: "queue-pod-name" }, podName(key)),
			...end(view, name, pod),
		),
		...under(view, name, pod),
	);
}

/** @param {View} view @param {keyof typeof ICONS} name @param {PodState} pod @returns {Child[]} */
function end({ state }, name, pod) {
	if (name === "backoff")
		return [
			h("span", { class: "count-down" }, `${decimal(Math.max(0, (pod.backoff_until ?? state.time) - state.time))} s`),
		];
	if (name === "waiting" && pod.deadline !== null)
		return [h("span", { class: "count-down" }, `${decimal(Math.max(0, pod.deadline - state.time))} s`)];
	if (pod.nominated_node && !pod.node) return [h("span", { class: "count-down" }, `→ ${pod.nominated_node}`)];
	if (pod.node) return [h("span", { class: "count-down" }, `→ ${pod.node}`)];
	return [pipsOf(pod.summary.priority ?? 0)];
}

/**
 * Why it waits, and what would wake it.
 * @param {View} view
 * @param {keyof typeof ICONS} name
 * @param {PodState} pod
 * @returns {Child[]}
 */
function under({ state, event }, name, pod) {
	if (name === "backoff") {
		const whole = Math.max(0.001, (pod.backoff_until ?? 0) - pod.timestamp);
		const rest = Math.max(0, Math.min(1, ((pod.backoff_until ?? 0) - state.time) / whole));
		return [
			h("span", { key: "bar", class: "drain" }, h("i", { style: { width: `${rest * 100}%` } })),
			h("small", { key: "why" }, t("queue.failures", { n: pod.attempts, wait: decimal(whole) })),
		];
	}
	if (name === "waiting" && pod.deadline !== null)
		return [h("small", { key: "until" }, t("queue.until", { node: pod.node, until: seconds(pod.deadline) }))];
	/** @type {import("../../trace/trace").KeptWaiting | undefined} */
	const kept =
		event.type === "PodsKeptWaiting"
			? event.pods.find((/** @type {any} */ one) => one.pod === pod.summary.pod)
			: undefined;
	if (kept) {
		const plugins = kept.hints.map((hint) => hint.plugin);
		return [
			h(
				"small",
				{ key: "kept", class: "moved", title: plugins.join(", ") },
				`✕ ${t("queue.skip", { event: event.event, plugins: plain(list(plugins, 3)) })}`,
			),
		];
	}
	if (name === "unschedulable" && pod.unschedulable_plugins.length) {
		return [
			h(
				"small",
				{ key: "why", title: pod.unschedulable_plugins.join(", ") },
				t("queue.by", { plugins: plain(list(pod.unschedulable_plugins, 3)) }),
			),
		];
	}
	const moved = event.type === "PodEnqueued" && event.pod === pod.summary.pod;
	return moved
		? [
				h(
					"small",
					{ key: "moved", class: "moved", title: pod.moved_by },
					`↑ ${has(`event.${pod.moved_by}`) ? t(`event.${pod.moved_by}`) : pod.moved_by}`,
				),
			]
		: [];
}
