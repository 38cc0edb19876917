// @ts-check
/**
 * A teacher's page as a state machine; the class sees the same. Going forward asks a question, reveals it, shows its
 * answer and goes on. Each message contains the complete state, so that the next one makes up for a lost one.
 */

import { optionText, textOf } from "../learn/choices.js";
import { isBefore } from "../learn/questions.js";
import { plain } from "../shared/i18n.js";

/** @typedef {import("../learn/questions.js").Question} Question */
/** @typedef {import("../learn/predictions.js").Predictions} Predictions */
/** @typedef {import("./socket.js").Board} Board */
/** @typedef {{students: number, answered: number, question: string}} Counts */
/**
 * The parts of the player's page that a class controls.
 * @typedef {object} Moved
 * @property {Player} player
 * @property {ChunkStore} store
 * @property {{selection: any, pin: string | null}} chosen
 * @property {Predictions} predictions
 * @property {(motion: boolean) => void} redraw
 */

const SPACING = 110; // milliseconds between two messages; the server keeps ten a second
const LOOK_MS = 1400; // at the counts, before the answer plays
const NOBODY = { students: 0, answered: 0, question: "" };

export class Lead {
	/**
	 * @param {Moved} page
	 * @param {(message: object) => boolean} say returns false without a connection
	 */
	constructor({ player, store, chosen, predictions, redraw }, say) {
		this.player = player;
		this.store = store;
		this.chosen = chosen;
		this.predictions = predictions;
		this.redraw = redraw;
		this.say = say;
		this.window = Math.random().toString(36).slice(2);
		/** @type {Board | null} the state of the class */
		this.board = null;
		/** @type {Counts} */
		this.counted = NOBODY;
		this.paused = false;
		this.gathered = 0;
		/** @type {(() => void)[]} changes made before the page shows the same as the class */
		this.postponed = [];
		this.ending = false;
		/** The question whose answer is to be revealed. */
		this.revealing = "";
		/**
		 * The question that the teacher wanted to reveal before everybody had answered; it is revealed once they have.
		 */
		this.warned = "";
		/**
		 * @type {Partial<import("./socket.js").Place> | null} another window's place, to go to once its step is loaded
		 */
		this.adopting = null;
		this.sent = 0; // the number of the last message
		this.kept = 0; // that of the last one that the server has stored
		this.last = ""; // the state in it, as JSON
		this.due = 0; // the timer of the next message
		this.looking = 0; // the timer that shows the answer
		this.takes = false;
		/** @type {(question: Question) => Child[]} the line below the answers */
		this.foot = () => [];
		predictions.host = this;
		predictions.turn(true, player);
	}

	/** The question that is asked or whose answer is shown; null if there is none. @returns {Question | null} */
	get question() {
		return this.predictions.open ?? this.predictions.shownAt(this.player);
	}

	/** The answers of the class; null before the question is revealed. @returns {number[] | null} */
	get counts() {
		const { asked } = this.board ?? {};
		return (asked?.id && asked.id === this.question?.id && asked.counts) || null;
	}

	/** The number of answers to the open question, as last reported by the server. */
	get answered() {
		return this.counted.question === this.predictions.open?.id ? this.counted.answered : 0;
	}

	/** Whether all students have answered the open question. */
	get allHaveAnswered() {
		const { question, students } = this.counted;
		return question === this.predictions.open?.id && this.answered >= students;
	}

	// --- Actions of the teacher ---------------------------------------------------------------------------------

	/**
	 * Handles Forward at an open question: reveals it if everybody has answered, or at the second press. Shows the answer
	 * if its counts are known.
	 */
	goOn() {
		const { open } = this.predictions;
		if (!open) return;
		if (this.counts) this.showAnswer();
		else if (this.allHaveAnswered || this.warned === open.id) this.reveal();
		else this.warned = open.id;
		this.redraw(false);
	}

	/** Moves one frame forward. */
	forward() {
		this.player.forward();
	}

	/** Requests the counts of the answers; the right answer is shown when they arrive. */
	reveal() {
		this.revealing = this.predictions.open?.id ?? "";
		this.sendState();
	}

	/** Skips the open question, unless it is revealed. */
	skip() {
		if (!this.counts) this.predictions.skip();
	}

	/** Switches stopping before questions on or off. */
	toggleAsking() {
		this.predictions.turn(!this.predictions.on, this.player);
	}

	/** Pauses the class, or ends the pause. */
	pause() {
		this.change(() => {
			this.paused = !this.paused;
		});
	}

	/** Calls everyone back to this page's place. */
	gather() {
		this.change(() => {
			this.gathered = Math.max(this.gathered, this.board?.gathered ?? 0) + 1;
		});
	}

	/** Makes a change now, or once this page shows the same as the class. @param {() => void} change */
	change(change) {
		if (this.board && !this.adopting) change();
		else this.postponed.push(change);
		this.sendState();
	}

	/** Asks the server to end the class, again after each new connection. */
	end() {
		this.ending = true;
		this.say({ type: "end" });
	}

	/** Shows the answer of the open question. */
	showAnswer() {
		this.cancelReveal();
		this.predictions.show();
	}

	/** Cancels the timer that shows the answer. */
	cancelReveal() {
		clearTimeout(this.looking);
		this.looking = 0;
	}

	// --- Messages to the class ----------------------------------------------------------------------------------

