// @ts-check
/** The priority ramp: more ink, more important; a colour, and pips as its second cue. */

/** From which priority on, its colour in tokens.css, its pips; the highest first. @type {[number, string, number][]} */
const RAMP = [
	[2_000_000_000, "psys", 4], // system-cluster-critical and above
	[1000, "p1000", 4],
	[500, "p500", 3],
	[100, "p100", 2],
	[-Infinity, "p10", 1],
];

/** The colours, the highest first. */
export const RAMP_COLOURS = RAMP.map(([, colour]) => colour);

/** @param {number} priority */
function stepOf(priority) {
	return RAMP.find(([least]) => priority >= least) ?? RAMP[RAMP.length - 1];
}

/** The name of a priority's colour: "p500". @param {number} priority */
export function rampColour(priority) {
	return stepOf(priority)[1];
}

/** Colour and text colour as custom properties. @param {number} priority */
export function rampStyle(priority) {
	const colour = rampColour(priority);
	return { "--c": `var(--${colour})`, "--ct": `var(--${colour}t)` };
}

/** @param {number} priority @returns {number} 1 to 4 */
export function pips(priority) {
	return stepOf(priority)[2];
}
