// @ts-check
/** Predicting and the short way through a run, set up once per page. */

import { t } from "../shared/i18n.js";
import { choice, choose } from "../shared/progress.js";
import { captionOf, framesOf, nextOf } from "../steps/registry.js";
import { subjectOf } from "../trace/phase.js";
import { RunIndex } from "../trace/run_index.js";
import { answerPart, drawAnswers, keyOf, questionCaption } from "./choices.js";
import { predictions } from "./predictions.js";
import { isBefore, Questions } from "./questions.js";
import { foldedText, ShortWay } from "./short_way.js";

/**
 * The parts of the player's page that learning needs.
 * @typedef {object} Page
 * @property {HTMLElement} root
 * @property {Player} player
 * @property {ChunkStore} store
 * @property {{look: (view: View) => View}} lens
 * @property {{drawn: View | null, followers: Set<(before: View | null, now: View) => void>}} screen
 * @property {(motion: boolean) => void} redraw
 * @property {import("../view").Actions} act
 * @property {any} boot
 */

/** @typedef {import("./answers.js").Spot} Spot */

/** References whose explanation would reveal an answer. */
const TELLING = /^(total|compare|candidates?|start|column|verdict)(:|$)/;

/** Sets up predicting and the short way on a page. @param {Page} page */
export function begin(page) {
	const { player, screen, lens, redraw, boot } = page;
	predictions.go = (to) => player.move(to.step, to.frame, true);
	predictions.changed = () => redraw(false);
	page.root.addEventListener("click", pickThere, { capture: true });
	predictions.source = new Questions(boot.lesson?.questions ?? []);
	player.stopBefore = (step, frame) => predictions.stopBefore(player, { step, frame });
	lens.look = (view) => hideAnswers(page, view);
	screen.followers.add((_, now) => {
		drawAnswers(page.root, now, predictions);
		drawSwitches(page);
	});
	const { captions = [], questions = [] } = boot.lesson ?? {};
	shortWay = new ShortWay(page.store, [...captions, ...questions]);
	shortWay.on = boot.embed || choice("steps") !== "every";
	player.leavesOut = (step, frame) => shortWay?.passes(step, frame, player.order) ?? false;
	if (boot.predict || (!boot.embed && choice("predict") === "on")) predictions.turn(true, placeOf(player));
}

/**
 * Picks a node or pod that is clicked on the stage, if it is one of the options; the second click on it reveals the
 * answer.
 * @param {MouseEvent} event
 */
function pickThere(event) {
	const { open } = predictions;
	const target = /** @type {Element} */ (event.target);
	if (!open || !target.closest("#stage, #queue")) return;
	const pod = target.closest("[data-pod], [data-fly]");
	const names = { pod: pod?.getAttribute("data-pod") ?? pod?.getAttribute("data-fly"), node: nodeAt(target) };
	const at = open.options.findIndex(({ kind, key }) => (kind === "pod" || kind === "node") && names[kind] === key);
	if (at < 0) return;
	event.stopPropagation();
	if (predictions.picks.get(open.id) === at) predictions.reveal();
	else predictions.pick(at);
}

/** The name of the node that an element belongs to; null or undefined if there is none. @param {Element} target */
const nodeAt = (target) => target.closest("[data-node]")?.getAttribute("data-node");

/** Switches predicting on or off; remembered on the site's own pages. @param {Page} page */
function togglePredicting({ player, boot }) {
	predictions.turn(!predictions.on, placeOf(player));
	if (!boot.embed) choose("predict", predictions.on ? "on" : "off");
}

/** Switches between every step and the short way; remembered on the site's own pages. @param {Page} page */
function toggleSteps({ redraw, boot }) {
	if (!shortWay) return;
	shortWay.on = !shortWay.on;
	if (!boot.embed) choose("steps", shortWay.on ? "short" : "every");
	redraw(false);
}

/** Draws the switches in the header, with their state. @param {Page} page */
function drawSwitches(page) {
	const switches = { "predict-switch": predictions.on, "steps-switch": !shortWay?.on };
	for (const [id, on] of Object.entries(switches)) {
		const button = document.getElementById(id);
		button?.setAttribute("aria-pressed", String(on));
		if (button) button.onclick = () => (id === "predict-switch" ? togglePredicting(page) : toggleSteps(page));
	}
}

/** The player's current place. @param {Player} player @returns {Spot} */
function placeOf({ step, frame }) {
	return { step, frame };
}

/**
 * A reference to the comparison of the right node with a wrong one that was picked; otherwise null.
 * @param {import("./questions.js").Question} asked
 * @param {number} pick
 */
function comparedRef({ event, kind, options, right }, pick) {
	const scored = kind === "node" && (event === "ScoresComputed" || event === "HostSelected");
	return scored && pick !== right ? `compare:${options[right].key}:${options[pick].key}` : null;
}

/** The page's data without the lesson's hints, and after the beginning without its description. @param {View} view */
function withoutHints({ boot, event }) {
	const description = event.type === "RunStarted" ? (boot.lesson?.description ?? "") : "";
	return { ...boot, lesson: { ...boot.lesson, description, look_at: "" } };
}

