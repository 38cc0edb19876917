// @ts-check
/** The scheduling queue: active in pop order, backoff with countdowns, unschedulable, gated, in flight, on Permit. */

import { button, h, patch } from "../../shared/dom.js";
import { has, list, plain, t } from "../../shared/i18n.js";
import { nodeName, shortPod } from "../../shared/names.js";
import { decimal, nameInKey, quantity, rampStyle, seconds } from "../../shared/units.js";
import { hasPredicates } from "../../trace/phase.js";
import { shareOf } from "../../trace/room.js";
import { workloads } from "../controllers/view.js";
import { items as groupItems } from "../group/around.js";
import { PLUGINS } from "../parts/plugins.js";
import { pipsOf, podLabel, podTitle } from "../parts/pods.js";
import { wishesOf } from "../parts/words.js";

const MOST = 6; // pods of a section, of which the last become squares if there are more
const SQUARES = 60;
const END = 14; // letters of a node's name after a pod's
const ICONS = {
	active: "M1 3h9M1 8h6M1 13h9M12 5l3 3-3 3",
	backoff: "M8 1.5a6.5 6.5 0 1 0 .01 0M8 4.5V8l2.5 2",
	unschedulable: "M8 1.5a6.5 6.5 0 1 0 .01 0M3.5 3.5l9 9",
	gated: "M3.5 7.5h9v6.5h-9zM5.5 7V5a2.5 2.5 0 0 1 5 0v2",
	waiting: "M5 2.5v11M11 2.5v11",
	outside: "M8 1.5a6.5 6.5 0 1 0 .01 0M5.5 8h5",
	binding: "M2 8h9M8 4.5 11.5 8 8 11.5M14 2.5v11",
};

/** The pods of activeQ, in pop order. @param {State} state */
export function activeOrder(state) {
	return [...state.pods.values()]
		.filter((pod) => pod.place === "active")
		.sort(
			(a, b) =>
				(b.summary.priority ?? 0) - (a.summary.priority ?? 0) || a.timestamp - b.timestamp || a.sequence - b.sequence,
		)
		.map((pod) => pod.summary.pod);
}

/**
 * Draws the workloads, the scheduling queue by its parts, and the pods that are being bound.
 * @param {Element} target @param {View} view
 */
export function drawQueue(target, view) {
	const pods = podsBySection(view);
	// Older releases have no scheduling gates, and no plugin waits at Permit by default.
	const older = hasPredicates(view.state.kubernetes_version);
	patch(target, [
		workloads(view),
		section(view, "active", pods.active, t("queue.order")),
		section(view, "backoff", pods.backoff),
		section(view, "unschedulable", pods.unschedulable),
		(pods.gated.length > 0 || !older) && section(view, "gated", pods.gated, gatesText(pods.gated)),
		(pods.waiting.length > 0 || !older) && section(view, "waiting", pods.waiting),
		pods.outside.length > 0 && section(view, "outside", pods.outside, t("queue.outside")),
		pods.binding.length > 0 && section(view, "binding", pods.binding, t("queue.inflight")),
	]);
}

/**
 * The pods by the section of the queue they are in, in their order.
 * @param {View} view @returns {Record<keyof typeof ICONS, PodState[]>}
 */
function podsBySection({ state }) {
	/** @type {Record<keyof typeof ICONS, PodState[]>} */
	const out = { active: [], backoff: [], unschedulable: [], gated: [], waiting: [], binding: [], outside: [] };
	for (const pod of state.pods.values()) {
		const coming = pod.place === "outside" && state.profiles.includes(pod.summary.scheduler ?? "default-scheduler");
		if (!coming) out[/** @type {keyof typeof ICONS} */ (pod.place)]?.push(pod);
	}
	out.active = activeOrder(state).map((key) => /** @type {PodState} */ (state.pods.get(key)));
	out.backoff.sort((a, b) => (a.backoff_until ?? 0) - (b.backoff_until ?? 0) || a.sequence - b.sequence);
	out.unschedulable.sort((a, b) => a.timestamp - b.timestamp || a.sequence - b.sequence);
	return out;
}

/** The note with the scheduling gates that the pods wait for; "" if there are none. @param {PodState[]} pods */
function gatesText(pods) {
	const names = [...new Set(pods.flatMap((pod) => pod.summary.gates ?? []))].map(
		(name) => name.split("/").at(-1) ?? name,
	);
	return names.length ? t("queue.waitsfor", { gates: plain(list(names, 2)) }) : "";
}

/**
 * A section of the queue.
 * @param {View} view @param {keyof typeof ICONS} name @param {PodState[]} pods @param {string} [note]
 */
