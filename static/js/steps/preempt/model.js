// @ts-check
/** The preemption of this cycle in frames: the candidates, the dry run, one reprieve after another, the criteria. */

import { allocatable, request, used } from "../../trace/room.js";

/** @typedef {"candidates" | "removed" | "reprieve" | "criterion" | "result"} Act */
const MAX_RANKS = 12;

/** The preemption of this cycle; null before it is evaluated. @param {State} state @returns {Preemption | null} */
export function preemptionOf(state) {
	const event = state.cycle.PreemptionEvaluated;
	return event ? preemptionIn(event) : null;
}

/** The preemption that an event records. @param {PreemptionEvaluated} event @returns {Preemption} */
export function preemptionIn(event) {
	const candidates = event.candidates;
	const ranks = Math.min(MAX_RANKS, Math.max(0, ...candidates.map((candidate) => candidate.reprieve.length)));
	const criteria = candidates.length > 1 ? Math.max(...candidates.map((candidate) => candidate.rung ?? 0)) : 0;
	return {
		event,
		candidates,
		all: candidates.length + (event.more?.count ?? 0),
		chosen: candidates.find((candidate) => !candidate.rung),
		ranks,
		criteria,
	};
}

/** The number of frames in which a preemption is shown, at least 1. @param {PreemptionEvaluated} event */
export function preemptionFrames(event) {
	const { candidates, ranks, criteria } = preemptionIn(event);
	return candidates.length ? 2 + ranks + criteria + (criteria ? 0 : 1) : 1;
}

/**
 * The act that a frame shows, and its number within that act.
 * @param {Preemption} preemption
 * @param {number} frame
 * @returns {{act: Act, at: number}}
 */
export function actOf(preemption, frame) {
	if (!preemption.candidates.length || frame <= 0) return { act: "candidates", at: 0 };
	if (frame === 1) return { act: "removed", at: 0 };
	if (frame < 2 + preemption.ranks) return { act: "reprieve", at: frame - 1 };
	if (!preemption.criteria) return { act: "result", at: 0 };
	return { act: "criterion", at: Math.min(frame - 1 - preemption.ranks, preemption.criteria) };
}

/**
 * The dry run of a candidate in cpu, or in memory if the pod requests no cpu: the amount that the pod needs (`need`),
 * the free amount without the removed pods (`empty`), and with each pod that is put back (`after`, in `tried`).
 * @param {State} state
 * @param {Candidate} candidate
 * @param {string} subject
 */
export function roomInDryRun(state, candidate, subject) {
	const node = /** @type {NodeState} */ (state.nodes.get(candidate.node));
	const resource = state.pods.get(subject)?.summary.requests?.cpu ? "cpu" : "memory";
	const free = allocatable(node, resource) - used(node, resource);
	const empty = candidate.removed.reduce(
		(sum, key) => sum + (node.pods.includes(key) ? request(state, key, resource) : 0),
		free,
	);
	let left = empty;
	const tried = candidate.reprieve.map((step) => {
		const after = left - request(state, step.pod, resource);
		if (step.reprieved) left = after;
		return { ...step, after };
	});
	return { resource, need: request(state, subject, resource), empty, tried };
}
