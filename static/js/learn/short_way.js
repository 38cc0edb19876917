// @ts-check
/**
 * The short way through a run stops only at its decisions. A frame that rejects no node, makes no difference or is a
 * repetition is folded into the next one, unless the scenario's text refers to it. This depends only on the run.
 */

import { t } from "../shared/i18n.js";
import { shortPod } from "../shared/names.js";
import { seconds } from "../shared/units.js";
import { filterModel, stoppedBy } from "../steps/filter/model.js";
import { question, scoreName } from "../steps/parts/words.js";
import { actOf, preemptionIn } from "../steps/preempt/model.js";
import { framesOf } from "../steps/registry.js";
import { scores, totalsAfter } from "../steps/score/bars.js";
import { isAt } from "../trace/anchor.js";
import { decodeColumn } from "../trace/feed.js";

/** @typedef {import("./answers.js").Spot} Spot */
/** @typedef {{store: ChunkStore, step: number, frame: number, event: any, spoken: Spoken}} Place */
/** @typedef {(event: AnyEvent, state: State) => boolean} Spoken whether the scenario's text refers to the event */

const MAX_NAMED = 4;
/** Kinds of folded frames, in the order in which they are named. */
const FOLDS = ["time", "change", "also", "pass", "again", "same", "lead"];
const MAX_BACK = 400; // frames or steps that are searched backwards

export class ShortWay {
	/** @param {ChunkStore} store @param {import("../trace/anchor.js").Anchor[]} captions of the scenario's text */
	constructor(store, captions) {
		this.store = store;
		this.on = false;
		/** @type {Set<string>} frames that were unfolded, as `step.frame` */
		this.unfolded = new Set();
		/** @type {WeakMap<object, boolean[]>} by event: which of its frames are folded */
		this.known = new WeakMap();
		const types = new Set(captions.map(({ event }) => event));
		/** @type {Spoken} */
		this.spoken = (event, state) =>
			types.has(event.type) && captions.some((caption) => isAt(caption, event, state.attempt, state));
	}

	/**
	 * Whether a frame is skipped on the short way.
	 * @param {number} step
	 * @param {number} frame
	 * @param {FilterOrder} [order]
	 */
	passes(step, frame, order = "plugin") {
		if (!this.on || this.unfolded.has(`${step}.${frame}`)) return false;
		return this.folds(step, frame, order);
	}

	/**
	 * Whether the short way leaves out the frame, even if it is off or the frame is unfolded.
	 * @param {number} step @param {number} frame @param {FilterOrder} order
	 */
	folds(step, frame, order) {
		const { store, known, spoken } = this;
		const event = store.event(step);
		if (!event || (order === "node" && event.type === "NodesFiltered")) return false;
		const cached = known.get(event);
		if (cached) return cached[frame] ?? false;
		const frames = Array.from({ length: framesOf(event) }, (_, i) =>
			isFolded({ store, step, frame: i, event, spoken }),
		);
		if (store.event(step + 1) || store.complete) known.set(event, frames);
		return frames[frame] ?? false;
	}

	/**
	 * The frames that are folded into a place: those between the previous stop and itself.
	 * @param {Player} player
	 * @param {Spot} place
	 */
	foldedInto({ order }, { step, frame }) {
		const folded = [];
		let at = { step, frame };
		while (folded.length < MAX_BACK) {
			at = at.frame
				? { step: at.step, frame: at.frame - 1 }
				: { step: at.step - 1, frame: this.lastFrame(at.step - 1, order) };
			if (at.step < 0 || !this.passes(at.step, at.frame, order)) break;
			folded.unshift(at);
		}
		return folded;
	}

	/** The index of a step's last frame; 0 if it is not loaded. @param {number} step @param {FilterOrder} order */
	lastFrame(step, order) {
		const event = this.store.event(step);
		return event ? framesOf(event, order) - 1 : 0;
	}

	/** Shows frames that were left out. @param {Spot[]} frames */
	unfold(frames) {
		for (const { step, frame } of frames) this.unfolded.add(`${step}.${frame}`);
	}
}

/** Whether a frame decides nothing or is repeated, and the scenario's text does not mention it. @param {Place} place */
function isFolded(place) {
	const { frame, event, spoken } = place;
	const own = RULES[event.type];
	if (!own) return false;
	const whole = frame === framesOf(event) - 1;
	if (whole && spoken(event, stateOf(place))) return false;
	return own(place) || (whole && isRepeated(place));
}

