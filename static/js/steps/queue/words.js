// @ts-check
/** Captions of the scheduling queue, and of the start and end of an attempt. */

import { h } from "../../shared/dom.js";
import { has, list, num, parts, t } from "../../shared/i18n.js";
import { shortPod } from "../../shared/names.js";
import { decimal, nameInKey, seconds } from "../../shared/units.js";
import { panel, row, rule, table } from "../parts/panel.js";
import { node, ordinal, pod, priorityOf } from "../parts/words.js";
import { activeOrder, needNotWait } from "./view.js";

/** The caption of a pod that enters a queue. @param {Context} context @returns {Partial<Caption>} */
function enqueuedCaption({ state, event, subject }) {
	const record = state.pods.get(event.pod);
	const values = {
		pod: pod(event.pod, subject),
		event: event.event,
		priority: num(priorityOf(state, event.pod), `priority:${event.pod}`),
		attempts: num(ordinal(record?.attempts ?? 0), `pod:${event.pod}`),
		fails: record?.attempts ?? 0,
	};
	const meanwhile = subject && subject !== event.pod ? parts("queue.meanwhile", { pod: pod(subject, subject) }) : [];
	const why = meanwhile.length ? meanwhile : hintsWhy(event);
	if (event.queue === "active") return activeCaption(state, event, values, why);
	if (event.queue === "unschedulable") {
		const plugins = record?.unschedulable_plugins ?? [];
		const eyebrow = parts("eyebrow.unschedulable");
		const nominated = subject === event.pod && state.cycle.SchedulingFailed?.nominated_node;
		if (nominated && record?.nominated_node === nominated)
			return {
				eyebrow,
				sentence: parts("nominated.preemptor", { ...values, node: node(nominated) }),
				why: parts("nominated.preemptor.why"),
			};
		const victims = subject === event.pod ? (state.cycle.PreemptionEvaluated?.victims ?? []) : [];
		return {
			eyebrow,
			sentence: victims.length
				? parts("queue.unschedulable.victims", { ...values, n: victims.length })
				: parts("queue.unschedulable", values),
			why: plugins.length
				? parts("queue.unschedulable.why", { plugins: list(plugins), n: plugins.length, pod: values.pod })
				: parts("queue.unschedulable.nobody"),
		};
	}
	return backoffCaption(state, event, values, why);
}

/**
 * The caption of a pod in backoffQ: it moves at the first check after its backoff, or as soon as activeQ is empty.
 * @param {State} state
 * @param {any} event
 * @param {Record<string, any>} values
 * @param {Part[]} why
 * @returns {Partial<Caption>}
 */
function backoffCaption(state, event, values, why) {
	const end = event.backoff_until ?? state.time;
	const over = end <= state.time;
	const grouped = state.pods.get(event.pod)?.summary.pod_group; // taken along by its group
	const early = (grouped || !event.error_backoff) && state.feature_gates.SchedulerPopFromBackoffQ !== false;
	const named = {
		...values,
		until: num(seconds(flushAfter(end, state.time)), `backoff:${event.pod}`),
		backoff: num(`${decimal(end - event.timestamp)} s`, `backoff:${event.pod}`),
		end: num(seconds(end)),
	};
	const first = needNotWait(state, event) ? ".first" : ".early"; // how it is popped
	const key = `queue.backoff${over ? ".over" : early ? first : ""}`;
	const reason = parts(over || key.endsWith(".first") ? `${key}.why` : "queue.backoff.why", named);
	return {
		eyebrow: parts("eyebrow.backoff"),
		sentence: parts(key, named),
		why: [...why, ...(why.length ? [" "] : []), ...reason],
	};
}

/**
 * The time at which backoffQ, flushed every second, releases a pod whose backoff ends at `end`.
 * @param {number} end
 * @param {number} now
 */
export function flushAfter(end, now) {
	return Math.floor(Math.max(end, now)) + 1;
}