	/**
	 * Sends the state if it has changed: immediately, but at most once every SPACING; the last change is always
	 * sent.
	 */
	sendState() {
		if (this.due || !this.board || this.board.ended || this.adopting) return;
		for (const change of this.postponed.splice(0)) change();
		const shown = this.stateToSend();
		const text = JSON.stringify(shown);
		if (text === this.last || !this.say({ type: "show", n: this.sent + 1, by: this.window, ...shown })) return;
		this.sent += 1;
		this.last = text;
		this.due = setTimeout(() => {
			this.due = 0;
			this.sendState();
		}, SPACING);
	}

	/** Sends the state without waiting for SPACING, since the page is being left. */
	sendBeforeLeaving() {
		clearTimeout(this.due);
		this.due = 0;
		this.sendState();
	}

	/** The state of the class as this page shows it. */
	stateToSend() {
		const { step, frame, order } = this.player;
		const { selection } = this.chosen;
		return {
			step,
			frame,
			order,
			selection,
			paused: this.paused,
			gathered: this.gathered,
			question: this.questionToSend(),
		};
	}

	/**
	 * The question as sent to the server, null if there is none; with its answer, and texts for the file of answers, if
	 * it is being revealed.
	 */
	questionToSend() {
		const { question, predictions, revealing } = this;
		if (!question) return null;
		const { id, options, right } = question;
		const asked = { id, choices: options.length };
		if (question === predictions.open && revealing !== id && !this.counts) return asked;
		return {
			...asked,
			right,
			text: plain(textOf(question)),
			labels: options.map((option) => optionText(option, question)),
		};
	}

	// --- Messages from the server -------------------------------------------------------------------------------

	/**
	 * Stores the state of the class from the server; after a new connection, sends again what has not arrived.
	 * @param {Board} board @param {boolean} hello whether it is the first of a connection
	 */
	take(board, hello) {
		const before = this.board;
		this.board = board;
		if (board.ended) return this.leaveClass();
		const { by, step } = board.place;
		if (hello) {
			this.kept = this.sent; // messages that did not arrive are sent again
			this.last = "";
			if (this.ending) this.end();
			if (by !== this.window && (before ? before.number !== board.number : step !== undefined)) this.adopt(board);
		} else if (by !== this.window && this.kept === this.sent) this.adopt(board);
		this.markRevealed();
		if (this.counts && this.revealing === this.predictions.open?.id)
			this.looking ||= setTimeout(() => this.counts && this.showAnswer(), LOOK_MS);
		this.sendState();
		this.redraw(false);
	}

	/**
	 * Handles the server's reply that message `n` is stored as board `number`.
	 * @param {number} n @param {number} number
	 */
	keep(n, number) {
		if (n !== this.sent) return;
		this.kept = n;
		const { board } = this;
		if (board && board.number > number && board.place.by !== this.window) this.adopt(board);
	}

	/**
	 * Stores the counts of the answers. Once all students have answered, reveals a question that the teacher wanted to
	 * reveal earlier.
	 * @param {Counts} counts
	 */
	count(counts) {
		const { answered } = this;
		this.counted = counts;
		const { open } = this.predictions;
		if (open && this.warned === open.id && this.answered > answered && this.allHaveAnswered) this.reveal();
	}

	/** Marks revealed questions, which are not asked again. */
	markRevealed() {
		const { open, settled } = this.predictions;
		for (const id of this.board?.revealed ?? []) if (id !== open?.id) settled.set(id, "revealed");
	}

	/** Takes over the state of another window, or of this page before it was reloaded. @param {Board} board */
	adopt(board) {
		this.paused = board.paused;
		this.gathered = board.gathered;
		this.cancelReveal();
		this.adopting = board.place;
		this.goToAdopted();
	}

	/** Goes to the place that was adopted from another window, once its step is loaded. */
	goToAdopted() {
		const { adopting, player, predictions, board } = this;
		if (!adopting || !board) return;
		const { step = 0, frame = 0, order = "plugin", selection = null } = adopting;
		predictions.read(this.store);
		const question = predictions.byId(board.asked.id);
		if (!this.store.event(step) || (board.asked.id && !question)) return;
		const { on } = predictions;
		predictions.turn(false, player); // no question on the way
		player.playing = false;
		player.order = order;
		this.chosen.selection = selection;
		player.seek(step, frame);
		predictions.turn(on || Boolean(question), player);
		this.adopting = null;
		if (question && isBefore(player, question.from)) {
			predictions.settled.delete(question.id);
			predictions.open = question;
		} else if (question) predictions.settled.set(question.id, "revealed");
		this.markRevealed();
		const { open } = predictions;
		const isUnsent = open && this.revealing === open.id && !this.counts; // not sent yet
		this.last = isUnsent ? "" : JSON.stringify(this.stateToSend());
	}

	/** Lets the page go on without the class, which has ended. */
	leaveClass() {
		this.cancelReveal();
		this.predictions.host = null;
		this.redraw(false);
	}

	/** Called after each draw: the step may be another, and more of the run may be loaded. */
	drawn() {
		if (this.adopting) {
			this.goToAdopted();
			if (!this.adopting) this.redraw(false);
		}
		const open = this.predictions.open?.id;
		if (!open) this.cancelReveal();
		if (this.revealing !== open) this.revealing = "";
		if (this.warned !== open) this.warned = "";
		this.sendState();
	}
}
