// @ts-check
/**
 * The steps: a folder each, an entry here, words in static/i18n. What an entry imports comes with the first event that
 * needs it, or when the page is idle.
 */

import { filterFrames } from "./filter/model.js";
import { GROUPS } from "./parts/late.js";
import { theatreFrames } from "./preempt/model.js";

const LANES = 200; // nodes; more are cells
const BARS = 12; // and reasons written on lanes; more are grouped where they have no room

/** A frame for each plugin, and one for the result. @param {import("../trace/trace").ScoresComputed} event */
function scoreFrames(event) {
	return event.plugins.length + (event.extenders?.length ?? 0) + 1;
}

/** Pictures, each with a `draw`, and parts of pictures. */
export const PICTURES = {
	cluster: () => import("./cluster/view.js"),
	lanes: () => import("./filter/lanes.js"),
	funnel: () => import("./filter/funnel.js"),
	bars: () => import("./score/bars.js"),
	preempt: () => import("./preempt/view.js"),
	strips: () => import("./binding/view.js"),
	running: () => import("./preempt/running.js"),
	claims: () => import("./cluster/claims.js"),
	scores: () => import("./many/ranked.js"),
	cells: () => import("./many/cells.js"),
	reasons: () => import("./many/reason_groups.js"),
	gang: () => import("./group/view.js"),
};

/** @type {Record<StepName, Step>} */
export const STEPS = {
	cluster: {
		tells: ["ClockAdvanced", "ObjectApplied", "ObjectDeleted"],
		captions: () => import("./cluster/captions.js"),
		picture: (nodes) => [nodes > LANES ? "cells" : "cluster"],
		explains: ["room"],
		explanation: () => import("./cluster/explanation.js"),
	},
	run: {
		tells: ["RunStarted", "RunFinished"],
		captions: () => import("./run/captions.js"),
		explains: ["run"],
		explanation: () => import("./run/explanation.js"),
	},
	queue: {
		tells: [
			"PodEnqueued",
			"PodsKeptWaiting",
			"PodGated",
			"PodIgnored",
			"PodActivated",
			"CycleStarted",
			"AttemptFinished",
		],
		captions: () => import("./queue/captions.js"),
		explains: ["priority", "backoff", "queues"],
		explanation: () => import("./queue/explanation.js"),
	},
	prefilter: {
		tells: ["PreFilterFinished"],
		captions: () => import("./prefilter/captions.js"),
		explains: ["request"],
		explanation: () => import("./prefilter/explanation.js"),
	},
	filter: {
		tells: ["NodesFiltered"],
		captions: () => import("./filter/captions.js"),
		shows: ["CycleStarted", "PreFilterFinished", "NodesFiltered"],
		picture: (nodes) =>
			nodes > LANES ? ["cells"] : nodes > BARS ? ["lanes", "funnel", "reasons"] : ["lanes", "funnel"],
		frames: { NodesFiltered: filterFrames },
		explains: ["verdict", "column"],
		explanation: () => import("./filter/explanation.js"),
	},
	score: {
		tells: ["ScoresComputed", "HostSelected"],
		captions: () => import("./score/captions.js"),
		shows: ["ScoresComputed", "HostSelected"],
		picture: (nodes) => (nodes > LANES ? ["cells"] : nodes > BARS ? ["scores"] : ["lanes", "bars"]),
		frames: { ScoresComputed: scoreFrames },
		explains: ["score", "total", "compare"],
		explanation: () => import("./score/explanation.js"),
	},
	preempt: {
		tells: [
			"PreemptionEvaluated",
			"VictimEvicted",
			"PreemptionStarted",
			"PreemptionFinished",
			"PodNominated",
			"NominationCleared",
		],
		captions: () => import("./preempt/captions.js"),
		shows: ["PreemptionEvaluated", "VictimEvicted", "PreemptionStarted", "PodNominated"],
		picture: () => ["preempt"],
		frames: { PreemptionEvaluated: theatreFrames },
		explains: ["candidate", "candidates", "start"],
		explanation: () => import("./preempt/explanation.js"),
	},
	binding: {
		tells: [
			"PodAssumed",
			"PodReserved",
			"PermitEvaluated",
			"PermitDecided",
			"PodPreBound",
			"PodBound",
			"BindingFailed",
			"PodUnreserved",
			"SchedulingFailed",
		],
		captions: () => import("./binding/captions.js"),
		explains: ["message"],
		explanation: () => import("./binding/explanation.js"),
	},
	group: {
		tells: [
			"PodGroupCycleStarted",
			"PlacementStarted",
			"PodGroupEvaluated",
			"PlacementsScored",
			"PodGroupPreemptionEvaluated",
			"PodGroupDecided",
			"PodGroupMemberDecided",
			"PodGroupConditionWritten",
			"PodGroupCycleFinished",
		],
		captions: () => import("./group/captions.js"),
		picture: () => ["gang"],
		explains: ["group"],
		explanation: () => import("./group/explanation.js"),
	},
};

/** @template T @param {(name: StepName, step: Step) => [string, T][]} entries */
function collected(entries) {
	return new Map(Object.entries(STEPS).flatMap(([name, step]) => entries(/** @type {StepName} */ (name), step)));
}

const SHOWS = collected((name, { shows = [] }) => shows.map((type) => [type, name]));
const FRAMES = collected((_, { frames = {} }) => Object.entries(frames));

/** Whose captions speak of an event. */
export const TELLS = collected((name, { tells }) => tells.map((type) => [type, name]));

/** Who explains a number. */
export const EXPLAINS = collected((name, { explains = [] }) => explains.map((kind) => [kind, name]));

/** The step whose picture is on. @param {AnyEvent} event @param {State} state @returns {StepName} */
export function sceneOf(event, state) {
	const { cycle } = state;
	if (GROUPS.shown?.(event, state)) return "group";
	if (event.type === "HostSelected") return cycle.ScoresComputed ? "score" : "filter";
	if (event.type === "VictimEvicted" && !cycle.VictimEvicted) return "cluster"; // beside the cycles
	const own = SHOWS.get(event.type);
	if (own) return own;
	// the picture of what the attempt came to stays until the attempt is over
	if (!cycle.CycleStarted || cycle.AttemptFinished || cycle.PodAssumed || event.type === "AttemptFinished")
		return "cluster";
	if (cycle.PreemptionEvaluated) return "preempt";
	return cycle.NodesFiltered ? "filter" : "cluster";
}

/**
 * The event whose moment a step's picture shows, for as long as it is on.
 * @type {Partial<Record<StepName, AnyEvent["type"]>>}
 */
const MOMENTS = { filter: "NodesFiltered", score: "ScoresComputed", preempt: "PreemptionEvaluated" };

/** @param {StepName | undefined} name */
export function momentOfStep(name) {
	return name && MOMENTS[name];
}

/**
 * One event, several frames: plugin by plugin, node by node, act by act.
 * @param {AnyEvent | undefined} event
 * @param {FilterOrder} [order]
 */
export function framesOf(event, order = "plugin") {
	return (event && FRAMES.get(event.type)?.(event, order)) ?? 1;
}
