// @ts-check
/**
 * The questions of a run, in its order, as far as it is here: those of its text, or where that asks none, generated
 * ones. A question is known by its place, `<step>.<frame>`, and its answers by their number, from 0.
 */

import { answerOf } from "./answers.js";
import { Generator } from "./generated.js";

/** @typedef {import("./answers.js").Answer} Answer */
/**
 * @typedef {{attempt: number, event: string, kind: string, frame?: number | null, about: string, text: string}} Asked
 */
/**
 * @typedef {Answer & {id: string, text: string, kind: string, about: string, event: string, pod: string, step: number}}
 *   Question `text` is "" for a generated one; `step`: of the event that it asks about
 */

export class Questions {
	/** @param {Asked[]} asked by the scenario's text */
	constructor(asked) {
		this.asked = asked;
		/** @type {Question[]} */
		this.list = [];
		/** @type {Set<Asked>} */
		this.found = new Set();
		this.generator = asked.length ? null : new Generator();
		this.next = 0;
		this.attempt = 0;
		this.pod = "";
	}

	/** Read what has come; a run is read from its beginning, without a gap. @param {ChunkStore} store */
	update(store) {
		if (store.chunks[0] === undefined) return;
		for (let event = store.event(this.next); event; event = store.event(this.next)) {
			// what an event comes to may be told by later ones of its attempt, in the next chunk
			if (!store.complete && !store.event(this.next + 64)) return;
			this.take(store, this.next, event);
			this.next += 1;
		}
	}

	/** @param {ChunkStore} store @param {number} step @param {any} event */
	take(store, step, event) {
		if (event.type === "CycleStarted") [this.attempt, this.pod] = [event.attempt, event.pod];
		if (this.generator) return void this.generator.ask(event, store, step).some((ask) => this.add(store, step, ask));
		for (const one of this.asked) {
			if (this.found.has(one) || one.event !== event.type || one.attempt !== this.attempt) continue;
			if (one.about && "pod" in event && ![event.pod, podOnly(event.pod)].includes(one.about)) continue;
			if (this.add(store, step, one)) this.found.add(one);
		}
	}

	/**
	 * @param {ChunkStore} store
	 * @param {number} step
	 * @param {import("./answers.js").Ask & {text?: string}} ask
	 * @returns {boolean} whether it has an answer, and a place
	 */
	add(store, step, ask) {
		const answer = answerOf(store, step, ask);
		if (!answer) return false;
		const id = `${answer.from.step}.${answer.from.frame}`;
		const apart = (/** @type {Answer} */ one) => isBefore(one.shown, answer.from) || isBefore(answer.shown, one.from);
		if (!this.list.every(apart)) return false; // what is asked would have been shown
		const { event, kind, about = "", text = "" } = ask;
		const own = /** @type {any} */ (store.event(step));
		this.generator?.counts(ask);
		this.list.push({ ...answer, id, text, kind, about, event, step, pod: own.pod ?? this.pod });
		this.list.sort((a, b) => (isBefore(a.from, b.from) ? -1 : 1));
		return true;
	}
}

/** @param {string} key */
function podOnly(key) {
	return key.slice(key.indexOf("/") + 1);
}

/** @param {import("./answers.js").Spot} a @param {import("./answers.js").Spot} b */
export function isBefore(a, b) {
	return a.step < b.step || (a.step === b.step && a.frame < b.frame);
}
