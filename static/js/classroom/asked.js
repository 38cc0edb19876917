// @ts-check
/**
 * The question that a class is asked, on the teacher's page and on the students': opened where the teacher stands, held
 * until the teacher reveals it, then the counts and the real motion.
 */

import { predictions } from "../learn/predictions.js";
import { drawHistogram, forgetHistogram } from "./histogram.js";

/** @typedef {import("./begin.js").Page} Page */
/** @typedef {import("./socket.js").Asked} AskedNow */
/** @typedef {import("../learn/questions.js").Question} Question */

const HOLDER = "class";
const LOOK_MS = 1400; // at the counts, before the answer plays
const NOTHING_AHEAD = { step: Number.POSITIVE_INFINITY, frame: 0 };

export class Asked {
	/** @param {Page} page @param {(act: () => void) => void} ours runs what moves the player on the class's behalf */
	constructor(page, ours) {
		this.page = page;
		this.ours = ours;
		/** @type {Partial<AskedNow>} */
		this.now = {};
		this.played = "";
		predictions.heldBy = HOLDER;
		page.screen.followers.add((_, view) => this.drawn(view));
	}

	/** The question itself, once so much of the run is here. @returns {Question | null} */
	get question() {
		return predictions.questions.find((one) => one.id === this.now.id) ?? null;
	}

	/** Waiting for answers. */
	get open() {
		return Boolean(this.now.id && !this.now.counts);
	}

	/** How many were right, of how many: null before it is revealed. @returns {[number, number] | null} */
	get tally() {
		const { counts, right = 0 } = this.now;
		return counts ? [counts[right] ?? 0, counts.reduce((sum, one) => sum + one, 0)] : null;
	}

	/**
	 * What the class is asked now.
	 * @param {Partial<AskedNow>} asked
	 * @param {{step: number, frame: number}} place the teacher's
	 * @returns {boolean} whether the question is a new one
	 */
	take(asked, place) {
		const fresh = Boolean(asked.id) && (asked.id !== this.now.id || (!asked.counts && this.now.counts !== undefined));
		this.now = asked;
		if (fresh) {
			this.played = "";
			predictions.settled.delete(asked.id ?? "");
			const here = predictions.open?.id === asked.id; // the teacher, by whom it was asked
			if (!here) predictions.turn(true, asked.counts ? NOTHING_AHEAD : place);
		}
		if (!asked.counts) forgetHistogram();
		else if (this.played !== asked.id) this.play(asked.id ?? "", fresh);
		return fresh;
	}

	/** The counts, then the answer's own motion. @param {string} id @param {boolean} late joined when it was over */
	play(id, late) {
		this.played = id;
		if (late) return void predictions.settled.set(id, "revealed");
		setTimeout(() => {
			const { question } = this;
			if (this.now.id !== id || !question) return;
			predictions.open = question;
			this.ours(() => predictions.reveal(HOLDER));
			predictions.since = this.page.boot.class.role === "student" ? NOTHING_AHEAD : predictions.since;
		}, LOOK_MS);
	}

	/** @param {View} view */
	drawn(view) {
		const { question, now, page } = this;
		if (this.open && question && predictions.open !== question && !predictions.settled.has(question.id)) {
			const { from } = question;
			const before = view.step === from.step ? view.frame === from.frame - 1 : view.step === from.step - 1;
			if (before) {
				predictions.open = question;
				page.redraw(false);
			}
		}
		if (now.counts && question) drawHistogram(page.root, question, now.counts, now.right ?? 0);
	}
}