/** The state after the place's step. @param {Place} place @returns {State} */
const stateOf = ({ store, step }) => /** @type {State} */ (store.stateAfter(step));
/** The state before the place's step. @param {Place} place @returns {State} */
const stateBefore = ({ store, step }) => /** @type {State} */ (store.stateAfter(step - 1) ?? store.stateAfter(step));

/** Whether every plugin accepts the pod or skips it. @param {any[]} results */
const isPassed = (results = []) => results.every(({ code = "Success" }) => code === "Success" || code === "Skip");

/**
 * By type of event: whether a frame decides nothing. An event without a rule is never folded.
 * @type {Record<string, (place: Place) => boolean>}
 */
const RULES = {
	ClockAdvanced: () => true,
	CycleStarted: (place) => !isChosenFirst(place),
	PreFilterFinished: ({ event }) => !event.rejected_by && !event.nodes,
	NodesFiltered: passesAll,
	ScoresComputed: keepsLeader,
	HostSelected: ({ event }) => (event.ties ?? []).length < 2,
	PreemptionEvaluated: isIdleAct,
	PodAssumed: isBoundNext,
	PodReserved: ({ event }) => isPassed(event.results),
	PodPreBound: ({ event }) => isPassed(event.results),
	PermitEvaluated: (place) => place.event.code === "Success" || isGroupDecided(place, place.event.code === "Wait"),
	PermitDecided: (place) => isGroupDecided(place, place.event.decision === "allowed"),
	PodNominated: (place) => Boolean(stateOf(place).cycle.PreemptionEvaluated) && !comesAfter(place, "PodEnqueued"),
	NominationCleared: (place) => Boolean(stateOf(place).cycle.PodAssumed),
	SchedulingFailed: ({ store, step, event }) => isOf(store.event(step + 1), "PodEnqueued", event.pod),
	PodEnqueued: isExpected,
	PodGated: () => false,
	PodActivated: () => true,
	PodGroupMemberDecided: ({ event }) => Boolean(event.node),
	PodGroupCycleFinished: () => true,
	PodUnreserved: () => false,
	PodBound: (place) => isFollowedByMember(place) || isBoundAgain(place),
	VictimEvicted: () => false,
	ObjectApplied: (place) => isBookkeeping(place.event) || isRequested(place),
	ObjectDeleted: isStoppedAlready,
	AttemptFinished: () => true,
	WorkloadStatusWritten: () => true,
	PodDeletionRequested: ({ event }) => event.by === "default-scheduler", // its eviction shows it
	PodStarted: () => true,
	PodReadinessChanged: ({ event }) => event.ready || event.by === "node-controller", // its node's condition shows it
	PodRestarted: () => false,
	PodFinished: ({ store, step, event }) => Boolean(event.terminating) && !wakesPods(store, step),
	PodConditionSet: () => true,
	NodeConditionChanged: () => false,
	EvictionAnswered: () => false,
	NodeGroupResized: () => false,
	ScaleUpEvaluated: ({ event }) => !event.options?.some((/** @type {any} */ option) => option.chosen),
	ScaleDownEvaluated: ({ event }) => !event.nodes.some(goesNow),
	EventRecorded: (place) =>
		place.event.reason !== "FailedCreate" || wasShown(place, ({ message }) => message === place.event.message),
	RequestMade: isShownAlready,
};

/** Whether a controller only writes a field of a workload, such as its revision. @param {any} event */
const isBookkeeping = ({ by, workload, action, because }) => Boolean(by && workload) && action === "update" && !because;

/** Whether the request that changed a workload is the next event. @param {Place} place */
const isRequested = ({ store, step, event }) =>
	!event.by && Boolean(event.workload) && event.action === "update" && store.event(step + 1)?.type === "RequestMade";

/** The type of event that shows a request completely, by the request's verb. */
const SHOWN_BY = {
	taint: "ObjectApplied",
	delete: "PodDeletionRequested",
	finish: "PodFinished",
	ready: "PodReadinessChanged",
};

/**
 * Whether the previous event shows a request completely; for a drain, whether that event is one of the drain's own.
 * @param {Place} place
 */
function isShownAlready({ store, step, event }) {
	if (event.verb === "drain" && !event.error) return isBy(store.event(step - 1), "kubectl drain");
	const type = /** @type {Record<string, string>} */ (SHOWN_BY)[event.verb];
	return !event.error && store.event(step - 1)?.type === type;
}

/** Whether the end of a pod moves other pods to a queue. @param {ChunkStore} store @param {number} step */
const wakesPods = (store, step) => store.event(step + 1)?.type === "PodEnqueued";

