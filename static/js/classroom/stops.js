// @ts-check
/** Steps at which a teacher may want to stop: attempts, questions, and steps that the scenario's text mentions. */

import { textOf } from "../learn/choices.js";
import { Questions } from "../learn/questions.js";
import { plain, t } from "../shared/i18n.js";
import { nameInKey } from "../shared/units.js";
import { isAt } from "../trace/anchor.js";

/** @typedef {"attempt" | "question" | "words"} Kind */
/** @typedef {{step: number, frame: number, kind: Kind, text: string}} Stop */

const MOST = 400; // attempts in a list

export class Stops {
	/** @param {ChunkStore} store @param {{captions?: any[], questions?: any[]}} lesson */
	constructor(store, { captions = [], questions = [] }) {
		this.store = store;
		this.captions = captions;
		this.questions = new Questions(questions);
		/** @type {Stop[]} */
		this.words = [];
		this.next = 0;
		this.attempt = 0;
	}

	/** Lists the stops of the loaded part of the run, in order; of many attempts, the first. @param {RunIndex} index */
	list(index) {
		this.read();
		const attempts = index.columns.flatMap((column) => (column.kind === "attempt" ? [attemptStop(column)] : []));
		const stops = [...attempts.slice(0, MOST), ...this.questions.list.map(questionStop), ...this.words];
		return stops.sort((a, b) => a.step - b.step || a.frame - b.frame);
	}

	/** Reads the steps that were loaded since the last call. */
	read() {
		const { store } = this;
		this.questions.update(store);
		if (store.chunks[0] === undefined) return;
		for (let event = store.event(this.next); event; event = store.event(++this.next)) this.take(event);
	}

	/** Adds a stop if the lesson has a caption for this event. @param {AnyEvent} event */
	take(event) {
		if (event.type === "CycleStarted") this.attempt = event.attempt;
		const caption = this.captions.find(
			(entry) => entry.event === event.type && isAt(entry, event, this.attempt, this.store.stateAfter(this.next)),
		);
		if (caption) this.words.push({ step: this.next, frame: 0, kind: "words", text: caption.text });
	}
}

/** The stop at the beginning of an attempt. @param {Extract<Column, {kind: "attempt"}>} column @returns {Stop} */
function attemptStop({ step, attempt, pod, node, outcome }) {
	const end = node ? ` → ${node}` : outcome ? t("speaker.attempt.end", { outcome: t(`outcome.${outcome}`) }) : "";
	return { step, frame: 0, kind: "attempt", text: t("speaker.attempt.of", { attempt, pod: nameInKey(pod) }) + end };
}

/**
 * The stop before a question, where going forward asks it.
 * @param {import("../learn/questions.js").Question} question
 * @returns {Stop}
 */
function questionStop(question) {
	const { step, frame } = question.from;
	const before = frame ? { step, frame: frame - 1 } : { step: step - 1, frame: 1e6 };
	return { ...before, kind: "question", text: plain(textOf(question)) };
}
