// @ts-check
/**
 * The contents of a handout: the steps and questions before the answers, and what is kept for the last page, which is
 * all that tells an answer: what comes of a pod once it was asked about, and whatever names an answer.
 */

import { optionText, textOf } from "../learn/choices.js";
import { plain, t } from "../shared/i18n.js";
import { captionOf, framesOf } from "../steps/registry.js";
import { Stops } from "./stops.js";

/** @typedef {import("../learn/questions.js").Question} Question */
/** @typedef {import("../learn/answers.js").Spot} Spot */
/**
 * @typedef {object} Item
 * @property {number} step of its picture
 * @property {number} frame
 * @property {string} sentence what the player says there
 * @property {string} [words] the teacher's
 * @property {string} [question]
 * @property {string[]} [options]
 * @property {number} [number] of the question
 * @property {boolean} [plainly] without a picture
 */
/**
 * @typedef {object} Sheet
 * @property {string} title
 * @property {Item[]} items
 * @property {{number: number, answer: string, sentence: string}[]} answers
 * @property {Item[]} later what is shown with the answers
 * @property {string} end how the run ends
 */

const MAX_MARKS = 12;
const SHORT = 3; // an answer of fewer letters is found in any sentence

/** @param {ChunkStore} store @param {{captions?: any[], questions?: any[]}} lesson @returns {Sheet} */
export function sheetOf(store, lesson) {
	const stops = new Stops(store, lesson);
	stops.read();
	const questionList = stops.questions.list;
	const marks = lastOfEach(stops.words.length ? stops.words : decisions(store)).slice(0, MAX_MARKS);
	const shown = marks.map((mark) => ({ ...itemAt(store, lastOf(store, mark.step)), words: mark.text }));
	const early = shown.filter(
		(item) => !questionList.some((question) => tells(item, podAt(store, item.step), question)),
	);
	const start = itemAt(store, { step: 0, frame: 0 });
	const questions = questionList.map((question, i) => askedItem(store, question, i + 1, questionList));
	const items = [start, ...early, ...questions].sort((a, b) => a.step - b.step);
	return {
		title: "",
		items,
		answers: questionList.map((question, i) => ({ number: i + 1, ...answer(store, question) })),
		later: shown.filter((item) => !early.includes(item)),
		end: endOf(store),
	};
}

/**
 * Of marks with the same words, such as those of a group's members, the last.
 * @param {{step: number, text: string}[]} marks
 */
function lastOfEach(marks) {
	return marks.filter(({ text }, i) => !text || marks[i + 1]?.text !== text);
}

/** The step, and what the player says there. @param {ChunkStore} store @param {Spot} spot @returns {Item} */
function itemAt(store, { step, frame }) {
	const [event, state] = [store.event(step), store.stateAfter(step)];
	if (!event || !state) return { step, frame, sentence: "" };
	const { sentence } = captionOf({ state, event, frame, order: "plugin", following: store.event(step + 1) });
	return { step, frame, sentence: plain(sentence) };
}

/** @param {ChunkStore} store @param {number} step @returns {Spot} */
function lastOf(store, step) {
	return { step, frame: framesOf(/** @type {AnyEvent} */ (store.event(step))) - 1 };
}

/**
 * What is shown before the question.
 * @param {ChunkStore} store
 * @param {Question} question
 * @param {number} number
 * @param {Question[]} asked
 * @returns {Item}
 */
function askedItem(store, question, number, asked) {
	const { step, frame } = question.from;
	const spot = frame ? { step, frame: frame - 1 } : lastOf(store, Math.max(0, step - 1));
	const item = itemAt(store, spot);
	// what would tell an earlier answer stays away: words and picture
	const plainly = asked.slice(0, number - 1).some((earlier) => tells(item, question.pod, earlier));
	const options = question.options.map((option) => optionText(option, question));
	return {
		...item,
		sentence: plainly ? "" : item.sentence,
		plainly,
		question: plain(textOf(question)),
		options,
		number,
	};
}

/** Does what is of a pod tell the answer? @param {Item} item @param {string} pod @param {Question} question */
function tells(item, pod, question) {
	if (item.step < question.from.step) return false;
	if (pod === question.pod) return true;
	const right = optionText(question.options[question.right], question);
	return right.length >= SHORT && `${item.sentence} ${item.words ?? ""}`.includes(right);
}

/** The attempt that a step belongs to. @param {ChunkStore} store @param {number} step */
function podAt(store, step) {
	for (const { event } of store.walk(step, -1)) if (event.type === "CycleStarted") return event.pod;
	return "";
}

/** @param {ChunkStore} store @param {Question} question */
function answer(store, question) {
	const { step, frame } = question.shown;
	return {
		answer: `${optionText(question.options[question.right], question)}.`,
		sentence: itemAt(store, { step, frame }).sentence,
	};
}

/** The steps of a run without marks: preemptions, then the ends of attempts. @param {ChunkStore} store */
function decisions(store) {
	const entries = [];
	const left = { PreemptionEvaluated: 4, SchedulingFailed: 3, HostSelected: 5 };
	for (const { step, event } of store.walk(0, 1)) {
		const type = /** @type {keyof typeof left} */ (event.type);
		if (left[type] > 0) {
			left[type] -= 1;
			entries.push({ step, text: "" });
		}
	}
	return entries;
}

/** @param {ChunkStore} store */
function endOf(store) {
	const last = store.steps - 1;
	return store.event(last)?.type === "RunFinished"
		? itemAt(store, { step: last, frame: 0 }).sentence
		: t("handout.cut", { n: last });
}