/** Whether the kubelet's event about the stopped pod was already shown. @param {Place} place */
function isStoppedAlready({ store, step, event }) {
	if (event.because?.name !== "stopped") return false;
	const pod = `${event.namespace}/${event.name}`;
	for (const { event: other, step: at } of store.walk(step - 1, -1))
		if (step - at > MAX_BACK) break;
		else if (isOf(other, "PodFinished", pod)) return wakesPods(store, at);
	return false;
}

/** Whether an actor caused the event. @param {any} event @param {string} actor */
const isBy = (event, actor) => event?.by === actor;

/** Whether a node is removed in this pass. @param {{outcome: string}} node */
const goesNow = ({ outcome }) => outcome === "delete" || outcome === "replace";

/** Whether the previous event is of this type and about the same pod. @param {Place} place @param {string} type */
const comesAfter = ({ store, step, event }, type) => isOf(store.event(step - 1), type, event.pod);

/**
 * Whether an event is of this type and about this pod.
 * @param {any} event @param {string} type @param {string} pod
 */
const isOf = (event, type, pod) => event?.type === type && event.pod === pod;

/**
 * Whether the pod is the first to be tried since one entered activeQ, and the priorities there differ.
 * @param {Place} place
 */
function isChosenFirst(place) {
	const { store, step, event } = place;
	if (event.pod_group) return false;
	for (const { event: other } of store.walk(step - 1, -1)) {
		if (other.type === "CycleStarted") return false;
		if (other.type === "PodEnqueued" && other.queue === "active") break;
	}
	const { pods } = stateBefore(place);
	const own = pods.get(event.pod)?.summary.priority ?? 0;
	return [...pods.values()].some(
		(pod) => pod.place === "active" && pod.summary.pod !== event.pod && (pod.summary.priority ?? 0) !== own,
	);
}

/**
 * Whether the plugin rejects no node, or the same nodes for the same reasons as before. Not the last frame if the only
 * evaluated node passes, or if it is the one of a first attempt that leaves the pod no node.
 * @param {Place} place
 */
function passesAll(place) {
	const { event, frame } = place;
	const model = filterModel(stateOf(place));
	if (!model?.names.length) return false;
	if (stoppedBy(model, frame).length) {
		const rejection = rejections(event)[frame];
		const { pods, cycle } = stateOf(place);
		const first = (pods.get(cycle.CycleStarted?.pod ?? "")?.attempts ?? 0) <= 1;
		if (first && !model.feasible.length && frame === framesOf(event) - 1) return false; // it leaves the pod no node
		return Boolean(rejection) && wasShown(place, (other) => rejections(other).includes(rejection));
	}
	if (frame < framesOf(event) - 1) return true;
	return model.feasible.length !== 1 || model.feasible.length < model.evaluated;
}

/** @type {WeakMap<object, string[]>} */
const rejected = new WeakMap();

/** For each plugin, the rows that it rejects and the reasons, as one text; "" for none. @param {NodesFiltered} event */
function rejections(event) {
	const known = rejected.get(event);
	if (known) return known;
	const { verdicts, evaluated, total, start } = event;
	const rows = event.rows == null ? null : decodeColumn(event.rows, evaluated);
	const lines = event.plugins.map(() => /** @type {string[]} */ ([]));
	[...decodeColumn(event.verdict, evaluated)].forEach((verdict, i) => {
		const { plugin = "", reasons = [] } = verdicts[verdict - 1] ?? {};
		lines[event.plugins.indexOf(plugin)]?.push(`${rows ? rows[i] : (start + i) % total} ${reasons}`);
	});
	const keys = lines.map((line, k) => (line.length ? `${event.plugins[k]}: ${line.sort()}` : ""));
	rejected.set(event, keys);
	return keys;
}

/**
 * Whether an earlier event of the same type showed the same.
 * @param {Place} place @param {(other: any) => boolean} same
 */
function wasShown({ store, step, event }, same) {
	for (const { event: other, step: at } of store.walk(step - 1, -1)) {
		if (step - at > MAX_BACK) return false;
		if (other.type === event.type && same(other)) return true;
	}
	return false;
}

/**
 * Whether the same nodes lead before and after the plugin's points, or its difference was shown in an earlier attempt
 * and does not decide this one. The frame with the totals is never folded.
 * @param {Place} place
 */
function keepsLeader(place) {
	const model = scores(stateOf(place));
	const { frame } = place;
	if (!model || frame >= model.plugins.length) return false;
	const { plugin, weighted } = model.plugins[frame];
	if (weighted.every((score) => score === weighted[0])) return true;
	const [before, after] = [leaders(model, frame), leaders(model, frame + 1)];
	if (before.join() === after.join()) return true;
	const decides = before.length < model.names.length && after.join() === leaders(model, model.plugins.length).join();
	return !decides && wasShown(place, (other) => differs(other, plugin));
}

