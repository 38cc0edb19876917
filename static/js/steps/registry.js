// @ts-check
/**
 * The registry of steps: each has a folder, an entry here, and texts in static/i18n. The entries determine the picture
 * and the caption of an event and frame, and the explanation of a number.
 */

import { has, parts, t } from "../shared/i18n.js";
import { shortPod } from "../shared/names.js";
import { actorOf } from "../trace/actors.js";
import { pointOf, subjectOf } from "../trace/phase.js";
import { draw as drawAutoscaling } from "./autoscaling/view.js";
import * as autoscalingExplanation from "./autoscaling/words.js";
import { CAPTIONS as autoscaling } from "./autoscaling/words.js";
import * as bindingExplanation from "./binding/words.js";
import { CAPTIONS as binding } from "./binding/words.js";
import { draw as drawCluster } from "./cluster/view.js";
import * as clusterExplanation from "./cluster/words.js";
import { CAPTIONS as cluster } from "./cluster/words.js";
import { workloadOf } from "./controllers/model.js";
import * as controllersExplanation from "./controllers/words.js";
import { CAPTIONS as controllers } from "./controllers/words.js";
import { draw as drawDevices } from "./devices/view.js";
import * as devicesExplanation from "./devices/words.js";
import { CAPTIONS as devices, searchFrames } from "./devices/words.js";
import { draw as drawLanes } from "./filter/lanes.js";
import { filterFrames } from "./filter/model.js";
import * as filterExplanation from "./filter/words.js";
import { CAPTIONS as filter } from "./filter/words.js";
import { shown as groupShown } from "./group/around.js";
import { draw as drawGroup } from "./group/view.js";
import * as groupExplanation from "./group/words.js";
import { CAPTIONS as group } from "./group/words.js";
import { drawCells, drawRanked } from "./many/view.js";
import { node, pod } from "./parts/words.js";
import { preemptionFrames } from "./preempt/model.js";
import { draw as drawPreemption } from "./preempt/view.js";
import * as preemptExplanation from "./preempt/words.js";
import { CAPTIONS as preempt } from "./preempt/words.js";
import * as prefilterExplanation from "./prefilter/words.js";
import { CAPTIONS as prefilter } from "./prefilter/words.js";
import * as queueExplanation from "./queue/words.js";
import { CAPTIONS as queue } from "./queue/words.js";
import * as runExplanation from "./run/words.js";
import { CAPTIONS as run } from "./run/words.js";
import * as scoreExplanation from "./score/words.js";
import { CAPTIONS as score } from "./score/words.js";

const LANES = 200; // nodes; more are cells
const BARS = 12; // nodes; of more, only the best have bars

/** A frame for each plugin, and one for the result. @param {import("../trace/trace").ScoresComputed} event */
function scoreFrames(event) {
	return event.plugins.length + (event.extenders?.length ?? 0) + 1;
}

/** The functions that draw the stage, by picture. @type {Record<PictureName, Draw>} */
export const PICTURES = {
	cluster: drawCluster,
	lanes: drawLanes,
	preempt: drawPreemption,
	scores: drawRanked,
	cells: drawCells,
	gang: drawGroup,
	devices: drawDevices,
	pass: drawAutoscaling,
};

/** @type {Record<StepName, Step>} */
const STEPS = {
	cluster: {
		captions: cluster,
		picture: (nodes) => (nodes > LANES ? "cells" : "cluster"),
		explains: ["room"],
		...clusterExplanation,
	},
	run: { captions: run, explains: ["run"], ...runExplanation },
	queue: { captions: queue, explains: ["priority", "backoff", "queues"], ...queueExplanation },
	prefilter: { captions: prefilter, explains: ["request"], ...prefilterExplanation },
	filter: {
		captions: filter,
		shows: ["CycleStarted", "PreFilterFinished", "NodesFiltered"],
		picture: (nodes) => (nodes > LANES ? "cells" : "lanes"),
		moment: "NodesFiltered",
		frames: { NodesFiltered: filterFrames },
		explains: ["verdict", "column"],
		...filterExplanation,
	},
	devices: {
		captions: devices,
		shows: ["DevicesSearched"],
		picture: () => "devices",
		moment: "DevicesSearched",
		frames: { DevicesSearched: searchFrames },
		explains: ["search"],
		...devicesExplanation,
	},
	score: {
		captions: score,
		shows: ["ScoresComputed", "HostSelected"],
		picture: (nodes) => (nodes > LANES ? "cells" : nodes > BARS ? "scores" : "lanes"),
		moment: "ScoresComputed",
		frames: { ScoresComputed: scoreFrames },
		explains: ["score", "total", "compare"],
		...scoreExplanation,
	},
	preempt: {
		captions: preempt,
		shows: ["PreemptionEvaluated", "PreemptionStarted"],
		picture: () => "preempt",
		moment: "PreemptionEvaluated",
		frames: { PreemptionEvaluated: preemptionFrames },
		explains: ["candidate", "candidates", "start"],
		...preemptExplanation,
	},
	binding: { captions: binding, explains: ["message"], ...bindingExplanation },
	controllers: {
		captions: controllers,
		picture: (nodes) => (nodes > LANES ? "cells" : "cluster"),
		explains: ["workload"],
		...controllersExplanation,
	},
	autoscaling: {
		captions: autoscaling,
		shows: ["ScaleUpEvaluated", "ScaleDownEvaluated"],
		picture: () => "pass",
		explains: ["pass"],
		...autoscalingExplanation,
	},
	group: { captions: group, picture: () => "gang", explains: ["group"], ...groupExplanation },
};

/**
 * A Map of the entries that the function returns for each step.
 * @template T @param {(name: StepName, step: Step) => [string, T][]} entries
 */