/**
 * The caption of a step with the folded frames, and the next stop on the short way.
 * @param {View} view
 * @returns {Caption}
 */
function captionOnShortWay(view) {
	const { caption, event, frame, store, step, player, act } = view;
	const frames = shortWay?.foldedInto(player, { step, frame }) ?? [];
	const text = foldedText(store, frames, event);
	const unfold = () => {
		shortWay?.unfold(frames);
		act.seek(frames[0].step, frames[0].frame);
	};
	const folded = text ? { folded: { text, unfold } } : {};
	return { ...caption, ...folded, next: announceNext(view, nextNotSkipped(player, { step, frame })) };
}

/** The announcement of the next stop. @param {View} view @param {Spot} next @returns {Part[]} */
export function announceNext(view, next) {
	const { caption, event, frame, order, state, subject, store, step } = view;
	const before = next.step === step ? next.frame - 1 : framesOf(event, order) - 1;
	const following = store.event(next.step);
	if (!following) return caption.next;
	if (next.step <= step + 1) return before === frame ? caption.next : captionOf({ ...view, frame: before }).next;
	const then = store.stateAfter(next.step);
	const about = { pod: then ? subjectOf(following, then) : "", ...following }; // of another attempt, perhaps
	return nextOf({ event, frame: framesOf(event, order), order, following: about, state, subject });
}

/** The next place that is not skipped. @param {Player} player @param {Spot} place @returns {Spot} */
function nextNotSkipped(player, { step, frame }) {
	let at = { step, frame };
	do {
		const isLast = at.frame === player.frames(at.step) - 1;
		at = isLast ? { step: at.step + 1, frame: 0 } : { step: at.step, frame: at.frame + 1 };
	} while (player.store.event(at.step) && player.leavesOut(at.step, at.frame));
	return at;
}

/** The short way through this run. @type {ShortWay | null} */
let shortWay = null;

/**
 * The view without anything that would reveal the answer of an open question.
 * @param {Page} page
 * @param {View} view
 * @returns {View}
 */
function hideAnswers(page, view) {
	const { index, step, frame, pin } = view;
	const learner = {
		predictions,
		predict: () => togglePredicting(page),
		everyStep: () => toggleSteps(page),
		pickKey: (/** @type {string} */ key) => {
			const { open } = predictions;
			if (open) predictions.pick(open.options.findIndex((_, i) => keyOf(open, i) === key));
		},
	};
	const caption = captionOnShortWay(view);
	if (predictions.on) predictions.read(page.store);
	const { ahead, open } = predictions;
	const revealed = predictions.on && !open ? predictions.shownAt(view) : null;
	const answer = revealed
		? { eyebrow: [...caption.eyebrow, ...answerPart(revealed, predictions.picks.get(revealed.id))] }
		: {};
	const pick = revealed ? predictions.picks.get(revealed.id) : undefined;
	const compared = revealed && pick !== undefined ? { explained: comparedRef(revealed, pick) ?? undefined } : {};
	if (!ahead) return { ...view, learner, own: view.caption, caption: { ...caption, ...answer }, ...compared };
	const next = isBefore(nextNotSkipped(page.player, view), ahead.from) ? {} : { next: [t("predict.next")] };
	return {
		...view,
		learner,
		own: view.caption,
		caption: open ? questionCaption(view, open) : { ...caption, ...answer, ...next },
		index: hideIndex(index, step),
		horizon: { step, frame, question: ahead.from.step },
		pin: pin && TELLING.test(pin) ? null : pin,
		boot: withoutHints(view),
		...(ahead.step === step && view.scene === "preempt" ? { explained: `request:${view.subject}` } : compared),
		options: { ...view.options, later: false, table: false },
	};
}

/**
 * The last result of hideIndex, and what it was made from.
 * @type {{index: RunIndex, next: number, step: number, hidden: RunIndex} | null}
 */
let last = null;

/**
 * The index without names and outcomes after a step.
 * @param {RunIndex} index
 * @param {number} step
 * @returns {RunIndex}
 */
function hideIndex(index, step) {
	if (last?.index === index && last.next === index.next && last.step === step) return last.hidden;
	const hidden = Object.assign(new RunIndex(), index, {
		columns: index.columns.map((column) => hideColumn(column, step)),
		moves: hideMoves(index, step),
	});
	last = { index, next: index.next, step, hidden };
	return hidden;
}

/** A column without what happens after a step. @param {Column} column @param {number} step @returns {Column} */
function hideColumn(column, step) {
	if (column.kind === "gap") return { ...column, changes: column.changes.filter((change) => change.step <= step) };
	if (column.end <= step) return column;
	return { ...column, pod: column.step <= step ? column.pod : "", outcome: null, node: "", victims: 0 };
}

/** The moves of each pod up to a step, without pods that have none. @param {RunIndex} index @param {number} step */
function hideMoves(index, step) {
	const moves = new Map();
	for (const [pod, own] of index.moves) {
		const shown = own.filter((move) => move.step <= step);
		if (shown.length) moves.set(pod, shown);
	}
	return moves;
}