/**
 * Whether the plugin gave the nodes different points.
 * @param {import("../trace/trace").ScoresComputed} event @param {string} plugin
 */
function differs({ plugins, count }, plugin) {
	const points = plugins.find((scorer) => scorer.plugin === plugin)?.normalized;
	return points !== undefined && new Set(decodeColumn(points, count)).size > 1;
}

/** The nodes with the most points from the first `count` plugins. @param {Scores} model @param {number} count */
function leaders(model, count) {
	const totals = totalsAfter(model, count);
	const top = Math.max(...totals);
	return model.names.filter((_, i) => totals[i] === top);
}

/**
 * Whether an act of a preemption changes nothing: the opening, a reprieve of no pod, a criterion that all candidates
 * meet equally; or there are no candidates, as in the pod's previous attempt.
 * @param {Place} place
 */
function isIdleAct(place) {
	const { event, frame } = place;
	const preemption = preemptionIn(event);
	if (!preemption.candidates.length) return isUselessAgain(place);
	const { act, at } = actOf(preemption, frame);
	if (act === "candidates") return true;
	if (act === "reprieve") return !preemption.candidates.some((candidate) => candidate.reprieve[at - 1]?.reprieved);
	if (act === "criterion")
		return at < preemption.criteria && !preemption.candidates.some((candidate) => candidate.rung === at);
	return false;
}

/** Whether preemption found no candidates in the pod's previous attempt either. @param {Place} place */
function isUselessAgain(place) {
	const { store, step } = place;
	const pod = stateOf(place).cycle.CycleStarted?.pod;
	/** @type {any} */
	let evaluated = null;
	for (const { event, step: at } of store.walk(step - 1, -1)) {
		if (step - at > MAX_BACK) return false;
		if (event.type === "PreemptionEvaluated") evaluated = event;
		if (event.type !== "CycleStarted") continue;
		if (event.pod === pod && evaluated) return !evaluated.candidates.length;
		evaluated = null;
	}
	return false;
}

/** Whether the pod is bound, or evaluated at Permit, in the same attempt. @param {Place} place */
function isBoundNext({ store, step, event }) {
	for (const { event: next } of store.walk(step + 1, 1)) {
		if (isOf(next, "PodBound", event.pod) || isOf(next, "PermitEvaluated", event.pod)) return true;
		if (/^(CycleStarted|ClockAdvanced|AttemptFinished|BindingFailed)$/.test(next.type)) return false;
	}
	return false;
}

/**
 * Whether an event is the expected result of the decision about a group.
 * @param {Place} place @param {boolean} expected
 */
const isGroupDecided = (place, expected) =>
	expected && Boolean(stateOf(place).group?.decided) && !stateOf(place).group?.finished;

/** Whether the totals already showed the node, and an earlier binding was shown. @param {Place} place */
function isBoundAgain(place) {
	const { cycle } = stateOf(place);
	return cycle.CycleStarted?.pod === place.event.pod && Boolean(cycle.ScoresComputed) && wasShown(place, () => true);
}

/** Whether another member of the pod's group is bound next. @param {Place} place */
function isFollowedByMember(place) {
	const { store, step, event } = place;
	const state = stateOf(place);
	const group = state.pods.get(event.pod)?.summary.pod_group;
	if (!group) return false;
	for (const { event: next } of store.walk(step + 1, 1)) {
		if (next.type === "PodBound") return state.pods.get(next.pod)?.summary.pod_group === group;
		if (/^(CycleStarted|ClockAdvanced|PodGroupConditionWritten)$/.test(next.type)) return false;
	}
	return false;
}

/**
 * Whether a move to a queue is expected: a nomination follows, the failure that caused it was shown or folded, the pod
 * moved this way before, or a new pod enters activeQ, alone or right after a creation.
 * @param {Place} place
 */
function isExpected(place) {
	const { store, step, event, spoken } = place;
	const before = /** @type {any} */ (store.event(step - 1));
	if (isOf(store.event(step + 1), "PodNominated", event.pod)) return true;
	if (isOf(before, "SchedulingFailed", event.pod)) return spoken(before, stateBefore(place)) || isAttemptFolded(place);
	const { pods } = stateBefore(place);
	if (pods.get(event.pod)?.attempts)
		return wasShown(
			place,
			(other) => other.pod === event.pod && other.queue === event.queue && other.event === event.event,
		);
	const alone = ![...pods.values()].some((pod) => pod.place === "active" && pod.summary.pod !== event.pod);
	return event.queue === "active" && (alone || before?.type === "ObjectApplied");
}

