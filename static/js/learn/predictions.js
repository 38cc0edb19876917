// @ts-check
/**
 * The reader's predictions: the open question, the picked answers, and how much of the run may be shown. In a class
 * the teacher's page asks and shows the answers (`host`); see docs/architecture.md.
 */

import { isBefore, placeBefore } from "./questions.js";

/** @typedef {import("./questions.js").Question} Question */
/** @typedef {import("./answers.js").Spot} Spot */
/** @typedef {"picked" | "revealed"} Happening */
/** @typedef {(happening: Happening, question: Question, pick: number | null) => void} Listener */
/**
 * Asks and shows the answers in place of the reader.
 * @typedef {object} Host
 * @property {boolean} takes whether the reader may answer now
 * @property {() => void} goOn Forward or Enter, while a question is open
 * @property {() => void} forward Enter, while none is
 * @property {(question: Question) => Child[]} foot the line below the answers
 */

export class Predictions {
	constructor() {
		this.on = false;
		/** @type {import("./questions.js").Questions | null} */
		this.source = null;
		/** @type {Question | null} the open question: the reader is right before it */
		this.open = null;
		/** @type {Map<string, number>} picked options, by the question's id */
		this.picks = new Map();
		/** @type {Map<string, "revealed" | "skipped">} */
		this.settled = new Map();
		/** @type {Spot} where predicting began; earlier places are not asked about */
		this.since = { step: 0, frame: 0 };
		/** Whether the reader pressed Forward without picking an answer. */
		this.offersSkip = false;
		/** @type {Host | null} */
		this.host = null;
		/** @type {Set<Listener>} */
		this.listeners = new Set();
		/** @type {(to: Spot) => void} where the player goes, with motion */
		this.go = () => {};
		/** @type {() => void} requests a redraw */
		this.changed = () => {};
	}

	/** Adds a listener. @param {Listener} listener @returns {() => void} removes it */
	listen(listener) {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	}

	/** Calls the listeners. @param {Happening} happening @param {Question} question */
	tell(happening, question) {
		const pick = this.picks.get(question.id) ?? null;
		for (const listener of this.listeners) listener(happening, question, pick);
	}

	/** Finds the questions in the loaded part of the run. @param {ChunkStore} store */
	read(store) {
		this.source?.update(store);
	}

	/** The questions in the loaded part of the run, in order. @returns {Question[]} */
	get questions() {
		return this.source?.list ?? [];
	}

	/** The question with an id; null if there is none. @param {string} [id] @returns {Question | null} */
	byId(id) {
		return this.questions.find((question) => question.id === id) ?? null;
	}

	/** Starts again, without answers. */
	again() {
		this.picks.clear();
		this.settled.clear();
		this.since = { step: 0, frame: 0 };
		this.go(this.since);
	}

	/** Turns questions on or off from this place on. @param {boolean} on @param {Spot} here */
	turn(on, here) {
		this.on = on;
		this.open = null;
		this.since = { step: here.step, frame: here.frame };
		this.changed();
	}

	/** The next question that is not answered or skipped; null if there is none. */
	get ahead() {
		if (!this.on) return null;
		return (
			this.questions.find((question) => !this.settled.has(question.id) && isBefore(this.since, question.from)) ?? null
		);
	}

	/**
	 * The question whose answer is shown at a place; null if there is none.
	 * @param {Spot} here @returns {Question | null}
	 */
	shownAt(here) {
		const revealed = this.questions.filter((question) => this.settled.get(question.id) === "revealed");
		return (
			revealed.findLast((question) => question.shown.step === here.step && question.shown.frame <= here.frame) ?? null
		);
	}

	/**
	 * Asks the first question on the way to another place, and returns the last place before it; null if none is on the
	 * way.
	 * @param {Player} player
	 * @param {Spot} to
	 * @returns {Spot | null}
	 */
	stopBefore(player, to) {
		if (!this.on) return null;
		this.read(player.store);
		const { ahead } = this;
		if (!ahead || isBefore(to, ahead.from)) {
			if (to.step !== player.step || to.frame !== player.frame) this.leave();
			return null;
		}
		player.playing = false;
		const spot = placeBefore(player, ahead.from);
		this.ask();
		return this.open ? spot : { step: player.step, frame: player.frame }; // else the answer is being shown
	}

	/** Asks the next question: the reader is right before it and went forward. If it is open already, goes on. */
	ask() {
		const { ahead } = this;
		if (!ahead) return;
		if (this.open === ahead) return this.goOn();
		this.open = ahead;
		this.offersSkip = false;
		this.changed();
	}

	/** Handles Forward while a question is open, and Enter in a class. */
	goOn() {
		if (!this.open) return this.host?.forward();
		if (this.host) return this.host.goOn();
		if (this.picks.has(this.open.id)) return this.show();
		this.offersSkip = true;
		this.changed();
	}

	/** Closes the question, because the reader moved away without an answer. */
	leave() {
		this.open = null;
	}

	/**
	 * Picks an option of the open question; in a class only while the teacher takes answers.
	 * @param {number} index of an option
	 */
	pick(index) {
		const { open } = this;
		if (!open || index < 0 || index >= open.options.length || this.host?.takes === false) return;
		this.picks.set(open.id, index);
		this.offersSkip = false;
		this.tell("picked", open);
		this.changed();
	}

	/** Reveals the answer; in a class only the teacher can. */
	reveal() {
		if (!this.host) this.show();
	}

	/** Shows the answer of the open question. */
	show() {
		const { open } = this;
		if (!open) return;
		this.settled.set(open.id, "revealed");
		this.open = null;
		this.tell("revealed", open);
		this.go(open.shown);
	}

	/** Skips the open question, and goes on without an answer. */
	skip() {
		const { open } = this;
		if (!open) return;
		this.settled.set(open.id, "skipped");
		this.picks.delete(open.id);
		this.open = null;
		this.go(open.from);
	}

	/** The number of shown answers that were predicted: [right, answered]. @returns {[number, number]} */
	get tally() {
		const answered = this.questions.filter(
			(question) => this.settled.get(question.id) === "revealed" && this.picks.has(question.id),
		);
		return [answered.filter((question) => this.picks.get(question.id) === question.right).length, answered.length];
	}
}

/** The predictions of this page. */
export const predictions = new Predictions();
