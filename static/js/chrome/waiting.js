// @ts-check
/** Explains why a pod waits: its next attempt, the events that would move it to a queue, and its nominations. */

import { h } from "../shared/dom.js";
import { has, t } from "../shared/i18n.js";
import { seconds } from "../shared/units.js";
import { link, part } from "../steps/parts/panel.js";
import { activeOrder } from "../steps/queue/view.js";
import { flushAfter } from "../steps/queue/words.js";
import { UNSCHEDULABLE_FLUSH_SECONDS as EVERY, RULES } from "../trace/releases.js";

/**
 * When an unschedulable pod is tried again without an event: `at`, the time of the first check that is more than
 * `after` seconds after its last attempt.
 * @param {string} release @param {number} timestamp of its last attempt
 */
export function triedAnyway(release, timestamp) {
	const rules = RULES.get(release) ?? [...RULES.values()][RULES.size - 1];
	const after = rules.unschedulable_pods_are_retried_after;
	return { after, at: Math.floor((timestamp + after) / EVERY) * EVERY + EVERY };
}

/**
 * The section that says when and why a pod is tried next; null for a pod that has a node and does not wait on Permit.
 * @param {View} view @param {PodState} pod
 */
export function nextTry(view, pod) {
	const { place, node } = pod;
	if (node && place !== "waiting") return null;
	return part(
		t("wait.next"),
		h("p", { class: "note" }, nextTryWords(view, pod)),
		["unschedulable", "backoff"].includes(place) && pod.unschedulable_plugins.length > 0 && wakingEvents(view, pod),
		place === "unschedulable" && lastAsked(view, pod),
	);
}

/** When the scheduler tries the pod again, in words. @param {View} view @param {PodState} pod */
function nextTryWords(
	{ state },
	{ summary, place, backoff_until: end, timestamp, deadline, nominated_node: nominated },
) {
	if (place === "active") return t("wait.active", { place: activeOrder(state).indexOf(summary.pod) + 1 });
	if (place === "backoff") {
		const early = state.feature_gates.SchedulerPopFromBackoffQ !== false ? "wait.backoff.early" : "wait.backoff";
		return t(early, { at: seconds(flushAfter(end ?? 0, state.time)), end: seconds(end ?? 0) });
	}
	if (place === "unschedulable") {
		const { after, at } = triedAnyway(state.kubernetes_version, timestamp);
		const victims = nominated ? `${t("wait.victims", { node: nominated })} ` : "";
		return victims + t("wait.unschedulable", { last: seconds(at), minutes: after / 60 });
	}
	if (place === "waiting") return t("wait.permit", { until: seconds(deadline ?? 0) });
	return t(`wait.${has(`wait.${place}`) ? place : "other"}`);
}

/**
 * The lists of the cluster events for which the pod's plugins are registered; null if there are none.
 * @param {View} view @param {PodState} pod
 */
function wakingEvents({ state }, pod) {
	const plugins = pod.unschedulable_plugins.filter((plugin) => state.wakes[plugin]);
	if (!plugins.length) return null;
	return [
		h("h4", { key: "wakes" }, t("wait.events")),
		plugins.map((plugin) =>
			h(
				"ul",
				{ key: plugin, class: "wakes" },
				h("li", { key: "of" }, h("b", null, plugin)),
				state.wakes[plugin].map((name) => h("li", { key: name }, h("code", null, name), " ", eventWords(name))),
			),
		),
		h("p", { key: "but", class: "note" }, t("wait.events.but")),
	];
}

/** "Node/Add" in words; "" if there are none. @param {string} name */
function eventWords(name) {
	const key = `event.${name.replace(/^Pod\/(?=Add|Delete)/, "AssignedPod").replace("/", "")}`;
	return has(key) ? t(key) : "";
}

/**
 * The line about the last event after which plugins kept the pod waiting; null if there is none since its last attempt.
 * @param {View} view @param {PodState} pod
 */
function lastAsked({ store, step: here, act }, { summary }) {
	for (const { step, event } of store.walk(here, -1)) {
		if (event.type === "SchedulingFailed" && event.pod === summary.pod) return null;
		const unmoved = event.type === "PodsKeptWaiting" && event.pods.find(({ pod }) => pod === summary.pod);
		if (!unmoved) continue;
		const plugins = unmoved.hints.map(({ plugin }) => plugin).join(t("list.comma"));
		return h(
			"p",
			{ key: "asked", class: "note" },
			link(t("wait.asked", { event: event.event }), () => act.seek(step)),
			" ",
			t("wait.asked.skip", { plugins }),
		);
	}
	return null;
}

/**
 * The section with the pod's nominations, and how each ended; null if there are none.
 * @param {View} view @param {string} key
 */
export function nominations({ store, state, step: here, act }, key) {
	/** @type {{step: number, text: string}[]} */
	const out = [];
	let node = "";
	for (const { step, event } of store.walk(0, 1)) {
		if (step > here) break;
		if (!("pod" in event) || event.pod !== key) continue;
		if (event.type === "PodNominated") {
			node = event.node;
			out.push({ step, text: t("nominations.kept", { node }) });
		}
		if (event.type === "NominationCleared" && event.cause !== "bound")
			out.push({ step, text: t(`nominations.${event.cause}`, { node: event.node }) });
		if (event.type === "PodBound" && node)
			out.push({ step, text: t(event.node === node ? "nominations.same" : "nominations.other", { node: event.node }) });
	}
	if (!out.length) return null;
	const other = state.pods.get(key)?.node && state.pods.get(key)?.node !== node;
	return part(
		t("nominations.title"),
		h(
			"ol",
			{ class: "attempts" },
			out.map(({ step, text }) =>
				h(
					"li",
					{ key: step },
					link(`#${step}`, () => act.seek(step)),
					` ${text}`,
				),
			),
		),
		other && h("p", { class: "note" }, t("nominations.why")),
	);
}

/** @typedef {{step: number, time: number, type: "Normal" | "Warning", reason: string, message: string}} Note */

/**
 * The events that kubectl would list for a pod, up to and including a step, in order.
 * @param {ChunkStore} store @param {string} pod @param {number} upto a step @returns {Note[]}
 */
export function notesOf(store, pod, upto) {
	/** @type {Note[]} */
	const out = [];
	let time = 0;
	for (const { step, event } of store.walk(0, 1)) {
		if (step > upto) break;
		if (event.type === "ClockAdvanced") time = event.time;
		const note = "pod" in event && event.pod === pod ? noteOf(event) : null;
		if (note) out.push({ step, time, ...note });
	}
	return out;
}

/**
 * The event that kubectl would list for an event of the trace; null if there is none.
 * @param {AnyEvent} event @returns {Omit<Note, "step" | "time"> | null}
 */
function noteOf(event) {
	switch (event.type) {
		case "VictimEvicted":
			return {
				type: "Normal",
				reason: "Preempted",
				message: `Preempted by ${event.preemptor} on node ${event.node}`,
			};
		case "SchedulingFailed":
			return { type: "Warning", reason: "FailedScheduling", message: event.message };
		case "PodBound":
			return {
				type: "Normal",
				reason: "Scheduled",
				message: event.message || `Successfully assigned ${event.pod} to ${event.node}`,
			};
		default:
			return null;
	}
}
