// @ts-check
/** Playing: frame after frame, each for as long as there is something new to read; a breakpoint ends it. */

import { matches } from "./breakpoints.js";

const STEP_MS = 1700;
const MOST_STEPS_A_FRAME = 8;

const LETTERS = 130; // of a caption, that are read in one step's time
const SHORTEST = 0.4;

/**
 * What plays a player on.
 * @param {() => number} lettersNow of the caption on screen
 * @returns {(player: Player, now: number) => void}
 */
export function playing(lettersNow) {
	/** How long the present frame is shown, in milliseconds. @param {Player} player */
	const stay = ({ event, speed }) => (STEP_MS * (event ? paceOf(event, lettersNow()) : 0.2)) / speed;
	return (player, now) => {
		player.due ||= now + stay(player);
		for (let steps = 0; steps < MOST_STEPS_A_FRAME && now >= player.due; steps += 1) {
			if (!player.forward(player.speed <= 8)) {
				if (player.store.complete) player.stop(null);
				player.due = now + 100;
				return;
			}
			player.due = Math.max(player.due, now - 100) + stay(player);
			const { event, frame } = player;
			const hit = event && frame === 0 ? player.breakpoints.find((one) => matches(one, event)) : undefined;
			if (hit) return player.stop(hit);
		}
	};
}

/** @param {AnyEvent} event @param {number} letters of its caption */
function paceOf(event, letters) {
	return Math.max(weightOf(event), Math.min(2.5, Math.max(SHORTEST, letters / LETTERS)));
}

/**
 * How long autoplay stays on an event, as a share of a step: nothing new to read, less time.
 * @param {AnyEvent} event
 */
function weightOf(event) {
	switch (event.type) {
		case "ClockAdvanced":
		case "AttemptFinished":
		case "PodReserved":
		case "PodAssumed":
			return 0.5;
		case "PermitEvaluated":
		case "PodPreBound":
			return ("code" in event && event.code === "Wait") ||
				event.results.some((one) => (one.code ?? "Success") !== "Success")
				? 1
				: 0.4;
		case "NodesFiltered":
		case "PreFilterFinished":
			return 0.8;
		default:
			return 1;
	}
}
