// @ts-check
/**
 * A student's page as a state machine. It shows the board of the class, or the place that the student has gone to. The
 * question on screen and its answer depend only on the board and the student's place.
 */

import { isBefore, placeBefore } from "../learn/questions.js";
import { Follow } from "./follow.js";

/** @typedef {import("./lead.js").Moved} Moved */
/** @typedef {import("../learn/questions.js").Question} Question */
/** @typedef {import("./socket.js").Board} Board */
/** @typedef {{question: string, choice: number}} Given */

export class Attendance {
	/**
	 * @param {Moved} page
	 * @param {(message: object) => boolean} say returns false without a connection
	 * @param {() => void} changed called when following starts or stops
	 */
	constructor({ player, store, chosen, predictions, redraw }, say, changed) {
		this.player = player;
		this.store = store;
		this.predictions = predictions;
		this.redraw = redraw;
		this.say = say;
		/** @type {Board | null} the state of the class */
		this.board = null;
		/** @type {Map<string, number>} answers stored by the server, by question */
		this.answers = new Map();
		this.tooLate = ""; // the question whose answer came too late
		const place = (/** @type {import("./socket.js").Place} */ { order, selection }) => {
			player.order = order;
			Object.assign(chosen, { selection, pin: null });
		};
		this.follow = new Follow(player, place, changed, () => this.updateQuestion());
		predictions.turn(false, player); // in a class the teacher asks
		/** @type {(question: Question) => Child[]} the line below the answers */
		this.foot = () => [];
		predictions.host = this;
		player.stopBefore = () => null;
		predictions.listen((happening, { id }, choice) => {
			if (happening === "picked") this.say({ type: "answer", question: id, choice });
		});
	}

	/** Whether a question waits for answers. */
	get isAsked() {
		const { asked, ended } = this.board ?? { asked: {}, ended: false };
		return Boolean(asked.id && !asked.counts && !ended);
	}

	/** Whether an answer may still be chosen. */
	get takes() {
		return this.isAsked;
	}

	/** Does nothing: only the teacher reveals answers. */
	goOn() {}

	/** Does nothing: only the teacher goes on. */
	forward() {}

	/** The question on screen; null if there is none, or its step is not loaded. */
	get question() {
		return this.predictions.byId(this.board?.asked.id);
	}

	/**
	 * The counts of the class's answers; null if they are not revealed, or the student is at another step.
	 * @returns {number[] | null}
	 */
	get counts() {
		return (this.isHere && this.board?.asked.counts) || null;
	}

	/** Whether the student is at the teacher's place. */
	get isHere() {
		const { place } = this.follow;
		return Boolean(place && place.step === this.player.step && place.frame === this.player.frame);
	}

	/**
	 * Stores the state of the class from the server, and follows the teacher.
	 * @param {Board} board @param {import("./socket.js").Hello | null} hello the first of a connection
	 */
	take(board, hello) {
		const before = this.board;
		this.board = board;
		const { id } = board.asked;
		const isNew = this.isAsked && (before?.asked.id !== id || Boolean(before?.asked.counts));
		const isCalled = before !== null && board.gathered > before.gathered;
		this.follow.held = !board.ended && (board.paused || this.isAsked);
		if (board.ended) this.predictions.host = null;
		if (board.place.step !== undefined) this.follow.setTeacherPlace(/** @type {any} */ (board.place));
		if (isNew || isCalled) this.follow.catchUp();
		for (const [question, choice] of Object.entries(hello?.answers ?? {})) {
			this.answers.set(question, choice);
			if (question !== id) this.predictions.picks.set(question, choice);
		}
		if (hello && id) this.syncAnswer(id, hello.mine);
		this.updateQuestion();
		this.redraw(false);
	}

	/** Sends an answer that was given without a connection; otherwise takes over the one stored by the server. */
	syncAnswer(/** @type {string} */ id, /** @type {Given | null} */ mine) {
		const pick = this.predictions.picks.get(id);
		if (mine?.question === id) this.answers.set(id, mine.choice);
		if (pick !== undefined && pick !== this.answers.get(id) && this.isAsked)
			this.say({ type: "answer", question: id, choice: pick });
		else this.restore(id);
	}

	/**
	 * Handles the server's reply to an answer: it was stored, or came too late.
	 * @param {Given} given
	 * @param {boolean} late
	 */
	keep({ question, choice }, late) {
		if (!late) this.answers.set(question, choice);
		else if (this.predictions.picks.get(question) === choice) {
			this.tooLate = question;
			this.restore(question);
			this.redraw(false);
		}
	}

	/** Restores the choice that the server has stored; without one, removes the student's. @param {string} id */
	restore(id) {
		const choice = this.answers.get(id);
		if (choice === undefined) this.predictions.picks.delete(id);
		else this.predictions.picks.set(id, choice);
	}

	/** Opens the question, or marks it as revealed, according to the board and the student's place. */
	updateQuestion() {
		const { board, predictions, player } = this;
		if (!board) return;
		predictions.read(this.store);
		const { question } = this;
		const asks = question && this.isHere && isBefore(player, question.from) && !board.ended ? question : null;
		for (const id of board.revealed) if (id !== asks?.id) this.revealAnswer(id);
		if (asks) predictions.settled.delete(asks.id);
		predictions.on = Boolean(question) && !board.ended;
		predictions.open = asks;
		predictions.since = question && (asks || this.isAsked) ? placeBefore(player, question.from) : NOTHING_AHEAD;
	}

	/** Marks a question as revealed, and the first time reports it if its answer is on screen. @param {string} id */
	revealAnswer(id) {
		const { predictions, player } = this;
		if (predictions.settled.get(id) === "revealed") return;
		predictions.settled.set(id, "revealed");
		const question = predictions.byId(id);
		if (question && predictions.shownAt(player) === question) predictions.tell("revealed", question);
	}

	/** Called after each draw: more of the run may be loaded. @param {View} view */
	drawn(view) {
		const { open, on } = this.predictions;
		this.follow.drawn(view);
		this.updateQuestion();
		if (open !== this.predictions.open || on !== this.predictions.on) this.redraw(false);
	}
}

const NOTHING_AHEAD = { step: Number.POSITIVE_INFINITY, frame: 0 };
