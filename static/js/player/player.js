// @ts-check
/**
 * The position in the run (step and frame), speed, playing and breakpoints. The program's only requestAnimationFrame
 * loop is here.
 */

import { framesOf } from "../steps/registry.js";

/** @typedef {{step: number, event: AnyEvent}} Found */
/** @typedef {{step: number, frame: number}} Place */
/** @typedef {{pod: string, plugin: string, outcome: string}} Breakpoint every field that is not "" must match */

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32];

export class Player {
	/** @param {ChunkStore} store @param {(motion: boolean) => void} changed */
	constructor(store, changed) {
		this.store = store;
		this.changed = changed;
		this.step = 0;
		this.frame = 0;
		this.speed = 1;
		this.playing = false;
		/** @type {"plugin" | "node"} */
		this.order = "plugin";
		/** @type {Breakpoint[]} */
		this.breakpoints = [];
		/** @type {Breakpoint | null} the breakpoint at which playing stopped */
		this.hit = null;
		/** Advances the player while it plays. @type {(player: Player, now: number) => void} */
		this.advance = () => {};
		/**
		 * The last place before a question on the way to a place; null if there is no question.
		 * @type {(step: number, frame: number) => Place | null}
		 */
		this.stopBefore = () => null;
		/** Whether a frame is skipped. @type {(step: number, frame: number) => boolean} */
		this.leavesOut = () => false;
		this.due = 0; // milliseconds, as of animation frames; 0: to be computed
		this.ticking = 0; // the requested animation frame; 0: none
		/** @type {(() => void) | null} */
		this.pendingDraw = null;
	}

	/** The event of the current step; undefined while it is not loaded. */
	get event() {
		return this.store.event(this.step);
	}

	/** The state after the current step; undefined while it is not loaded. */
	get state() {
		return this.store.stateAfter(this.step);
	}

	/** The number of frames of a step. @param {number} step */
	frames(step) {
		return framesOf(this.store.event(step), this.order);
	}

	/** Whether the player is at the last frame that is loaded. */
	get atEnd() {
		return this.step >= this.store.steps - 1 && this.frame >= this.frames(this.step) - 1;
	}

	/** Goes to a place at once, without motion. @param {number} step @param {number} [frame] */
	seek(step, frame = 0) {
		this.move(step, frame, false);
	}

	/**
	 * Goes to a place, or to the last place before a question on the way there.
	 * @param {number} step @param {number} frame @param {boolean} motion
	 */
	move(step, frame, motion) {
		const last = Math.max(0, this.store.steps - 1);
		const to = Math.max(0, this.store.complete ? Math.min(step, last) : step);
		const at = { step: to, frame: Math.max(0, Math.min(frame, this.frames(to) - 1)) };
		Object.assign(this, this.stopBefore(at.step, at.frame) ?? at);
		this.changed(motion);
	}

	/** Moves one frame forward. @returns {boolean} whether there was one */
	forward(motion = true) {
		let { step, frame } = this;
		do {
			if (frame < this.frames(step) - 1) frame += 1;
			else if (this.store.event(step + 1)) [step, frame] = [step + 1, 0];
			else return false;
		} while (this.leavesOut(step, frame) && !this.breaksAt(step, frame));
		this.move(step, frame, motion);
		return true;
	}

	/** Whether playing stops at a place. @param {number} step @param {number} frame */
	breaksAt(step, frame) {
		return (
			this.playing && frame === 0 && this.breakpoints.some((breakpoint) => matches(breakpoint, this.store.event(step)))
		);
	}

	/** Moves one frame back. */
	back() {
		let { step, frame } = this;
		do {
			if (frame > 0) frame -= 1;
			else if (step > 0) [step, frame] = [step - 1, this.frames(step - 1) - 1];
			else return;
		} while (this.leavesOut(step, frame));
		this.move(step, frame, false);
	}

	/**
	 * Finds the nearest event after or before the current step that `test` accepts; null if there is none.
	 * @param {1 | -1} by
	 * @param {(event: AnyEvent, step: number) => boolean} test
	 * @returns {Found | null}
	 */
	find(by, test) {
		for (const item of this.store.walk(this.step + by, by)) if (test(item.event, item.step)) return item;
		return null;
	}