/**
 * The caption of a pod that enters activeQ, with its place there.
 * @param {State} state
 * @param {any} event
 * @param {Record<string, any>} values
 * @param {Part[]} why
 * @returns {Partial<Caption>}
 */
function activeCaption(state, event, values, why) {
	const order = activeOrder(state);
	const place = order.indexOf(event.pod) + 1;
	const fresh = event.event === "UnschedulablePodAdd";
	const alone = order.length === 1 ? ".alone" : "";
	const key = `queue.active${fresh ? "" : ".moved"}${alone}`;
	const filled = {
		...values,
		cause: causeWords(event, state),
		place: num(ordinal(place), `priority:${event.pod}`),
		n: num(order.length),
		rest: place - 1,
	};
	const ahead = order.slice(0, place - 1).map((name) => pod(name));
	return {
		eyebrow: parts("eyebrow.active"),
		sentence: parts(key, filled),
		why: why.length
			? why
			: ahead.length
				? parts("queue.active.ahead", { pods: list(ahead, 3) })
				: parts(alone ? "queue.active.only" : "queue.active.first"),
	};
}

/** The caption of an event after which pods stay unschedulable. @param {Context} context @returns {Partial<Caption>} */
function keptWaiting({ state, event, subject }) {
	const plugins = [
		...new Set(
			event.pods.flatMap((/** @type {any} */ entry) => entry.hints.map((/** @type {any} */ hint) => hint.plugin)),
		),
	];
	const pods = event.pods.map((/** @type {any} */ entry) => pod(entry.pod, subject));
	const more = event.count > pods.length ? [t("list.more", { n: event.count - pods.length })] : [];
	const values = {
		cause: causeWords(event, state, subject),
		pods: list([...pods, ...more]),
		plugins: list(plugins),
		n: plugins.length,
		count: event.count,
	};
	return {
		eyebrow: parts("eyebrow.kept"),
		sentence: parts("queue.kept", values),
		why: parts("queue.kept.why", values),
	};
}

/**
 * A cluster event in words. kube-scheduler also reports the end of a nomination as if a pod had left its node.
 * @param {any} event
 * @param {State} state
 * @param {string} [subject] the pod whose attempt may have caused it
 * @returns {Part[]}
 */
function causeWords({ event, pod: moved }, { cycle }, subject = "") {
	if (event === "AssignedPodDelete" && cycle.NominationCleared && !cycle.AttemptFinished && !cycle.VictimEvicted) {
		const { pod: loser } = cycle.NominationCleared.at(-1);
		return loser === moved
			? parts("event.NominationCleared.own")
			: parts("event.NominationCleared", { pod: shortPod(loser) });
	}
	if (event === "AssignedPodAdd" && subject) return parts("event.AssignedPodAdd.named", { pod: pod(subject, subject) });
	const writes = cycle.PodAssumed && !cycle.AttemptFinished && subject !== moved; // PreBind, into a claim
	if (subject && writes && has(`event.${event}.written`))
		return parts(`event.${event}.written`, { pod: pod(subject, subject) });
	return has(`event.${event}`) ? parts(`event.${event}`) : [event];
}

/** Names the plugins whose hints moved the pod; [] if there are none. @param {any} event @returns {Part[]} */
function hintsWhy(event) {
	const hints = event.hints ?? [];
	const wakes = hints
		.filter((/** @type {any} */ hint) => hint.hint === "Queue")
		.map((/** @type {any} */ hint) => hint.plugin);
	if (!wakes.length) return [];
	if (event.event.includes("GatesEliminated")) return parts("queue.hints.gate");
	return parts("queue.hints", { plugins: list(wakes), n: wakes.length });
}

