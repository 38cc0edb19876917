// @ts-check
/** Once a step is on the screen: what later ones will need, gestures, pace, breakpoints, motion. */

import { warmPictures } from "../chrome/stage.js";
import { plain } from "../shared/i18n.js";
import { loadCaptions } from "../steps/captions.js";
import { warmExplanations } from "../steps/explanations.js";
import { act } from "./actions.js";
import { drawWithMotion, makeView } from "./drawing.js";
import * as motion from "./motion.js";
import { boot } from "./opening.js";
import { playing } from "./pace.js";
import * as page from "./page.js";

const { player, redraw, timeline } = page;

export async function warm() {
	warmPictures();
	warmExplanations();
	void loadCaptions();
	player.advance = playing(lettersNow);
	drawWithMotion(motion);
	if (boot.ask && !boot.embed) act.open(`ask:${boot.ask}`);
	await Promise.all([timeline.loadHands(), learn()]);
	if (!boot.embed) (await import("../classroom/speaking.js")).beginSpeaking({ ...page, boot });
	if (boot.class) await (await import("../classroom/begin.js")).begin({ ...page, boot });
	redraw(false);
}

/** What asks, tells the track and leaves steps out: once. */
export async function learn() {
	(await import("../learn/learning.js")).begin({ ...page, act, boot });
}

/** Letters of the caption to come. */
function lettersNow() {
	const { sentence = [], why = [] } = makeView()?.caption ?? {};
	return plain([...sentence, ...why]).length;
}