function section(view, name, pods, note = "") {
	return h(
		"section",
		{ key: name, class: `queue-section ${name}` },
		h(
			"h2",
			{ key: "title" },
			button(
				() => view.act.pin("queues"),
				{ title: t("travels.title") },
				h("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, h("path", { d: ICONS[name] })),
				h("span", { class: "queue-name" }, t(`queue.name.${name}`)),
				h("span", { class: "queue-short", "aria-hidden": "true" }, t(`queue.short.${name}`)),
				h("span", { class: "queue-count" }, String(pods.length)),
			),
		),
		note && h("small", { key: "note" }, note),
		h("div", { key: "items", class: "queue-items" }, groupItems(view, name, pods, item) ?? items(view, name, pods)),
	);
}

/** The listeners of a pod's button. @param {View} view @param {string} name */
const selectHandler = ({ act }, name) => ({ click: () => act.select({ kind: "pod", name }) });

/**
 * The pods of a section; of many, the last ones as squares. First comes the pod that is being tried, if it has left.
 * @param {View} view @param {keyof typeof ICONS} name @param {PodState[]} pods @returns {Child[]}
 */
function items(view, name, pods) {
	const tried = view.scene !== "group" && view.state.pods.get(view.subject)?.place === "scheduling";
	const left = tried && name === (view.state.cycle.CycleStarted?.source ?? "active") && view.subject;
	const gone = left && !pods.some((pod) => pod.summary.pod === left) && left;
	const squares = pods.length > MOST ? pods.slice(MOST - 2) : [];
	return [
		gone &&
			h(
				"button",
				{
					key: `left${gone}`,
					type: "button",
					class: "queue-pod left",
					title: nameInKey(gone),
					on: selectHandler(view, gone),
				},
				h("span", { class: "queue-pod-name" }, t("queue.left", { pod: shortPod(gone) })),
			),
		pods.slice(0, pods.length - squares.length).map((pod) => item(view, name, pod)),
		squares.length > 0 &&
			h(
				"div",
				{ key: "squares", class: "squares" },
				squares.slice(0, SQUARES).map(({ summary: { pod, priority = 0 } }) =>
					h("button", {
						key: pod,
						type: "button",
						title: podTitle(view.state, pod),
						"aria-label": nameInKey(pod),
						"data-fly": pod,
						style: rampStyle(priority),
						on: selectHandler(view, pod),
					}),
				),
				squares.length > SQUARES && h("span", { key: "more" }, `+${squares.length - SQUARES}`),
			),
	];
}

/** One pod of the queue. @param {View} view @param {keyof typeof ICONS} name @param {PodState} pod */
function item(view, name, pod) {
	const key = pod.summary.pod;
	const priority = pod.summary.priority ?? 0;
	const mine = key === view.subject;
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
				style: { ...rampStyle(priority), "--share": String(shareOf(view.state, key)) },
				on: selectHandler(view, key),
			},
			h("span", { class: "queue-pod-name" }, podLabel(key)),
			rowEnd(view, name, pod),
		),
		lineBelow(view, name, pod),
	);
}

/**
 * Whether a pod in backoffQ is popped at once: the release can do that, activeQ is empty, and its backoff is not that
 * of an error.
 * @param {State} state @param {{error_backoff?: boolean}} pod
 */
export const needNotWait = (state, { error_backoff }) =>
	!error_backoff && state.feature_gates.SchedulerPopFromBackoffQ !== false && !activeOrder(state).length;

/**
 * The end of a pod's row: its remaining time, its node, or its priority.
 * @param {View} view @param {keyof typeof ICONS} name @param {PodState} pod
 */
function rowEnd({ state }, name, pod) {
	const { summary, node, nominated_node, backoff_until, deadline } = pod;
	const { time } = state;
	const backoff = name === "backoff" && !needNotWait(state, pod) ? (backoff_until ?? time) : null;
	const until = name === "waiting" ? deadline : backoff;
	const where = node || nominated_node;
	const text = until === null ? where && `→ ${nodeName(where, END)}` : `${decimal(Math.max(0, until - time))} s`;
	return text ? h("span", { class: "count-down" }, text) : pipsOf(summary.priority ?? 0);
}

/**
 * The line below a pod: why it waits, or which event moved it; false if there is neither.
 * @param {View} view @param {keyof typeof ICONS} name @param {PodState} pod @returns {Child}
 */
function lineBelow({ state, event }, name, pod) {
	if (name === "backoff") {
		const whole = Math.max(0.001, (pod.backoff_until ?? 0) - pod.timestamp);
		const rest = Math.max(0, Math.min(1, ((pod.backoff_until ?? 0) - state.time) / whole));
		const skipped = rest > 0 && needNotWait(state, pod);
		return [
			h(
				"span",
				{ key: "bar", class: `drain ${skipped ? "skipped" : ""}` },
				h("i", { style: { width: `${rest * 100}%` } }),
			),
			h("small", { key: "why" }, t("queue.failures", { n: pod.attempts, wait: decimal(whole) })),
			skipped && h("small", { key: "skipped" }, t("queue.not_needed")),
		];
	}
	if (name === "waiting" && pod.deadline !== null)
		return h("small", { key: "until" }, t("queue.until", { node: nodeName(pod.node), until: seconds(pod.deadline) }));
	/** @type {import("../../trace/trace").KeptWaiting | undefined} */
	const unmoved =
		event.type === "PodsKeptWaiting" && event.pods.find((/** @type {any} */ entry) => entry.pod === pod.summary.pod);
	const note = (/** @type {string} */ text, /** @type {string[]} */ plugins, kind = "moved") =>
		h("small", { key: kind, class: kind, title: plugins.join(", ") }, text);
	if (unmoved) {
		const plugins = unmoved.hints.map((hint) => hint.plugin);
		return note(`✕ ${t("queue.skip", { event: event.event, plugins: plain(list(plugins, 3)) })}`, plugins);
	}
	const by = pod.unschedulable_plugins;
	if (name === "unschedulable" && by.length) {
		const looksAt = (/** @type {string} */ part) => by.some((plugin) => PLUGINS[plugin]?.looks_at?.includes(part));
		const asked = wishesOf(pod).flatMap(([text, kind]) => (kind === "node" ? [text] : []));
		const wanted = [
			...(looksAt("node") ? asked : []),
			looksAt("requests") && quantity("cpu", pod.summary.requests?.cpu ?? 0),
		];
		const text = [t("queue.by", { plugins: plain(list(by, 3)) }), ...wanted].filter(Boolean).join(" · ");
		return note(text, by, "why");
	}
	const { moved_by } = pod;
	return (
		event.type === "PodEnqueued" &&
		event.pod === pod.summary.pod &&
		note(`↑ ${has(`event.${moved_by}`) ? t(`event.${moved_by}`) : moved_by}`, [moved_by])
	);
}
