// @ts-check
/** The pod and the extension point that an event belongs to, and how far the pod has come. */

import { actorOf } from "./actors.js";
import { EVENTS } from "./events.js";

/** @typedef {"todo" | "done" | "current" | "skipped" | "failed" | "undone"} StationState */

/** The extension points in order, by phase. */
export const STATIONS = /** @type {const} */ ({
	queueing: ["PreEnqueue", "QueueSort"],
	scheduling: ["PreFilter", "Filter", "PostFilter", "PreScore", "Score", "Reserve", "Permit"],
	binding: ["PreBind", "Bind", "PostBind"],
});
const ALL = Object.values(STATIONS).flat();

/** The steps of the releases before the scheduling framework: their names, and the extension points of today. */
const FORMER_STATIONS = {
	scheduling: [
		["Predicates", "Filter"],
		["Preempt", "PostFilter"],
		["Priorities", "Score"],
		["Select", "Score"],
		["Assume", "Reserve"],
	],
	binding: [["Bind", "Bind"]],
};
const BEFORE_THE_FRAMEWORK = new Set(["1.15", "1.16"]);
/** In 1.18 plugins filter and score, and preemption is the scheduler's own step. */
const BEFORE_POST_FILTER = "1.18";

/** Whether the release has predicates and priorities instead of plugins. @param {string} release */
export function hasPredicates(release) {
	return BEFORE_THE_FRAMEWORK.has(release);
}

/**
 * The stations that the rail shows for a release, as [name, extension point], by phase.
 * @param {string} release @returns {Record<string, string[][]>}
 */
export function stationsIn(release) {
	if (hasPredicates(release)) return FORMER_STATIONS;
	const nameOf = (/** @type {string} */ point) =>
		point === "PostFilter" && release === BEFORE_POST_FILTER ? "Preempt" : point;
	const entries = Object.entries(STATIONS).map(([phase, points]) => [
		phase,
		points.map((point) => [nameOf(point), point]),
	]);
	return Object.fromEntries(entries);
}

/** The extension point that a type of event declares; undefined if it declares none. @param {string} type */
const pointOfType = (type) => EVENTS[/** @type {AnyEvent["type"]} */ (type)]?.extension_point;

/** The extension point of an event; "" if it belongs to none. @param {AnyEvent} event @param {State} state */
export function pointOf(event, state) {
	if (event.type === "BindingFailed") return event.point;
	if (event.type === "SchedulingFailed" || event.type === "PodUnreserved") return failedPoint(state, event.pod);
	if (event.type === "DecisionObserved") return ALL[pointsReached(state, event.pod) - 1] ?? "";
	if (event.type === "VictimEvicted" && podBeingTried(state) !== event.preemptor) return ""; // beside the cycles
	if (event.type === "PodEnqueued") return enqueuedPoint(event, state);
	if (event.type === "NominationCleared")
		return state.cycle.PodAssumed ? "Reserve" : state.cycle.PreemptionEvaluated ? "PostFilter" : "";
	if (event.type === "ObjectApplied" && WRITTEN.test(event.kind) && state.cycle.PodAssumed && podBeingTried(state))
		return "PreBind";
	return (
		pointOfType(event.type) ??
		(podBeingTried(state) && !("pod" in event) ? pointReached(state, subjectOf(event, state)) : "")
	);
}

/** Kinds that PreBind plugins write. */
const WRITTEN = /^PersistentVolume|^ResourceClaim$/;

/**
 * The extension point of a PodEnqueued event; "" between attempts.
 * @param {import("./trace").PodEnqueued} event
 * @param {State} state
 */
function enqueuedPoint({ pod }, state) {
	const subject = podBeingTried(state);
	if (!subject) return "";
	return pod === subject ? failedPoint(state, pod) : pointReached(state, subject);
}

/**
 * The extension point that the subject's attempt has reached when an event about something else occurs: Permit while
 * the pod waits there, and after Reserve at least PreBind, whose plugins write objects.
 * @param {State} state @param {string} subject
 */
function pointReached(state, subject) {
	if (state.pods.get(subject)?.place === "waiting") return "Permit";
	const writes = state.cycle.PodReserved?.pod === subject ? 1 + ALL.indexOf("PreBind") : 0;
	return ALL[Math.max(writes, pointsReached(state, subject)) - 1] ?? "";
}

/** The pod whose attempt is in progress; "" if there is none. @param {State} state @returns {string} */
export function podBeingTried({ cycle, group }) {
	return cycle.AttemptFinished || group?.condition ? "" : (cycle.CycleStarted?.pod ?? "");
}

/**
 * The number of extension points up to the last that an attempt has reached.
 * @param {State} state @param {string} subject
 */
function pointsReached(state, subject) {
	const { cycle } = state;
	const done = Object.entries(cycle).filter(([, event]) => !event.pod || event.pod === subject);
	const points = done.map(([type]) => pointOfType(type) ?? "");
	if (cycle.SchedulingFailed?.pod === subject) points.push(failedPoint(state, subject));
	return 1 + Math.max(-1, ...points.map((point) => ALL.indexOf(/** @type {any} */ (point))));
}

