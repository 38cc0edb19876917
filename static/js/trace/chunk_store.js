// @ts-check
/** The chunks of a run that are here, decoded: any event and any state by number. Gaps are allowed. */

import { chunkOf } from "./feed.js";
import { apply, fork, fromKeyframe } from "./state.js";

/** So many events are folded at most to come to any step: states in between are kept once they have been passed. */
const APART = 512;

export class ChunkStore {
	constructor() {
		/** @type {Chunk[]} sparse, by seq */
		this.chunks = [];
		this.complete = false;
		/** @type {{step: number, state: State} | null} the state asked for last, to move on from */
		this.cursor = null;
	}

	/** Take a chunk in. */
	put(/** @type {TraceChunk} */ { seq, first_step: first, events, keyframe, last }) {
		this.chunks[seq] = { seq, first, time: keyframe.time, events, keyframe, kept: [], last };
		if (last) this.complete = true;
		for (const chunk of this.chunks) if (chunk?.keyframe) this.begin(chunk, chunk.keyframe);
	}

	/**
	 * If the previous chunk is here, its end is this one's start, so that equal records are shared.
	 * @param {Chunk} chunk
	 * @param {TraceChunk["keyframe"]} keyframe
	 */
	begin(chunk, keyframe) {
		const before = this.chunks[chunk.seq - 1];
		const opening = this.chunks[0];
		const began = opening?.kept.length ? stateIn(opening, 1) : undefined;
		const base = before?.kept.length ? stateIn(before, before.events.length) : fromKeyframe(keyframe, began);
		if (!base) return;
		chunk.kept = [base];
		chunk.keyframe = null;
	}

	/** @param {number} seq */
	has(seq) {
		return seq in this.chunks;
	}

	/** Number of events known from the start without a gap; with the last chunk here, of all. */
	get steps() {
		const last = this.chunks.at(-1);
		return last ? last.first + last.events.length : 0;
	}

	/** @param {number} step */
	chunkFor(step) {
		const chunk = this.chunks[chunkOf(step)];
		if (chunk && step >= chunk.first && step < chunk.first + chunk.events.length) return chunk;
		return this.chunks.find((chunk) => chunk && step >= chunk.first && step < chunk.first + chunk.events.length);
	}

	/** @param {number} step @returns {AnyEvent | undefined} */
	event(step) {
		const chunk = this.chunkFor(step);
		return chunk?.events[step - chunk.first];
	}

	/** The state after the event `step`, or undefined while its chunk is not here. @param {number} step */
	stateAfter(step) {
		const chunk = this.chunkFor(step);
		if (!chunk?.kept.length) return undefined;
		const near = this.cursor;
		if (near?.step === step) return near.state;
		const ahead = near && near.step < step && near.step >= chunk.first && step - near.step < APART;
		const state = ahead
			? foldEvents(near.state, chunk, near.step + 1 - chunk.first, step + 1 - chunk.first)
			: stateIn(chunk, step + 1 - chunk.first);
		this.cursor = { step, state };
		return state;
	}

	/** The state before an event; where the reader is stays where it was. @param {number} step */
	stateBefore(step) {
		const chunk = this.chunkFor(step - 1);
		return chunk?.kept.length ? stateIn(chunk, step - chunk.first) : undefined;
	}

	/** Walk over known events in order. @param {number} from @param {1 | -1} by */
	*walk(from, by) {
		for (let step = from; step >= 0 && step < this.steps; step += by) {
			const event = this.event(step);
			if (event) yield { step, event };
		}
	}
}

/** The state after the first `count` events of a chunk. @param {Chunk} chunk @param {number} count */
function stateIn(chunk, count) {
	const passed = Math.floor(count / APART);
	for (let i = chunk.kept.length; i <= passed; i += 1)
		chunk.kept.push(foldEvents(chunk.kept[i - 1], chunk, (i - 1) * APART, i * APART));
	return foldEvents(chunk.kept[passed], chunk, passed * APART, count);
}

/**
 * A state, moved past some events of a chunk.
 * @param {State} before @param {Chunk} chunk @param {number} from @param {number} to
 */
function foldEvents(before, { events }, from, to) {
	const state = fork(before);
	for (let at = from; at < to; at += 1) apply(state, events[at]);
	return state;
}

/** @type {{store: ChunkStore, step: number, state: State} | null} */
let last = null;

/**
 * The state after this attempt's last event of a type, or now when there was none.
 * @param {ChunkStore} store @param {number} step where we are @param {State} state there
 * @param {AnyEvent["type"]} type
 */
export function momentOf(store, step, state, type) {
	if (!state.cycle[type]) return state;
	for (const { step: at, event } of store.walk(step, -1)) {
		if (event.type === "CycleStarted" || (event.type === type && at === step)) return state;
		if (event.type !== type) continue;
		if (last?.store !== store || last.step !== at)
			last = { store, step: at, state: store.stateBefore(at + 1) ?? state };
		return last.state;
	}
	return state;
}
