// @ts-check
/**
 * What is visible between two events, and `apply`, the only writer. It folds events as scheduler_core/trace/fold.py
 * does: keyframe n plus the events of chunk n is keyframe n + 1. Records (pods, nodes) are replaced, never edited, so a
 * fork of the state costs two shallow copies and shares everything else.
 */

import { fullNode, fullPod, HANDLERS } from "./fold.js";

/** @returns {State} */
export function emptyState() {
	return {
		step: 0,
		time: 0,
		attempt: 0,
		nodes: new Map(),
		order: [],
		pods: new Map(),
		cycle: {},
		finished: false,
		deleted: [],
		title: "",
		profiles: [],
		plugins: {},
		feature_gates: {},
		kubernetes_version: "",
	};
}

/** @param {import("./trace").Keyframe} keyframe @returns {State} */
export function fromKeyframe(keyframe) {
	const { nodes, pods, ...rest } = keyframe;
	return {
		...emptyState(),
		...rest,
		nodes: new Map(Object.entries(nodes).map(([name, node]) => [name, fullNode(node)])),
		pods: new Map(Object.entries(pods).map(([key, pod]) => [key, fullPod(pod)])),
	};
}

/** A state that can be moved on without touching this one. @param {State} state @returns {State} */
export function fork(state) {
	return {
		...state,
		nodes: new Map(state.nodes),
		pods: new Map(state.pods),
		cycle: { ...state.cycle },
	};
}

/** Move the state past one event. @param {State} state @param {AnyEvent} event @returns {State} the same object */
export function apply(state, event) {
	const handler = /** @type {any} */ (HANDLERS)[event.type];
	if (handler) handler(state, event);
	state.step += 1;
	return state;
}
