// @ts-check
/** What would be free on a candidate, without its pods of lower priority and then with one after another put back. */

import { allocatable, request, used } from "../../trace/room.js";

/**
 * In the resource that the pod asks for. A pod that may not stay is taken off again before the next is tried.
 * @param {State} state
 * @param {Candidate} candidate
 * @param {string} hero
 */
export function roomOf(state, candidate, hero) {
	const node = /** @type {NodeState} */ (state.nodes.get(candidate.node));
	const resource = state.pods.get(hero)?.summary.requests?.cpu ? "cpu" : "memory";
	const whole = allocatable(node, resource) - used(node, resource);
	const empty = candidate.removed.reduce(
		(sum, key) => sum + (node.pods.includes(key) ? request(state, key, resource) : 0),
		whole,
	);
	let left = empty;
	const tried = candidate.reprieve.map((one) => {
		const after = left - request(state, one.pod, resource);
		if (one.reprieved) left = after;
		return { ...one, after };
	});
	return { resource, need: request(state, hero, resource), empty, tried };
}