/** The caption of an attempt's start: why it is this pod's. @param {Context} context @returns {Partial<Caption>} */
function cycleStarted({ state, event, subject }) {
	const waiting = activeOrder(state);
	const priority = priorityOf(state, event.pod);
	const values = {
		pod: pod(event.pod, subject),
		priority: num(priority, `priority:${event.pod}`),
		n: num(waiting.length),
	};
	const nextPriority = waiting[0] ? priorityOf(state, waiting[0]) : null;
	const early = event.source === "backoff";
	const key = early ? "cycle.backoff" : nextPriority === null ? "cycle.only" : "cycle.first";
	const equal = nextPriority === priority;
	const why = early
		? parts("cycle.backoff.why")
		: nextPriority === null
			? parts("cycle.only.why")
			: parts(equal ? "cycle.equal" : "cycle.lower", {
					other: pod(waiting[0]),
					priority: num(nextPriority, `priority:${waiting[0]}`),
					pod: pod(event.pod, subject),
				});
	const again = event.pod_attempts > 1 ? [" ", ...parts("cycle.again", { n: ordinal(event.pod_attempts) })] : [];
	return {
		sentence: parts(key, values),
		why: [...why, ...again],
		next: state.nodes.size ? [] : parts("next.cycle.none"),
	};
}

/** The caption of the end of an attempt. @param {Context} context @returns {Partial<Caption>} */
function attemptFinished({ state, event, subject }) {
	const waiting = activeOrder(state).length;
	const place = state.pods.get(event.pod)?.place;
	// its binding cycle goes on
	const still = event.outcome === "Scheduled" && (place === "waiting" || place === "binding") ? `.${place}` : "";
	return {
		eyebrow: parts("eyebrow.attempt", { n: event.attempt }),
		sentence: parts(`attempt.${event.outcome}${still}`, {
			n: num(event.attempt),
			pod: pod(event.pod, subject),
			node: node(event.node || (state.pods.get(event.pod)?.nominated_node ?? "")),
		}),
		why: waiting ? parts("attempt.waiting", { n: num(waiting) }) : parts("attempt.nobody"),
	};
}

/**
 * The caption of a gated pod, in the words for the plugin that gates it.
 * @param {Context} context @returns {Partial<Caption>}
 */
function gatedCaption({ event, state, subject }) {
	const { gates = [], pod_group = "" } = state.pods.get(event.pod)?.summary ?? {};
	const min = state.pod_groups.get(pod_group)?.summary.min_count;
	const own = `queue.gated.${event.plugin}`;
	const key = [...(min ? [] : [`${own}.basic`]), own].find(has) ?? "queue.gated.any";
	const values = {
		pod: pod(event.pod, subject),
		plugin: event.plugin,
		gates: list(gates),
		n: gates.length,
		min: num(min ?? 0),
	};
	return { sentence: parts(key, values), why: parts(has(`${own}.why`) ? `${own}.why` : "queue.gated.why", values) };
}

/** @type {Record<string, (context: Context) => Partial<Caption>>} */
export const CAPTIONS = {
	PodEnqueued: enqueuedCaption,
	PodsKeptWaiting: keptWaiting,
	PodGated: gatedCaption,
	PodIgnored: ({ event, subject }) => ({
		eyebrow: parts("eyebrow.change"),
		sentence: parts("queue.ignored", { pod: pod(event.pod, subject), scheduler: event.scheduler }),
		why: parts("queue.ignored.why"),
	}),
	PodActivated: ({ event, subject }) => ({
		eyebrow: parts("eyebrow.active"),
		sentence: parts("queue.activated", { pod: pod(event.pod, subject), by: pod(event.by, subject) }),
		why: parts("queue.activated.why"),
	}),
	CycleStarted: cycleStarted,
	AttemptFinished: attemptFinished,
};

/**
 * The margin's panel for the queues, a priority, or a backoff.
 * @param {View} view @param {string} kind @param {string} first @returns {Child}
 */
export function explain(view, kind, first) {
	if (kind === "queues") return travelsPanel(view);
	return kind === "priority" ? priorityPanel(view, first) : backoffPanel(view, first);
}

const MAX_WAITING = 12; // pods in the table

