// @ts-check
/** The loaded chunks of a run, decoded: events and states by step. There may be gaps. */

import { apply, fork, fromKeyframe } from "./state.js";

/** The maximum number of events that are applied to reach a step; states in between are kept. */
const APART = 512;
/** The number of recently used states that are kept too. */
const RECENT = 16;

export class ChunkStore {
	constructor() {
		/** @type {Chunk[]} sparse, by seq */
		this.chunks = [];
		this.complete = false;
		/** @type {Chunk | undefined} the last one looked up */
		this.latest = undefined;
		/** @type {State[]} used recently, latest first */
		this.recent = [];
	}

	/** Adds a chunk, and sets the first state of every chunk for which it is now known. */
	put(/** @type {TraceChunk} */ { seq, first_step: first, events, keyframe, last }) {
		this.chunks[seq] = { seq, first, time: keyframe.time, events, keyframe, kept: [], last };
		if (last) this.complete = true;
		for (const chunk of this.chunks) if (chunk?.keyframe) this.setFirstState(chunk, chunk.keyframe);
	}

	/**
	 * Sets a chunk's first state, if it is known: the end of the previous chunk if that is loaded, so that equal
	 * records are shared; otherwise the keyframe's.
	 * @param {Chunk} chunk
	 * @param {TraceChunk["keyframe"]} keyframe
	 */
	setFirstState(chunk, keyframe) {
		const base = this.stateAfter(chunk.first - 1) ?? fromKeyframe(keyframe, this.stateAfter(0));
		if (!base) return;
		chunk.kept = [base];
		chunk.keyframe = null;
	}

	/** Whether a chunk is loaded. @param {number} seq */
	has(seq) {
		return seq in this.chunks;
	}

	/** The step after the last loaded event, 0 if none is loaded; there may be gaps before it. */
	get steps() {
		const last = this.chunks.at(-1);
		return last ? last.first + last.events.length : 0;
	}

	/** The loaded chunk that contains a step; undefined if there is none. @param {number} step */
	chunkFor(step) {
		const holds = (/** @type {Chunk | undefined} */ chunk) =>
			chunk && step >= chunk.first && step < chunk.first + chunk.events.length;
		if (!holds(this.latest)) this.latest = this.chunks.find(holds);
		return this.latest;
	}

	/**
	 * The event at a step; undefined while its chunk is not loaded.
	 * @param {number} step @returns {AnyEvent | undefined}
	 */
	event(step) {
		const chunk = this.chunkFor(step);
		return chunk?.events[step - chunk.first];
	}

	/**
	 * The state after the event `step`; undefined while its chunk is not loaded, or waits for the run's first chunk.
	 * @param {number} step
	 */
	stateAfter(step) {
		const chunk = this.chunkFor(step);
		if (!chunk?.kept.length) return undefined;
		const count = step + 1 - chunk.first;
		const near = this.recent
			.filter((other) => other.step <= step + 1)
			.reduce((best, other) => (other.step > best.step ? other : best), keptBefore(chunk, count));
		const state = near.step > step ? near : foldEvents(near, chunk, near.step - chunk.first, count);
		this.recent = [state, ...this.recent.filter((other) => other !== state)].slice(0, RECENT);
		return state;
	}

	/** Yields the loaded events from a step on, forwards or backwards. @param {number} from @param {1 | -1} by */
	*walk(from, by) {
		for (let step = from; step >= 0 && step < this.steps; step += by) {
			const event = this.event(step);
			if (event) yield { step, event };
		}
	}
}

/**
 * The last kept state before event `count` of a chunk; kept states are created as needed.
 * @param {Chunk} chunk @param {number} count
 */
function keptBefore(chunk, count) {
	const passed = Math.floor(count / APART);
	for (let i = chunk.kept.length; i <= passed; i += 1)
		chunk.kept.push(foldEvents(chunk.kept[i - 1], chunk, (i - 1) * APART, i * APART));
	return chunk.kept[passed];
}

/**
 * The state after the events of a chunk from index `from` up to, not including, `to`.
 * @param {State} before @param {Chunk} chunk @param {number} from @param {number} to
 */
function foldEvents(before, { events }, from, to) {
	const state = fork(before);
	for (let at = from; at < to; at += 1) apply(state, events[at]);
	return state;
}

/**
 * The state after this attempt's last event of a type; the current state if there was none, or if that is the step's
 * event.
 * @param {ChunkStore} store @param {number} step the current one @param {State} state there
 * @param {AnyEvent["type"]} type
 */
export function momentOf(store, step, state, type) {
	if (!state.cycle[type]) return state;
	for (const { step: at, event } of store.walk(step, -1)) {
		if (event.type === "CycleStarted" || (event.type === type && at === step)) return state;
		if (event.type === type) return store.stateAfter(at) ?? state;
	}
	return state;
}