/** Whether all frames of the failed attempt are folded. @param {Place} place */
function isAttemptFolded({ store, step, spoken }) {
	for (const { event, step: at } of store.walk(step - 1, -1)) {
		if (event.type === "CycleStarted") return true;
		const frames = event.type === "SchedulingFailed" ? 0 : framesOf(event);
		for (let frame = 0; frame < frames; frame += 1)
			if (!isFolded({ store, step: at, frame, event, spoken })) return false;
	}
	return false;
}

/** Whether the next event is the same for another pod, or another change at the same time. @param {Place} place */
function isRepeated(place) {
	const { store, step, event } = place;
	if (isChange(event)) return isChangedAgain(place);
	const next = /** @type {any} */ (store.event(step + 1));
	if (next?.type !== event.type) return false;
	switch (event.type) {
		case "PodEnqueued":
			return next.event === event.event && next.queue === event.queue;
		case "VictimEvicted":
			return next.preemptor === event.preemptor;
		case "PodGated":
			return next.plugin === event.plugin;
		default:
			return event.type === "PodUnreserved";
	}
}

/** Whether a pod is created or deleted. @param {any} event */
function isChange(event) {
	return event.kind === "Pod" && (event.type === "ObjectDeleted" || event.action === "create");
}

/**
 * Whether the next event that is shown is another pod that the same actor creates or deletes at the same time.
 * @param {Place} place
 */
function isChangedAgain({ store, step, event: own, spoken }) {
	for (const { event, step: at } of store.walk(step + 1, 1)) {
		if (isChange(event)) return isAlike(/** @type {any} */ (event), own);
		if (/^(ClockAdvanced|CycleStarted)$/.test(event.type)) return false;
		if (!isFolded({ store, step: at, frame: framesOf(event) - 1, event, spoken })) return false;
	}
	return false;
}

/** Whether the same actor does the same to another pod of the same owner. @param {any} event @param {any} other */
const isAlike = (event, other) =>
	event.by === other.by && (!event.by || (event.type === other.type && event.pod?.owner === other.pod?.owner));

/**
 * A short text about the folded frames: the plugins, and the number of other steps.
 * @param {ChunkStore} store @param {Spot[]} frames @param {AnyEvent} event that they are folded into
 * @returns {string} "" for none
 */
export function foldedText(store, frames, event) {
	/** @type {Map<string, string[]>} */
	const named = new Map(FOLDS.map((kind) => [kind, []]));
	let more = 0;
	for (const { step, frame } of frames) {
		const [kind, name] = foldOf(store, step, frame, event);
		const names = named.get(kind);
		if (!names) more += 1;
		else if (!names.includes(name)) names.push(name);
	}
	const words = [...named].flatMap(([kind, names]) =>
		names.length ? [t(`fold.${kind}`, { names: firstNames(names) })] : [],
	);
	if (more) words.push(t("fold.more", { n: more }));
	return words.join(" · ");
}

/** The first names, and the number of the others. @param {string[]} names */
function firstNames(names) {
	return names.length > MAX_NAMED
		? t("fold.names", { names: names.slice(0, MAX_NAMED - 1).join(t("list.comma")), n: names.length - MAX_NAMED + 1 })
		: names.join(t("list.comma"));
}

/**
 * The kind of a folded frame, and the name that is shown for it; "" and "" for one that is only counted.
 * @param {ChunkStore} store
 * @param {number} step
 * @param {number} frame
 * @param {AnyEvent} into
 * @returns {[string, string]}
 */
function foldOf(store, step, frame, into) {
	const state = store.stateAfter(step);
	const event = /** @type {any} */ (store.event(step));
	if (event.type === "NodesFiltered")
		return [rejections(event)[frame] ? "again" : "pass", question(event.plugins[frame] ?? "").replace(/[?？]$/, "")];
	if (isChange(event)) return ["change", `${event.type === "ObjectDeleted" ? "−" : "+"}${shortPod(event.name)}`];
	if (event.type === "ClockAdvanced") return ["time", seconds(event.time)];
	if (event.type === into.type && typeof event.pod === "string") return ["also", shortPod(event.pod)];
	const scorer = event.type === "ScoresComputed" && state ? scores(state)?.plugins[frame] : null;
	if (!scorer) return ["", ""];
	return [scorer.weighted.every((score) => score === scorer.weighted[0]) ? "same" : "lead", scoreName(scorer.plugin)];
}
