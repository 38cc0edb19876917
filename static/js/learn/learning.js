// @ts-check
/** What a page for learners has besides the player: questions before answers. Put together here, once a page. */

import { t } from "../shared/i18n.js";
import { choice, choose } from "../shared/progress.js";
import { nextOf } from "../steps/captions.js";
import { framesOf } from "../steps/registry.js";
import { drawAnswers } from "./asking.js";
import { hiddenFrom } from "./hiding.js";
import { predictions } from "./predictions.js";
import { Questions } from "./questions.js";
import { leftOut, nextTold, story } from "./story.js";
import { answerPart, questionCaption } from "./words.js";

/**
 * The player's page, as far as it is needed here.
 * @typedef {object} Page
 * @property {HTMLElement} root
 * @property {Player} player
 * @property {ChunkStore} store
 * @property {{look: (view: View) => View, coming: Promise<unknown> | null}} lens
 * @property {{drawn: View | null, followers: Set<(before: View | null, now: View) => void>}} screen
 * @property {(motion: boolean) => void} redraw
 * @property {import("../view").Actions} act
 * @property {any} boot
 */

/** @typedef {import("./answers.js").Spot} Spot */

/** What explains an answer before it is shown. */
const TELLING = /^(total|compare|candidates?|column|verdict):/;

/** @type {Questions | null} */
let questions = null;
let begun = false;

/** Begin, on a page. @param {Page} page */
export function begin(page) {
	if (begun) return;
	begun = true;
	const { player, screen, lens, redraw, boot } = page;
	predictions.go = (to) => player.move(to.step, to.frame, true);
	predictions.listen((what, question, pick) => {
		if (what === "revealed" && pick !== null) page.act.pin(comparedRef(question, pick));
	});
	predictions.changed = () => redraw(false);
	player.stopBefore = (step, frame) => stopBefore(page, { step, frame });
	lens.look = (view) => look(page, view);
	lens.coming = null;
	screen.followers.add((_, now) => {
		drawAnswers(page.root, now, predictions);
		drawSwitches(page);
	});
	story.on = !boot.embed && (choice("steps") ?? (boot.story ? "story" : "every")) === "story";
	player.leavesOut = (step, frame) => leftOut(page.store, step, frame);
	if (boot.predict || (!boot.embed && choice("predict") === "on")) predictions.turn(true, here(player));
}

/** On or off, remembered on the site's own pages. @param {Page} page */
function togglePredicting({ player, boot }) {
	predictions.turn(!predictions.on, here(player));
	if (!boot.embed) choose("predict", predictions.on ? "on" : "off");
}

/** @param {Page} page */
function toggleSteps({ redraw }) {
	story.on = !story.on;
	choose("steps", story.on ? "story" : "every");
	redraw(false);
}

/** The header's switches: what they do, and how they stand. @param {Page} page */
function drawSwitches(page) {
	const switches = { "predict-switch": predictions.on, "steps-switch": !story.on };
	for (const [id, on] of Object.entries(switches)) {
		const button = document.getElementById(id);
		button?.setAttribute("aria-pressed", String(on));
		if (button) button.onclick = () => (id === "predict-switch" ? togglePredicting(page) : toggleSteps(page));
	}
}

/** @param {Player} player @returns {Spot} */
function here({ step, frame }) {
	return { step, frame };
}

/** Read what has come of the run. @param {Page} page */
function read({ store, boot }) {
	questions ??= new Questions(boot.lesson?.questions ?? []);
	questions.update(store);
	predictions.questions = questions.list;
}

/** The last place before a question. @param {Player} player @param {Spot} from @returns {Spot} */
function placeBefore(player, { step, frame }) {
	return frame ? { step, frame: frame - 1 } : { step: step - 1, frame: player.frames(step - 1) - 1 };
}

/**
 * Where the way to a place ends, if a question lies on it.
 * @param {Page} page
 * @param {Spot} to
 * @returns {Spot | null}
 */
function stopBefore(page, to) {
	if (!predictions.on) return null;
	read(page);
	const { player } = page;
	const { ahead } = predictions;
	if (!ahead || predictions.allows(to)) {
		if (to.step !== player.step || to.frame !== player.frame) predictions.leave();
		return null;
	}
	player.playing = false;
	const spot = placeBefore(player, ahead.from);
	predictions.ask();
	return predictions.open ? spot : here(player); // else the answer is being shown
}

/**
 * What the margin compares once an answer is shown.
 * @param {import("./questions.js").Question} asked
 * @param {number} pick
 */
function comparedRef({ event, kind, options, right }, pick) {
	const scored = kind === "node" && (event === "ScoresComputed" || event === "HostSelected");
	return scored && pick !== right ? `compare:${options[right].key}:${options[pick].key}` : null;
}

/** What a scenario says of itself, without what to look for. @param {any} boot */
function silent(boot) {
	return { ...boot, lesson: { ...boot.lesson, description: "", look_at: "" } };
}

/** Its caption, with what comes next on the short way. @param {View} view @returns {Caption} */
function retold({ caption, event, frame, order, state, hero, store, step, following }) {
	const told = nextTold(store, step);
	if (told === following || frame < framesOf(event, order) - 1) return caption;
	return { ...caption, next: nextOf({ event, frame, order, following: told, state, hero }) };
}

/** What may be told now. @param {Page} page @param {View} view @returns {View} */
function look(page, view) {
	const { index, step, frame, pin } = view;
	const learner = { predictions, predict: () => togglePredicting(page), everyStep: () => toggleSteps(page) };
	const caption = retold(view);
	if (predictions.on) read(page);
	const { ahead, open } = predictions;
	const told = predictions.on && !open ? predictions.shownAt(view) : null;
	const answer = told ? { eyebrow: [...caption.eyebrow, ...answerPart(told, predictions.picks.get(told.id))] } : {};
	if (!ahead) return { ...view, learner, own: view.caption, caption: { ...caption, ...answer } };
	const stop = placeBefore(page.player, ahead.from);
	const next = stop.step === step && stop.frame === frame ? { next: [t("predict.next")] } : {};
	return {
		...view,
		learner,
		own: view.caption,
		caption: open ? questionCaption(view, open) : { ...caption, ...answer, ...next },
		index: hiddenFrom(index, step),
		horizon: { step, frame },
		pin: pin && TELLING.test(pin) ? null : pin,
		boot: silent(view.boot),
		explained: ahead.step === step && view.scene === "preempt" ? `request:${view.hero}` : undefined,
		options: { ...view.options, later: false, table: false },
	};
}