/** The extension point at which a pod's attempt failed. @param {State} state @param {string} pod */
function failedPoint(state, pod) {
	const failed = state.cycle.BindingFailed;
	if (failed?.pod === pod) return failed.point;
	const tried = state.group?.runs.at(-1)?.members.find((member) => member.pod === pod);
	const group = tried || state.cycle.CycleStarted?.pod_group ? state.group : null; // tried as one
	if (state.cycle.PreemptionEvaluated || group?.preemption) return "PostFilter";
	if (group) return tried?.node ? "Permit" : "Filter";
	return state.cycle.NodesFiltered ? "Filter" : "PreFilter";
}

/** The pod that the event is about; "" if there is none. @param {AnyEvent} event @param {State} state */
export function subjectOf(event, state) {
	const cycle = state.cycle.CycleStarted?.pod ?? "";
	if (actorOf(event)) return ""; // the stage is a controller's
	switch (event.type) {
		case "PodDeletionRequested":
			return podBeingTried(state);
		case "VictimEvicted":
			return state.pods.has(event.preemptor) ? event.preemptor : ""; // the preemptor may be a pod group
		case "NominationCleared":
		case "PreFilterFinished":
		case "NodesFiltered":
		case "DevicesSearched":
		case "PreemptionEvaluated":
		case "ScoresComputed":
		case "HostSelected":
			return cycle;
		case "ObjectApplied":
			return event.pod?.pod ?? podBeingTried(state);
		case "PodActivated":
			return event.by;
		case "PodsKeptWaiting":
			return podBeingTried(state) || (event.pods.length === 1 ? event.pods[0].pod : "");
		case "PodEnqueued": // an attempt's effect on other pods counts as its own event
			return podBeingTried(state) || event.pod;
		default:
			return "pod" in event && typeof event.pod === "string" ? event.pod : podBeingTried(state);
	}
}

/**
 * The state of each extension point for the event's pod, for the rail.
 * @param {AnyEvent} event @param {State} state @returns {Map<string, StationState>}
 */
export function stations(event, state) {
	const subject = subjectOf(event, state);
	const own = state.cycle.CycleStarted?.pod === subject ? state.cycle : {};
	const ended = event.type === "AttemptFinished" || (event.type !== "SchedulingFailed" && hasFailed(own, subject));
	const current = ended ? "" : pointOf(event, state);
	const now = ended ? pointsReached(state, subject) : ALL.indexOf(/** @type {any} */ (current));
	const out = new Map();
	ALL.forEach((point, i) => out.set(point, i < now ? "done" : "todo"));
	if (now >= ALL.indexOf("PreFilter")) markSkippedAndFailed(out, own, now);
	if (current) out.set(current, "current");
	// with one node left there is nothing to score
	if (event.type === "HostSelected" && !state.cycle.ScoresComputed && !hasPredicates(state.kubernetes_version))
		out.set("PreScore", "skipped").set("Score", "skipped");
	markUndone(out, event, state, subject);
	if (own.PodBound?.pod === subject && event.type !== "PodBound") out.set("PostBind", "done");
	return out;
}

/**
 * Whether the pod's attempt has failed: the events after that belong to none of its extension points.
 * @param {Record<string, any>} cycle @param {string} pod
 */
const hasFailed = ({ SchedulingFailed: failed }, pod) => Boolean(pod) && failed?.pod === pod;

/**
 * Marks the points that were skipped, or at which the attempt failed.
 * @param {Map<string, StationState>} out @param {Record<string, any>} cycle @param {number} now the index of the point
 */
function markSkippedAndFailed(out, cycle, now) {
	if (cycle.PreFilterFinished?.rejected_by) out.set("PreFilter", "failed").set("Filter", "skipped");
	if (cycle.NodesFiltered && !cycle.NodesFiltered.feasible) out.set("Filter", "failed");
	if (now > ALL.indexOf("PostFilter") && !cycle.PreemptionEvaluated) out.set("PostFilter", "skipped");
	if (now > ALL.indexOf("Score") && cycle.CycleStarted && !cycle.ScoresComputed)
		out.set("PreScore", "skipped").set("Score", "skipped");
}

/**
 * If binding failed, marks the point at which it did, and once the pod is unreserved also the points from Reserve up to
 * it.
 * @param {Map<string, StationState>} out @param {AnyEvent} event @param {State} state @param {string} subject
 */
function markUndone(out, event, state, subject) {
	const { BindingFailed: failed, PodUnreserved: undone } = state.cycle;
	if (failed?.pod !== subject || !["BindingFailed", "PodUnreserved", "SchedulingFailed"].includes(event.type)) return;
	out.set(failed.point, event.type === "BindingFailed" ? "current" : "failed");
	if (undone?.pod !== subject) return;
	for (const point of ALL.slice(ALL.indexOf("Reserve"), ALL.indexOf(failed.point))) out.set(point, "undone");
}
