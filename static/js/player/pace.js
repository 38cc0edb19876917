// @ts-check
/** How long playing stays on a frame: as long as there is something new to read. */

const LETTERS = 130; // of a caption, that are read in one step's time
const SHORTEST = 0.4;

/** @param {AnyEvent} event @param {number} letters of its caption */
export function paceOf(event, letters) {
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