function collectEntries(entries) {
	return new Map(Object.entries(STEPS).flatMap(([name, step]) => entries(/** @type {StepName} */ (name), step)));
}

const SHOWS = collectEntries((name, { shows = [] }) => shows.map((type) => [type, name]));
const FRAMES = collectEntries((_, { frames = {} }) => Object.entries(frames));
/** The caption functions by event type. */
export const CAPTIONS = collectEntries((_, { captions }) => Object.entries(captions));
/** The step that explains a number, by kind of reference. */
const EXPLAINS = collectEntries((name, { explains }) => explains.map((kind) => [kind, name]));

/** The step whose picture is shown. @param {AnyEvent} event @param {State} state @returns {StepName} */
export function sceneOf(event, state) {
	const { cycle } = state;
	if (groupShown(event, state)) return "group";
	if (event.type === "HostSelected" || (event.type === "DecisionObserved" && cycle.HostSelected))
		return cycle.ScoresComputed ? "score" : cycle.DevicesSearched ? "devices" : "filter";
	const own = SHOWS.get(event.type);
	// where its resources are free again
	if (event.type === "ObjectDeleted" || (!own && actorOf(event))) return "cluster";
	if (own) return own;
	// the picture of the result stays until the attempt is over
	if (!cycle.CycleStarted || cycle.AttemptFinished || cycle.PodAssumed || event.type === "AttemptFinished")
		return "cluster";
	if (event.type === "VictimEvicted" || cycle.VictimEvicted || cycle.PodNominated) return "cluster"; // shows the effect
	if (cycle.PreemptionEvaluated) return "preempt";
	return cycle.DevicesSearched ? "devices" : cycle.NodesFiltered ? "filter" : "cluster";
}

/** The picture of a step. @param {StepName} scene @param {State} state @returns {PictureName} */
export function pictureOf(scene, { nodes, cycle }) {
	// where evicting pods cannot help, the lanes stay and say why
	const shown =
		scene === "preempt" && cycle.NodesFiltered && !cycle.PreemptionEvaluated?.candidates?.length ? "filter" : scene;
	return STEPS[shown].picture?.(nodes.size) ?? "cluster";
}

/** The type of event whose state a step's picture shows; undefined for the current state. @param {StepName} scene */
export function momentOfStep(scene) {
	return STEPS[scene].moment;
}

/**
 * The number of frames of an event: by plugin, by node, or by act; 1 for most.
 * @param {AnyEvent | undefined} event
 * @param {FilterOrder} [order]
 */
export function framesOf(event, order = "plugin") {
	return (event && FRAMES.get(event.type)?.(event, order)) ?? 1;
}

/**
 * The caption of an event and frame: words are in the catalogue, numbers come from the state.
 * @param {Context} context @returns {Caption}
 */
export function captionOf(context) {
	const subject = subjectOf(context.event, context.state);
	const { type } = context.event;
	const describe = (context.state.group && CAPTIONS.get(`group.${type}`)) ?? CAPTIONS.get(type);
	const caption = describe?.({ ...context, subject }) ?? {};
	return {
		eyebrow: caption.eyebrow ?? parts(`eyebrow.${pointOf(context.event, context.state) || "between"}`),
		sentence: caption.sentence ?? [type],
		why: joinSentences(caption.why ?? []),
		next: caption.next?.length ? caption.next : nextOf({ ...context, subject }),
	};
}

/** Sentences, without spaces between them if the language has none. @param {Part[]} why @returns {Part[]} */
function joinSentences(why) {
	return t("sentence.gap") ? why : why.filter((part) => part !== " ");
}

/** The announcement of the next step, never of its result. @param {Context} context @returns {Part[]} */
export function nextOf({ event, frame, order, following, state, subject }) {
	if (frame < framesOf(event, order) - 1) return parts("next.frame");
	if (!following) return state.finished ? parts("next.finished") : parts("next.unknown");
	const name = "pod" in following && typeof following.pod === "string" ? following.pod : subject;
	const { type, queue, action, plugin, pod_group } = following;
	const key = `next.${type}.${queue || action || (pod_group && "group") || plugin || state.pods.get(name)?.place}`;
	const values = {
		pod: pod(name, subject),
		node: node(following.node ?? ""),
		n: state.nodes.size,
		kind: following.kind ?? "",
		group: following.group ?? "",
		name: following.kind === "Pod" ? shortPod(following.name) : (following.name ?? ""),
	};
	return parts(has(key) ? key : `next.${type}`, values);
}

/**
 * A reference to the number that decides in the frame on screen; null or undefined if there is none.
 * @param {Asked} place
 */
export function askedAt(place) {
	return STEPS[place.scene].asked?.(place);
}

/**
 * A reference to the number that is explained when the reader selected none and none decides.
 * @param {State} state @param {string} subject @param {AnyEvent} event
 */
export function unasked(state, subject, event) {
	const record = state.pods.get(subject);
	const workload = record ? "" : workloadOf(event, state);
	if (workload) return `workload:${workload}`;
	if (record?.node) return `room:${record.node}:cpu`;
	return record ? `request:${subject}` : "run";
}

/**
 * The origin of a number: the rule in words, the arithmetic with this pod's values, the API's text, the source.
 * @param {View} view @param {string} ref the selected number: "score:node-1:ImageLocality" @returns {Child}
 */
export function explainRef(view, ref) {
	const [kind, first = "", ...rest] = ref.split(":");
	const second = rest.join(":"); // an extender's name is an address
	const step = STEPS[EXPLAINS.get(kind) ?? "prefilter"]; // PreFilter's says what a pod requests
	return step.explain({ ...view, state: view.moment(step.moment) }, kind, first, second);
}
