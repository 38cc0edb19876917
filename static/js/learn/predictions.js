// @ts-check
/**
 * What the reader predicts: the question that is open, what was picked, and up to where the run may tell. A class
 * follows it (`listen`) and decides when an answer is shown (`heldBy`); see docs/architecture.md.
 */

import { isBefore } from "./questions.js";

/** @typedef {import("./questions.js").Question} Question */
/** @typedef {import("./answers.js").Spot} Spot */
/** @typedef {"asked" | "picked" | "revealed" | "skipped"} Happening */
/** @typedef {(what: Happening, question: Question, pick: number | null) => void} Listener */

export class Predictions {
	constructor() {
		this.on = false;
		/** @type {Question[]} of the run, in order, as far as they are known */
		this.questions = [];
		/** @type {Question | null} asked now: the reader stands before it */
		this.open = null;
		/** @type {Map<string, number>} what was picked, by the question's id */
		this.picks = new Map();
		/** @type {Map<string, "revealed" | "skipped">} */
		this.settled = new Map();
		/** @type {Spot} what lies before was seen when predicting began */
		this.since = { step: 0, frame: 0 };
		/** Forward was asked for without a pick. */
		this.offersSkip = false;
		/** Somebody else shows the answers: the reader's own Enter does not. */
		this.heldBy = "";
		/** @type {Set<Listener>} */
		this.listeners = new Set();
		/** @type {(to: Spot) => void} where the player goes, with motion */
		this.go = () => {};
		/** @type {() => void} something is to be drawn anew */
		this.changed = () => {};
	}

	/** Hear of what happens. @param {Listener} listener @returns {() => void} ends it */
	listen(listener) {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	}

	/** @param {Happening} what @param {Question} question */
	tell(what, question) {
		const pick = this.picks.get(question.id) ?? null;
		for (const listener of this.listeners) listener(what, question, pick);
	}

	/** @param {boolean} on @param {Spot} here */
	turn(on, here) {
		this.on = on;
		this.open = null;
		this.since = here;
		this.changed();
	}

	/** The next question that has not been answered. */
	get ahead() {
		if (!this.on) return null;
		return this.questions.find((one) => !this.settled.has(one.id) && isBefore(this.since, one.from)) ?? null;
	}

	/** The question whose answer was shown last at a place. @param {Spot} here @returns {Question | null} */
	shownAt(here) {
		const told = this.questions.filter((one) => this.settled.get(one.id) === "revealed");
		return told.findLast((one) => one.shown.step === here.step && one.shown.frame <= here.frame) ?? null;
	}

	/** May the reader come to a place? @param {Spot} to @returns {boolean} */
	allows(to) {
		const { ahead } = this;
		return !ahead || isBefore(to, ahead.from);
	}

	/** Ask the question ahead: the reader stands before it and went on. */
	ask() {
		const { ahead } = this;
		if (!ahead) return;
		if (this.open === ahead) return this.goOn();
		this.open = ahead;
		this.offersSkip = false;
		this.tell("asked", ahead);
		this.changed();
	}

	/** Forward, while a question is open. */
	goOn() {
		if (!this.open) return;
		if (this.picks.has(this.open.id)) return this.reveal();
		this.offersSkip = true;
		this.changed();
	}

	/** The reader moved away without an answer. */
	leave() {
		this.open = null;
	}

	/** @param {number} index of an option */
	pick(index) {
		const { open } = this;
		if (!open || index < 0 || index >= open.options.length) return;
		this.picks.set(open.id, index);
		this.tell("picked", open);
		this.changed();
	}

	/** Show the answer. @param {string} [by] whoever holds the answers */
	reveal(by = "") {
		const { open } = this;
		if (!open || by !== this.heldBy) return;
		this.settled.set(open.id, "revealed");
		this.open = null;
		this.tell("revealed", open);
		this.go(open.shown);
	}

	/** Go on without an answer. */
	skip() {
		const { open } = this;
		if (!open || this.heldBy) return;
		this.settled.set(open.id, "skipped");
		this.picks.delete(open.id);
		this.open = null;
		this.tell("skipped", open);
		this.go(open.from);
	}

	/** How many of the answers that were shown were predicted: [right, answered]. @returns {[number, number]} */
	get tally() {
		const told = this.questions.filter((one) => this.settled.get(one.id) === "revealed" && this.picks.has(one.id));
		return [told.filter((one) => this.picks.get(one.id) === one.right).length, told.length];
	}
}

/** Those of this page. */
export const predictions = new Predictions();
