// @ts-check
/**
 * A student's place: the teacher's, until the student goes elsewhere. While the teacher holds the class, students
 * cannot go ahead.
 */

/** @typedef {import("./socket.js").Place} Place */
/** @typedef {{step: number, frame: number}} Spot */

export class Follow {
	/**
	 * @param {Player} player
	 * @param {(place: Place) => void} applyRest applies the rest of a place: the order of nodes, the selection
	 * @param {() => void} changed called when following starts or stops
	 * @param {() => void} moved called after each move
	 */
	constructor(player, applyRest, changed, moved) {
		this.player = player;
		this.applyRest = applyRest;
		this.changed = changed;
		this.on = true;
		this.held = false;
		/** @type {Place | null} the teacher's */
		this.place = null;
		const move = player.move.bind(player);
		this.move = (/** @type {number} */ step, /** @type {number} */ frame, /** @type {boolean} */ motion) => {
			move(step, frame, motion);
			moved();
		};
		player.move = (step, frame, motion) => this.tryMove(step, frame, motion);
	}

	/**
	 * Moves the student to a place; while the class is held, not beyond the teacher's.
	 * @param {number} step
	 * @param {number} frame
	 * @param {boolean} motion
	 */
	tryMove(step, frame, motion) {
		if (!this.place) return this.move(step, frame, motion);
		if (this.held && isAhead({ step, frame }, this.place)) {
			this.player.playing = false;
			({ step, frame } = isAhead(this.player, this.place) ? this.player : this.place);
			if (step === this.player.step && frame === this.player.frame) return;
		}
		this.setFollowing(step === this.place.step && frame === this.place.frame);
		this.move(step, frame, motion);
	}

	/** Starts or stops following the teacher. @param {boolean} on */
	setFollowing(on) {
		if (on === this.on) return;
		this.on = on;
		this.changed();
	}

	/** Handles a new place of the teacher. @param {Place} place */
	setTeacherPlace(place) {
		const moved = JSON.stringify(place) !== JSON.stringify(this.place);
		this.place = place;
		if (this.on && moved) this.goToTeacher();
	}

	/** Goes to the teacher's place, with motion if the teacher went there step by step. */
	goToTeacher() {
		const { player, place } = this;
		if (!place) return;
		let { step, frame } = player;
		do {
			if (frame < player.frames(step) - 1) frame += 1;
			else [step, frame] = [step + 1, 0];
		} while (player.leavesOut(step, frame));
		player.playing = false;
		const isNext = place.step === step && place.frame === frame;
		const isAnswer = place.step === player.step && place.frame > player.frame;
		this.applyRest(place);
		this.move(place.step, place.frame, isNext || isAnswer);
	}

	/** Returns to the teacher. */
	catchUp() {
		this.setFollowing(true);
		this.goToTeacher();
	}

	/** Called after each draw: the teacher's step, or its frames, may be loaded only now. @param {Spot} now */
	drawn(now) {
		const { place, player } = this;
		if (!this.on || !place || (now.step === place.step && now.frame === place.frame)) return;
		const frames = player.frames(place.step);
		if (player.step === place.step && player.frame !== place.frame && place.frame < frames) this.goToTeacher();
	}

	/** The number of steps that the reader is behind the teacher; negative: ahead. */
	get behind() {
		return this.place ? this.place.step - this.player.step : 0;
	}
}

/** Whether place `a` comes after place `b`. @param {Spot} a @param {Spot} b */
function isAhead(a, b) {
	return a.step > b.step || (a.step === b.step && a.frame > b.frame);
}
