// @ts-check
/**
 * The contents of a handout: steps and questions, then the answers. Items that would reveal an answer are on the last
 * page: later steps of a pod in a question, and items that name an answer.
 */

import { optionText, textOf } from "../learn/choices.js";
import { list, plain, t } from "../shared/i18n.js";
import { nameInKey, outOf, quantity, seconds } from "../shared/units.js";
import { wishesOf } from "../steps/parts/words.js";
import { captionOf, framesOf } from "../steps/registry.js";
import { allocatable, free } from "../trace/room.js";
import { Stops } from "./stops.js";

/** @typedef {import("../learn/questions.js").Question} Question */
/** @typedef {import("../learn/answers.js").Spot} Spot */
/**
 * @typedef {object} Item
 * @property {number} step of its picture
 * @property {number} frame
 * @property {string} sentence the player's caption
 * @property {string} [words] the teacher's
 * @property {string} [question]
 * @property {string[]} [options]
 * @property {string[]} [given] the numbers that decide the answer
 * @property {number} [number] of the question
 * @property {boolean} [plainly] without a picture
 */
/**
 * @typedef {object} Sheet
 * @property {string} title
 * @property {Item[]} items
 * @property {{number: number, answer: string, sentence: string}[]} answers
 * @property {Item[]} later items shown with the answers
 * @property {string} end how the run ends
 */

const MAX_MARKS = 12;
const SHORT = 3; // shorter answers occur in any sentence

/**
 * The handout of a run, without a title: captions or decisions, the lesson's questions, and the answers.
 * @param {ChunkStore} store @param {{captions?: any[], questions?: any[]}} lesson @returns {Sheet}
 */
export function sheetOf(store, lesson) {
	const stops = new Stops(store, lesson);
	stops.read();
	const questionList = stops.questions.list;
	const marks = lastOfEach(stops.words.length ? stops.words : decisions(store)).slice(0, MAX_MARKS);
	const shown = marks.map((mark) => ({ ...itemAt(store, lastFrame(store, mark.step)), words: mark.text }));
	const early = shown.filter(
		(item) => !questionList.some((question) => reveals(item, podAt(store, item.step), question)),
	);
	const start = itemAt(store, { step: 0, frame: 0 });
	const questions = questionList.map((question, i) => askedItem(store, question, i + 1, questionList));
	for (const [i, item] of questions.entries())
		if (i && item.given?.join() === questions[i - 1].given?.join()) item.given = []; // as before
	const items = [start, ...early, ...questions].sort((a, b) => a.step - b.step);
	return {
		title: "",
		items,
		answers: questionList.map((question, i) => ({ number: i + 1, ...answerOf(store, question) })),
		later: shown.filter((item) => !early.includes(item)),
		end: endSentence(store),
	};
}

/**
 * Keeps the last of consecutive marks with the same text, such as those of a group's members.
 * @param {{step: number, text: string}[]} marks
 */
function lastOfEach(marks) {
	return marks.filter(({ text }, i) => !text || marks[i + 1]?.text !== text);
}

/**
 * The item of a step, with the caption that the player shows there, "" if the step is not loaded.
 * @param {ChunkStore} store
 * @param {Spot} spot
 * @returns {Item}
 */
function itemAt(store, { step, frame }) {
	const [event, state] = [store.event(step), store.stateAfter(step)];
	if (!event || !state) return { step, frame, sentence: "" };
	const { sentence } = captionOf({ state, event, frame, order: "plugin", following: store.event(step + 1) });
	return { step, frame, sentence: plain(sentence) };
}

/** The last frame of a step. @param {ChunkStore} store @param {number} step @returns {Spot} */
function lastFrame(store, step) {
	return { step, frame: framesOf(/** @type {AnyEvent} */ (store.event(step))) - 1 };
}

/**
 * The item of a question, as it is before the answer is shown.
 * @param {ChunkStore} store
 * @param {Question} question
 * @param {number} number
 * @param {Question[]} asked
 * @returns {Item}
 */
function askedItem(store, question, number, asked) {
	const { step, frame } = question.from;
	const spot = frame ? { step, frame: frame - 1 } : lastFrame(store, Math.max(0, step - 1));
	const item = itemAt(store, spot);
	// the words and the picture are left out if they would reveal an earlier answer
	const plainly = asked.slice(0, number - 1).some((earlier) => reveals(item, question.pod, earlier));
	const options = question.options.map((option) => optionText(option, question));
	return {
		...item,
		sentence: plainly ? "" : item.sentence,
		plainly,
		question: plain(textOf(question)),
		options,
		given: givenAt(store, spot.step, question),
		number,
	};
}

const MAX_NODES = 12;
const MAX_PODS = 40;

/**
 * The facts needed to answer a question on paper: the pod's requests, the nodes' resources, and pods of lower priority
 * if some may be evicted; [] for large clusters, or if the pod does not exist yet.
 * @param {ChunkStore} store @param {number} step before the answer @param {Question} question
 */
