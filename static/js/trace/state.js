// @ts-check
/**
 * What is visible between two events, and `apply`, the only writer. Keyframe n plus the events of chunk n comes to the
 * same as keyframe n + 1. Records (pods, nodes) are replaced, never edited, so a fork of the state costs two shallow
 * copies and shares everything else.
 */

import { HANDLERS, setCycle } from "./fold.js";

/** @returns {State} */
export function emptyState() {
	return {
		step: 0,
		time: 0,
		attempt: 0,
		nodes: new Map(),
		order: [],
		pods: new Map(),
		storage: new Map(),
		cycle: {},
		group: null,
		pod_groups: new Map(),
		finished: false,
		deleted: [],
		title: "",
		profiles: [],
		plugins: {},
		feature_gates: {},
		wakes: {},
		kubernetes_version: "",
		replay: false,
	};
}

/**
 * The state before a chunk: as the run began, and what has become of that since (scheduler_core/trace/keyframe.py).
 * Undefined while the beginning is not here.
 * @param {TraceChunk["keyframe"]} keyframe @param {State} [began] the state after RunStarted
 * @returns {State | undefined}
 */
export function fromKeyframe(keyframe, began) {
	if ("nodes" in keyframe) return HANDLERS.whole(emptyState(), keyframe);
	const { step, time, since = [], cycle = [], group = [], order } = keyframe;
	if (!step) return emptyState();
	if (!began) return undefined;
	const state = { ...fork(began), replay: true };
	for (const event of since) apply(state, event);
	setCycle(state, cycle);
	HANDLERS.Group?.(state, { events: group });
	const attempt = state.cycle.CycleStarted?.attempt ?? state.group?.started.first_attempt ?? 0;
	return Object.assign(state, { step, time, attempt, order: order ?? state.order, replay: false });
}

/** A state that can be moved on without touching this one. @param {State} state @returns {State} */
export function fork(state) {
	return {
		...state,
		nodes: new Map(state.nodes),
		pods: new Map(state.pods),
		storage: new Map(state.storage),
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
