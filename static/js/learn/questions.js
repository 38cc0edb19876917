// @ts-check
/**
 * The questions of the loaded part of a run, in order: those of the scenario's text, or generated ones if it has
 * none. A question is identified by its place, `<step>.<frame>`, and its answers by number, from 0.
 */

import { isAt } from "../trace/anchor.js";
import { answerOf } from "./answers.js";

/** @typedef {import("./answers.js").Answer} Answer */
/**
 * @typedef {{attempt: number, event: string, kind: string, frame?: number | null, about: string, text: string,
 *   yes_or_no?: boolean}} Asked
 */
/**
 * @typedef {Answer & {id: string, text: string, kind: string, about: string, event: string, pod: string, step: number,
 *   yes_or_no: boolean}}
 *   Question `text` is "" for a generated one; `step`: the step of its event; `yes_or_no`: whether its options begin
 *   with yes and no
 */

const LOOKAHEAD = 64; // later events, which may have the answer, and be in the next chunk

export class Questions {
	/** @param {Asked[]} asked by the scenario's text */
	constructor(asked) {
		this.asked = asked;
		/** @type {Question[]} */
		this.list = [];
		/** @type {Set<Asked>} */
		this.placed = new Set();
		this.generator = asked.length ? null : new Generator();
		this.next = 0;
		this.attempt = 0;
		this.pod = "";
	}

	/**
	 * Reads the steps loaded since the last call; a run is read from its beginning, without gaps.
	 * @param {ChunkStore} store
	 */
	update(store) {
		if (store.chunks[0] === undefined) return;
		for (let event = store.event(this.next); event; event = store.event(this.next)) {
			if (!store.complete && !store.event(this.next + LOOKAHEAD)) return;
			this.addQuestions(store, this.next, event);
			this.next += 1;
		}
	}

	/**
	 * Adds the questions about an event: those of the lesson, or generated ones.
	 * @param {ChunkStore} store @param {number} step @param {any} event
	 */
	addQuestions(store, step, event) {
		if (event.type === "CycleStarted") [this.attempt, this.pod] = [event.attempt, event.pod];
		if (this.generator) return void this.generator.ask(event, store, step).some((ask) => this.add(store, step, ask));
		for (const other of this.asked) {
			if (this.placed.has(other) || other.event !== event.type) continue;
			if (!isAt(other, event, this.attempt, store.stateAfter(step))) continue;
			if (this.add(store, step, other)) this.placed.add(other);
		}
	}

	/**
	 * Adds a question, unless it has no answer or would reveal that of another.
	 * @param {ChunkStore} store
	 * @param {number} step
	 * @param {import("./answers.js").Ask & {text?: string, yes_or_no?: boolean}} ask
	 * @returns {boolean} whether the question was added
	 */
	add(store, step, ask) {
		const answer = answerOf(store, step, ask);
		if (!answer) return false;
		const id = `${answer.from.step}.${answer.from.frame}`;
		const apart = (/** @type {Answer} */ other) =>
			isBefore(other.shown, answer.from) || isBefore(answer.shown, other.from);
		if (!this.list.every(apart)) return false; // the other question would reveal the answer
		const { event, kind, about = "", text = "", yes_or_no = false } = ask;
		const own = /** @type {any} */ (store.event(step));
		this.generator?.count(ask);
		this.list.push({ ...answer, id, text, kind, about, event, step, yes_or_no, pod: own.pod ?? this.pod });
		this.list.sort((a, b) => (isBefore(a.from, b.from) ? -1 : 1));
		return true;
	}
}

/**
 * Whether the first place in a run comes before the second.
 * @param {import("./answers.js").Spot} a @param {import("./answers.js").Spot} b
 */
export function isBefore(a, b) {
	return a.step < b.step || (a.step === b.step && a.frame < b.frame);
}

/** The last place before a question. @param {Player} player @param {import("./answers.js").Spot} from */
export function placeBefore(player, { step, frame }) {
	return frame ? { step, frame: frame - 1 } : { step: step - 1, frame: player.frames(step - 1) - 1 };
}

/** @typedef {import("./answers.js").Ask} Ask */

const APART = 2; // attempts between two questions
const MOST = 12; // questions in a run
const MAX_EVALUATED = 40; // nodes of a search that is asked about
const MAX_ATTEMPTS = 400; // later ones are not asked about

/**
 * The possible questions about each event, and how often they are asked.
 * @type {Record<string, {kind: string, most: number}[]>}
 */
const KINDS = {
	NodesFiltered: [{ kind: "choice", most: 2 }],
	ScoresComputed: [
		{ kind: "node", most: 3 },
		{ kind: "number", most: 1 },
	],
	PreemptionEvaluated: [
		{ kind: "pod", most: 2 },
		{ kind: "node", most: 1 },
	],
	PodEnqueued: [{ kind: "choice", most: 2 }],
};

/** Generates the questions about a run whose text has none. */
class Generator {
	constructor() {
		/** @type {Map<string, number>} */
		this.made = new Map();
		this.attempt = 0;
		this.last = -APART;
		this.all = 0;
	}

	/**
	 * The questions about an event, in order of preference; [] after enough questions, or too soon after the last one.
	 * @param {any} event
	 * @param {ChunkStore} store
	 * @param {number} step
	 * @returns {Ask[]}
	 */
	ask(event, store, step) {
		if (event.type === "CycleStarted") this.attempt = event.attempt;
		if (this.all >= MOST || this.attempt > MAX_ATTEMPTS || this.attempt - this.last < APART) return [];
		const wanted = (KINDS[event.type] ?? []).filter(
			({ kind, most }) => (this.made.get(`${event.type}:${kind}`) ?? 0) < most,
		);
		return wanted.length ? wanted.flatMap(({ kind }) => questionsAbout(event, kind, store, step)) : [];
	}

	/** Counts a question that was added. @param {Ask} ask */
	count({ event, kind }) {
		const name = `${event}:${kind}`;
		this.made.set(name, (this.made.get(name) ?? 0) + 1);
		this.last = this.attempt;
		this.all += 1;
	}
}

/**
 * The questions of a kind that can be asked about an event.
 * @param {any} event @param {string} kind @param {ChunkStore} store @param {number} step @returns {Ask[]}
 */
function questionsAbout(event, kind, store, step) {
	const ask = { event: event.type, kind };
	const before = store.stateAfter(step - 1);
	if (!before) return [];
	if (event.type === "PodEnqueued") return (before.pods.get(event.pod)?.attempts ?? 0) > 0 ? [ask] : [];
	if (event.type === "NodesFiltered") {
		const askable = !event.feasible && event.verdicts.length > 1 && event.evaluated <= MAX_EVALUATED;
		return askable ? [{ ...ask, about: before.order[event.start] }] : [];
	}
	if (event.type === "ScoresComputed" && kind === "number")
		return before.order.slice(0, 3).map((name) => ({ ...ask, about: name }));
	return [ask];
}
