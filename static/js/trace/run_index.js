// @ts-check
/**
 * An index of the run for the timeline: a column per attempt and per jump of the clock, in order, and the moves of each
 * pod. Most attempts take no virtual time, so the axis consists of columns instead of seconds; empty time is folded.
 */

import { actOf, NodeLog } from "./actors.js";

const GAP_WIDTH = 0.7;

export class RunIndex {
	constructor() {
		/** @type {Column[]} */
		this.columns = [];
		/** @type {Map<string, Move[]>} */
		this.moves = new Map();
		this.nodes = new NodeLog();
		/** @type {Act[]} of actors other than the scheduler */
		this.acts = [];
		/** @type {number[]} left edge of every column, in units of an attempt */
		this.edges = [];
		this.next = 0; // the number of the next chunk to read
		this.first = 0; // that of the first chunk read
		this.time = 0;
		this.reset();
	}

	/** Forgets the run. */
	reset() {
		this.columns = [{ kind: "gap", step: 0, time: 0, from: 0, changes: [] }];
		this.edges = [0, GAP_WIDTH];
		this.moves = new Map();
		this.nodes = new NodeLog();
		this.acts = [];
		this.next = 0;
		this.time = 0;
	}

	/**
	 * Reads chunks up to the first missing one; starts again if one was added before the first.
	 * @param {ChunkStore} store
	 */
	update(store) {
		const first = store.chunks.findIndex(Boolean);
		if (first < 0) return;
		if (this.next === 0 || first < this.first) {
			this.reset();
			this.first = first;
			this.next = first;
			this.columns[0].step = store.chunks[first].first;
			this.time = this.columns[0].time = store.chunks[first].time;
		}
		for (; store.chunks[this.next]; this.next += 1) {
			const chunk = store.chunks[this.next];
			chunk.events.forEach((event, i) => this.take(event, chunk.first + i));
		}
	}

	/** Adds an event to the index. @param {AnyEvent} event @param {number} step */
	take(event, step) {
		this.nodes.take(event, step, this.time);
		const act = actOf(event);
		if (act) this.acts.push({ column: this.columns.length - 1, step, ...act });
		const last = this.columns[this.columns.length - 1];
		switch (event.type) {
			case "CycleStarted":
				this.addColumn({
					kind: "attempt",
					step,
					time: this.time,
					attempt: event.attempt,
					pod: event.pod,
					outcome: null,
					node: "",
					victims: 0,
					end: Number.POSITIVE_INFINITY,
				});
				return this.addMove(event.pod, step, "scheduling");
			case "ClockAdvanced":
				this.addColumn({ kind: "gap", step, time: event.time, from: this.time, changes: [] });
				this.time = event.time;
				return;
			case "AttemptFinished":
				return this.setOutcome(event, step);
			case "VictimEvicted":
				if (last.kind === "attempt") last.victims += 1;
				return;
			case "ObjectApplied":
			case "ObjectDeleted": {
				const verb = event.type === "ObjectDeleted" ? "−" : event.action === "create" ? "+" : "~";
				if (last.kind === "gap") last.changes.push({ step, text: `${verb} ${event.name}`, kind: event.kind });
				if (event.type === "ObjectDeleted" && event.kind === "Pod")
					this.addMove(`${event.namespace}/${event.name}`, step, "gone");
				return;
			}
			case "SchedulingFailed":
				return this.setFailedOutcome(event, step);
			case "PodEnqueued":
				return this.addMove(event.pod, step, event.queue);
			case "PodGated":
				return this.addMove(event.pod, step, "gated");
			case "PodAssumed":
				return this.addMove(event.pod, step, "binding", event.node);
			case "PodBound":
				return this.addMove(event.pod, step, "bound", event.node);
			default:
		}
	}

	/** Adds a column to the axis. @param {Column} column */
	addColumn(column) {
		this.columns.push(column);
		this.edges.push(this.edges[this.edges.length - 1] + (column.kind === "gap" ? GAP_WIDTH : 1));
	}

	/**
	 * Stores an attempt's outcome in its column.
	 * @param {import("./trace").AttemptFinished} event @param {number} step
	 */
	setOutcome(event, step) {
		for (let i = this.columns.length - 1; i >= 0; i -= 1) {
			const column = this.columns[i];
			if (column.kind !== "attempt" || column.attempt !== event.attempt) continue;
			column.end = step;
			column.outcome = event.outcome;
			column.node = event.node ?? "";
			return;
		}
	}

	/**
	 * Changes the outcome of a finished attempt whose binding cycle failed.
	 * @param {import("./trace").SchedulingFailed} event
	 * @param {number} step
	 */
	setFailedOutcome({ pod, outcome }, step) {
		const column = this.columns.findLast((entry) => entry.kind === "attempt" && entry.pod === pod);
		if (column?.kind === "attempt" && column.outcome) Object.assign(column, { outcome, node: "", end: step });
	}

	/**
	 * Records where a pod is from a step on.
	 * @param {string} pod @param {number} step @param {string} place @param {string} [node]
	 */
	addMove(pod, step, place, node = "") {
		const moves = this.moves.get(pod) ?? [];
		if (!moves.length) this.moves.set(pod, moves);
		moves.push({ column: this.columns.length - 1, step, place, node });
	}

	/** The length of the axis, in units of an attempt. */
	get width() {
		return this.edges[this.edges.length - 1];
	}

	/** The number of attempts. */
	get attempts() {
		return this.columns.reduce((sum, column) => sum + (column.kind === "attempt" ? 1 : 0), 0);
	}

	/** The index of the column that contains a step. @param {number} step */
	columnOf(step) {
		return lastUpTo(this.columns.length, (i) => this.columns[i].step <= step);
	}

	/**
	 * The position of a step on the axis.
	 * @param {number} step @param {number} steps of the run @param {number} [within] the share of the step that is over
	 */
	positionOf(step, steps, within = 0.5) {
		const i = this.columnOf(step);
		const first = this.columns[i].step;
		const end = this.columns[i + 1]?.step ?? Math.max(steps, first + 1);
		return this.edges[i] + ((step - first + within) / Math.max(1, end - first)) * (this.edges[i + 1] - this.edges[i]);
	}
}

/**
 * The last index below `count` for which `holds` is true, found by bisection; 0 if there is none. `holds` must be true
 * up to an index and false after it.
 * @param {number} count @param {(i: number) => boolean} holds
 */
export function lastUpTo(count, holds) {
	let low = 0;
	let high = count - 1;
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if (holds(middle)) low = middle;
		else high = middle - 1;
	}
	return low;
}