function givenAt(store, step, { pod, event, kind }) {
	const state = store.stateAfter(step);
	const own = state?.pods.get(pod);
	if (!state || !own || state.nodes.size > MAX_NODES) return [];
	const nodes = [...state.nodes.values()];
	const lower = (/** @type {string} */ key) => priorityOf(state.pods.get(key)) < priorityOf(own);
	const evicts = /Preempt|Victim/.test(event) || kind === "pod";
	const listed = evicts && nodes.flatMap((node) => node.pods.filter(lower)).length <= MAX_PODS;
	const differs = (/** @type {string} */ key) => new Set(nodes.map(({ summary }) => summary.labels?.[key])).size > 1;
	return [
		`${nameInKey(pod)}: ${[...podFacts(own), ...wishesOf(own).map(([text]) => text)].join(t("list.comma"))}`,
		...nodes.map((node) => nodeLine(state, node, pod, differs, listed ? lower : () => false)),
	];
}

/** The priority of a pod; 0 without a pod. @param {PodState | undefined} pod */
const priorityOf = (pod) => pod?.summary.priority ?? 0;

/** A duration as text: in days or hours, rounded down, from two on; else in seconds. @param {number} time in seconds */
function age(time) {
	const [hours, days] = [3600, 86400].map((unit) => Math.floor(time / unit));
	return days > 1 ? `${days} d` : hours > 1 ? `${hours} h` : seconds(time);
}

/** The priority and the requests of a pod. @param {PodState} pod */
function podFacts(pod) {
	const requests = Object.entries(pod.summary.requests ?? {});
	const asked = requests.flatMap(([name, value]) => (value > 0 ? [quantity(name, value)] : []));
	return [t("priority", { n: priorityOf(pod) }), plain(list(asked))].filter(Boolean);
}

/**
 * The line about a node: its free resources for the pod, taints, labels and listed pods.
 * @param {State} state @param {NodeState} node @param {string} pod that is tried
 * @param {(key: string) => boolean} differs of a label @param {(key: string) => boolean} isListed of a pod
 */
function nodeLine(state, node, pod, differs, isListed) {
	const { name, labels = {}, taints = [], unschedulable } = node.summary;
	const freeText = (/** @type {string} */ resource) =>
		outOf(resource, Math.max(0, free(state, name, resource, pod)), allocatable(node, resource), (used, all) =>
			t("cluster.of", { used, all }),
		);
	const pods = node.pods.filter(isListed).map((key) => {
		const on = /** @type {PodState} */ (state.pods.get(key));
		const since = on.start_time === null ? [] : [t("sheet.since", { time: age(state.time - on.start_time) })];
		return `${nameInKey(key)} (${[...podFacts(on), ...since].join(t("list.comma"))})`;
	});
	const labelTexts = Object.entries(labels)
		.filter(([key]) => !key.endsWith("/hostname") && differs(key))
		.map(([key, value]) => `${key.slice(key.lastIndexOf("/") + 1)}=${value}`);
	const facts = [
		t("sheet.free", { cpu: freeText("cpu"), memory: freeText("memory") }),
		unschedulable && t("node.cordoned"),
		...taints.map(([key, value, effect]) => `${key}${value ? `=${value}` : ""}:${effect}`),
		...labelTexts,
		...pods,
	];
	return `${name}: ${facts.filter(Boolean).join(t("list.comma"))}`;
}

/**
 * Whether an item about the pod reveals the answer.
 * @param {Item} item
 * @param {string} pod
 * @param {Question} question
 */
function reveals(item, pod, question) {
	if (item.step < question.from.step) return false;
	if (pod === question.pod) return true;
	const right = optionText(question.options[question.right], question);
	return right.length >= SHORT && `${item.sentence} ${item.words ?? ""}`.includes(right);
}

/**
 * The pod of the attempt that a step belongs to; "" if there is none.
 * @param {ChunkStore} store @param {number} step
 */
function podAt(store, step) {
	for (const { event } of store.walk(step, -1)) if (event.type === "CycleStarted") return event.pod;
	return "";
}

/**
 * The right answer, and the sentence of the step that shows it.
 * @param {ChunkStore} store @param {Question} question
 */
function answerOf(store, question) {
	const { step, frame } = question.shown;
	return {
		answer: `${optionText(question.options[question.right], question)}.`,
		sentence: itemAt(store, { step, frame }).sentence,
	};
}

/**
 * The steps to print for a run without marks: the first preemptions, failed attempts and chosen nodes.
 * @param {ChunkStore} store
 */
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

/** The sentence about the end of the run, or that its trace was cut off. @param {ChunkStore} store */
function endSentence(store) {
	const last = store.steps - 1;
	return store.event(last)?.type === "RunFinished"
		? itemAt(store, { step: last, frame: 0 }).sentence
		: t("handout.cut", { n: last });
}