/** The margin's panel for a pod's priority: the order of activeQ. @param {View} view @param {string} key */
function priorityPanel(view, key) {
	const { state } = view;
	const waiting = activeOrder(state);
	const own = state.pods.get(key);
	const [[sorter] = []] = Object.values(state.plugins)[0]?.queue_sort ?? [];
	return panel(
		t("margin.order"),
		t("margin.priorityof", { pod: shortPod(key), n: own?.summary.priority ?? 0 }),
		table(
			["activeQ", t("margin.priority"), t("margin.since")],
			waiting.slice(0, MAX_WAITING).map((name) => {
				const record = state.pods.get(name);
				return row(
					name,
					[shortPod(name), String(record?.summary.priority ?? 0), seconds(record?.timestamp ?? 0)],
					name === key ? "hot" : "",
				);
			}),
		),
		sorter && rule(state, sorter, "key"),
	);
}

/**
 * The panel about a pod's backoff; null if the pod does not exist at this step.
 * @param {View} view @param {string} key
 */
function backoffPanel(view, key) {
	const record = view.state.pods.get(key);
	if (!record) return null;
	const wait = (record.backoff_until ?? view.state.time) - record.timestamp;
	return panel(
		t("margin.backoff"),
		nameInKey(key),
		h(
			"p",
			{ key: "f", class: "formula" },
			t("margin.backoff.until", {
				from: seconds(record.timestamp),
				wait: decimal(wait),
				until: seconds(record.backoff_until ?? 0),
			}),
		),
		h("p", { key: "doubles", class: "note" }, t("margin.backoff.doubles")),
		h(
			"p",
			{ key: "flush", class: "note" },
			t("margin.backoff.flush", { at: seconds(flushAfter(record.backoff_until ?? 0, view.state.time)) }),
		),
	);
}

/** The moves between queues, in the order in which a pod can make them. @type {[string, string][]} */
const MOVES = [
	["new", "active"],
	["new", "gated"],
	["gated", "active"],
	["active", "cycle"],
	["backoff", "cycle"],
	["cycle", "bound"],
	["cycle", "unschedulable"],
	["cycle", "backoff"],
	["cycle", "active"],
	["unschedulable", "active"],
	["unschedulable", "backoff"],
	["backoff", "active"],
];

/** The margin's panel for the queues: how often pods moved between them. @param {View} view @returns {Child} */
function travelsPanel(view) {
	const tally = countTravels(view);
	const name = (/** @type {string} */ place) => t(`travels.${place}`);
	return panel(
		t("travels.label"),
		t("travels.title"),
		table(
			[t("travels.from"), t("travels.to"), "×"],
			MOVES.map(([from, to]) =>
				row(
					`${from}${to}`,
					[
						name(from),
						h("span", null, name(to), h("small", null, t(`travels.why.${from}.${to}`))),
						String(tally.get(`${from} ${to}`) ?? 0),
					],
					tally.has(`${from} ${to}`) ? "" : "never",
				),
			),
		),
		h("p", { key: "note", class: "note" }, t("travels.note")),
	);
}

/**
 * Counts the moves of all pods between queues up to this step.
 * @param {View} view @returns {Map<string, number>} by "from to"
 */
function countTravels({ store, step: here }) {
	/** @type {Map<string, string>} */
	const at = new Map();
	/** @type {Map<string, number>} */
	const out = new Map();
	const go = (/** @type {string} */ pod, /** @type {string} */ to) => {
		const move = `${at.get(pod) ?? "new"} ${to}`;
		at.set(pod, to);
		out.set(move, (out.get(move) ?? 0) + 1);
	};
	for (const { step, event } of store.walk(0, 1)) {
		if (step > here) break;
		if (event.type === "PodEnqueued") go(event.pod, event.queue);
		else if (event.type === "PodGated") go(event.pod, "gated");
		else if (event.type === "CycleStarted") go(event.pod, "cycle");
		else if (event.type === "PodBound") go(event.pod, "bound");
		else if (event.type === "ObjectDeleted" && event.kind === "Pod") at.delete(`${event.namespace}/${event.name}`);
	}
	return out;
}