	/**
	 * Jumps to the nearest event after or before the current step that `test` accepts. Returns whether there was one.
	 * @param {1 | -1} by
	 * @param {(event: AnyEvent, step: number) => boolean} test
	 */
	jump(by, test) {
		const place = this.find(by, test);
		if (place) this.seek(place.step, 0);
		return place !== null;
	}

	/** Goes to the beginning of the next or previous attempt; without one, to the end or the beginning of the run. */
	goToAttempt(/** @type {1 | -1} */ by) {
		if (!this.jump(by, (event) => event.type === "CycleStarted")) this.seek(by < 0 ? 0 : this.store.steps - 1, 0);
	}

	/** Plays or pauses; at the end of the run, plays from its beginning. */
	play(on = !this.playing) {
		if (on && this.atEnd && this.store.complete) this.seek(0);
		this.playing = on;
		this.hit = null;
		this.due = 0;
		this.changed(false);
		if (on) this.tick();
	}

	/** Changes to the next higher (1) or lower (-1) speed, if there is one. */
	changeSpeed(/** @type {1 | -1} */ by) {
		const at = SPEEDS.indexOf(this.speed) + by;
		this.speed = SPEEDS[Math.max(0, Math.min(at, SPEEDS.length - 1))];
		this.changed(false);
	}

	/** Requests an animation frame, unless one is due. */
	tick() {
		if (!this.ticking) this.ticking = requestAnimationFrame((now) => this.onAnimationFrame(now));
	}

	/** Draws in the next animation frame. @param {() => void} draw */
	schedule(draw) {
		this.pendingDraw = draw;
		this.tick();
	}

	/** Runs once per animation frame: advances while playing, and draws. @param {number} now */
	onAnimationFrame(now) {
		this.ticking = 0;
		if (this.playing) this.advance(this, now);
		const draw = this.pendingDraw;
		this.pendingDraw = null;
		draw?.();
		if (this.playing || this.pendingDraw) this.tick();
	}

	/** Pauses, at a breakpoint if one was hit. */
	stop(/** @type {Breakpoint | null} */ hit) {
		this.playing = false;
		this.hit = hit;
		this.changed(false);
	}
}

const LETTERS = 22; // read in a second
const MOTION = 1000; // milliseconds until motion has ended
const LONGEST_MOTION = 8; // times the usual speed: beyond, a step is over before it has moved

/**
 * Returns the timer that advances a player: each frame stays until its motion has ended and its text can be read.
 * @param {() => number | null} lettersToRead letters to read; null if the current frame is not drawn yet
 * @returns {(player: Player, now: number) => void}
 */
export function playTimer(lettersToRead) {
	return (player, now) => {
		const letters = lettersToRead();
		if (letters === null) return;
		player.due ||= now + (MOTION + (1000 * letters) / LETTERS) / player.speed;
		if (now < player.due) return;
		player.due = 0;
		if (!player.forward(player.speed <= LONGEST_MOTION)) {
			if (player.store.complete) player.stop(null);
			player.due = now + 100;
			return;
		}
		const { event, frame } = player;
		const hit = event && frame === 0 ? player.breakpoints.find((breakpoint) => matches(breakpoint, event)) : undefined;
		if (hit) player.stop(hit);
	};
}

/** Whether an event satisfies a breakpoint. @param {Breakpoint} breakpoint @param {any} event */
export function matches(breakpoint, event) {
	if (!event) return false;
	const { pod, plugin, outcome } = breakpoint;
	if (pod && event.pod !== pod && !event.pod?.endsWith?.(`/${pod}`)) return false;
	if (outcome && event.outcome !== outcome) return false;
	if (plugin && !rejecters(event).includes(plugin)) return false;
	return Boolean(pod || plugin || outcome);
}

/** The plugins that rejected something in an event. @param {any} event @returns {string[]} */
function rejecters(event) {
	if (event.type === "NodesFiltered")
		return event.verdicts.flatMap((/** @type {any} */ verdict) => verdict.plugin.split(","));
	if (event.type === "SchedulingFailed") return event.unschedulable_plugins;
	return [event.rejected_by, event.plugin].filter(Boolean);
}
