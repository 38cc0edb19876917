// @ts-check
/**
 * A student's place: the teacher's, until they go somewhere themselves. While the class is held nobody goes on ahead of
 * the teacher.
 */

/** @typedef {import("./socket.js").Place} Place */
/** @typedef {{step: number, frame: number}} Spot */

export class Follow {
	/**
	 * @param {Player} player
	 * @param {(place: Place) => void} chose what else a place says: the order of nodes, the selection
	 * @param {() => void} changed following or not
	 */
	constructor(player, chose, changed) {
		this.player = player;
		this.chose = chose;
		this.changed = changed;
		this.on = true;
		this.held = false;
		/** @type {Place | null} the teacher's */
		this.place = null;
		this.ours = false;
		this.move = player.move.bind(player);
		player.move = (step, frame, motion) => this.wish(step, frame, motion);
	}

	/** The reader wants to go somewhere. @param {number} step @param {number} frame @param {boolean} motion */
	wish(step, frame, motion) {
		if (this.ours || !this.place) return this.move(step, frame, motion);
		if (this.held && isAhead({ step, frame }, this.place)) {
			this.player.playing = false;
			({ step, frame } = isAhead(this.player, this.place) ? this.player : this.place);
			if (step === this.player.step && frame === this.player.frame) return;
		}
		this.set(step === this.place.step && frame === this.place.frame);
		this.move(step, frame, motion);
	}

	/** Follow the teacher, or not. @param {boolean} on */
	set(on) {
		if (on === this.on) return;
		this.on = on;
		this.changed();
	}

	/** The teacher is there now. @param {Place} place */
	lead(place) {
		const moved = JSON.stringify(place) !== JSON.stringify(this.place);
		this.place = place;
		if (this.on && moved) this.go();
	}

	/** To the teacher, with the ordinary motion where that is one frame on. */
	go() {
		const { player, place } = this;
		if (!place) return;
		const next =
			(place.step === player.step && place.frame === player.frame + 1) ||
			(place.step === player.step + 1 && place.frame === 0);
		player.playing = false;
		this.chose(place);
		this.move(place.step, place.frame, next);
	}

	/** What moves the player on the class's behalf. @param {() => void} act */
	led(act) {
		this.ours = true;
		act();
		this.ours = false;
	}

	/** Back to the teacher. */
	catchUp() {
		this.set(true);
		this.go();
	}

	/** A step is drawn: the teacher's may have come only now, with all of its frames. @param {Spot} now */
	drawn(now) {
		const { place, player } = this;
		if (!this.on || !place || (now.step === place.step && now.frame === place.frame)) return;
		const frames = player.frames(place.step);
		if (player.step === place.step && player.frame !== place.frame && place.frame < frames) this.go();
	}

	/** How many steps the reader is behind the teacher; below zero: ahead. */
	get behind() {
		return this.place ? this.place.step - this.player.step : 0;
	}
}

/** @param {Spot} a @param {Spot} b */
export function isAhead(a, b) {
	return a.step > b.step || (a.step === b.step && a.frame > b.frame);
}
