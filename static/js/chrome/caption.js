// @ts-check
/** The subject's card, the caption, the announcement of the next step, and notices. */

import { button, h, PHONE, patch } from "../shared/dom.js";
import { list, plain, t } from "../shared/i18n.js";
import { nodeName, podParts, shortPod } from "../shared/names.js";
import { post } from "../shared/server.js";
import { count, quantity, widthOf } from "../shared/units.js";
import { actorCard } from "../steps/controllers/view.js";
import { card } from "../steps/group/around.js";
import { pipsOf, podLabel, wholeName } from "../steps/parts/pods.js";
import { wishesOf } from "../steps/parts/words.js";
import { framesOf } from "../steps/registry.js";
import { actorOf } from "../trace/actors.js";
import { isAt } from "../trace/anchor.js";
import { shareOf } from "../trace/room.js";

const WIDEST = 760; // pixels of the caption in a small window; in a larger one there is more room
const TITLE = { letter: 13.6, character: 28.5 }; // pixels; Chinese characters are wider
const DENSE_TITLE = { letter: 11.2, character: 23.5 };
const REASON = { letter: 6.9, character: 16 };
const PILL = 11; // pixels that a name is wider than its text
const BETWEEN = 1.13; // letters among Chinese characters belong to names and figures, which are wider
const CARD_ROW = 24; // letters in a row of a card
const LONG_NAME = 16; // letters

const FIRST = 40; // steps in which the first attempt begins

/**
 * At the start of a run, the card of the pod that is tried first; null at other steps, for a pod group, if no attempt
 * begins soon, or if a question comes before it.
 * @param {View} view @returns {Child}
 */
function firstCard({ event, step, store, horizon, state, act }) {
	if (event.type !== "RunStarted") return null;
	for (const { event: next, step: at } of store.walk(step + 1, 1)) {
		if (at > step + FIRST) return null;
		if (next.type !== "CycleStarted") continue;
		if (next.pod_group || (horizon && horizon.question <= at)) return null;
		const { requests = {}, priority = 0 } =
			(state.pods.get(next.pod) ?? store.stateAfter(at)?.pods.get(next.pod))?.summary ?? {};
		const long = shortPod(next.pod).length > LONG_NAME;
		const needs = Object.entries(requests).filter(([, value]) => value > 0);
		return button(
			() => act.select({ kind: "pod", name: next.pod }),
			{ key: "first", class: "subject first", ...wholeName(next.pod, next.pod) },
			h("b", { class: long ? "long" : "" }, long ? podParts(next.pod)[0] : podLabel(next.pod)),
			h("span", { class: "subject-priority" }, t("priority", { n: priority }), pipsOf(priority)),
			needs.length > 0 &&
				h(
					"span",
					{ class: "subject-more" },
					plain(list(needs.slice(0, 3).map(([key, value]) => quantity(key, value)))),
				),
			h("span", { class: "subject-more labels" }, t(state.pods.has(next.pod) ? "subject.first" : "subject.later")),
		);
	}
	return null;
}

/**
 * Draws the card of the event's pod; without one, that of the actor, of the pod group, of the first pod, or a note.
 * @param {Element} target @param {View} view
 */
export function drawSubject(target, view) {
	const pod = view.state.pods.get(view.subject);
	if (!view.subject) {
		const actor = actorOf(view.event);
		patch(target, [
			(actor ? actorCard(view, actor) : card(view)) ??
				firstCard(view) ??
				h(
					"div",
					{ key: "none", class: "subject none" },
					h("b", null, t(view.state.finished ? "end.title" : "subject.none")),
					h(
						"span",
						null,
						t("subject.none.more", { n: view.state.finished ? view.index.attempts : view.state.attempt }),
					),
				),
		]);
		return;
	}
	const requests = Object.entries(pod?.summary.requests ?? {})
		.filter(([, value]) => value > 0)
		.slice(0, 3);
	const wishes = wishesOf(pod).map(([text]) => text);
	const labels = Object.entries(pod?.summary.labels ?? {})
		.slice(0, wishes.length ? 1 : 2)
		.map(([key, value]) => `${key.slice(key.lastIndexOf("/") + 1)}=${value}`);
	labels.unshift(...wishes);
	const { scheduler } = pod?.summary ?? {};
	if (scheduler && view.state.profiles.length > 1) labels.unshift(t("subject.profile", { name: scheduler }));
	const [workload, hash] = podParts(view.subject);
	const long = shortPod(view.subject).length > LONG_NAME;
	const all = labels.join(" · ");
	let about = all;
	const rows = () => widthOf(about) / CARD_ROW;
	for (let n = labels.length - 1; n > 0 && rows() > 2; n -= 1)
		about = [...labels.slice(0, n), t("list.more", { n: labels.length - n })].join(" · ");
	patch(target, [
		button(
			() => view.act.select({ kind: "pod", name: view.subject }),
			{
				key: "pod",
				class: `subject ${rows() > 1 ? "full" : ""}`,
				"data-fly-from": view.subject,
				...wholeName(view.subject, view.subject),
				style: { "--share": String(shareOf(view.state, view.subject)) },
			},
			h("b", { class: long ? "long" : "" }, long ? workload : podLabel(view.subject)),
			h(
				"span",
				{ class: "subject-priority" },
				long && hash && h("span", { key: "hash" }, hash),
				t("priority", { n: pod?.summary.priority ?? 0 }),
				pipsOf(pod?.summary.priority ?? 0),
			),
			h(
				"span",
				{ class: "subject-more" },
				requests.length ? plain(list(requests.map(([key, value]) => quantity(key, value)))) : t("subject.nothing"),
			),
			h("span", { class: "subject-more labels", title: all }, about),
		),
	]);
}

/**
 * A part of a sentence: a text as it is, a mark as an element, which can be clicked if it refers to something.
 * @param {View} view
 * @param {Part} part
 * @param {number} i
 */
function partElement(view, part, i) {
	if (typeof part === "string") return part;
	const { text, kind, ref } = part;
	if (kind === "num") {
		if (!ref) return h("span", { key: `p${i}`, class: "figure" }, text);
		return button(
			() => view.act.pin(view.pin === ref ? null : ref),
			{ key: `p${i}`, class: `number ${view.pin === ref ? "on" : ""}` },
			text,
		);
	}
	if (kind === "device") return h("span", { key: `p${i}`, class: "name" }, text);
	const [refKind, name = ""] = ref?.split(":") ?? [];
	const shown = refKind === "node" ? nodeName(text) : refKind === "pod" ? shortPod(name) : text;
	const pick = { kind: /** @type {"pod" | "node"} */ (refKind), name };
	return button(
		() => (refKind === "group" ? view.act.pin(ref ?? "") : view.act.select(pick)),
		{ key: `p${i}`, class: kind === "subject" ? "pod-name" : "name", ...wholeName(text, shown) },
		refKind === "pod" ? podLabel(name) : shown,
	);
}

const SIGN = /^[,.;:?)，。；：、？]/;

/**
 * The parts of a sentence as elements and texts; a name and the punctuation after it share a row.
 * @param {View} view
 * @param {Part[]} pieces
 */
export function sentence(view, pieces) {
	return pieces.map((piece, i) => {
		const sign = typeof piece === "object" && SIGN.exec(String(pieces[i + 1]))?.[0];
		if (sign) return h("span", { key: `g${i}`, class: "glued" }, partElement(view, piece, i), sign);
		return typeof piece === "string" && typeof pieces[i - 1] === "object"
			? piece.replace(SIGN, "")
			: partElement(view, piece, i);
	});
}

const GAP = /(?<=\s)|(?<=[\u2e80-\uffef]{3})/; // between words; Chinese has none

/**
 * Makes each word an element, so that the last words can appear later.
 * @param {Child[]} pieces @returns {Child[]}
 */
function wordElements(pieces) {
	return pieces.flatMap((piece, i) =>
		typeof piece === "string" ? piece.split(GAP).map((word, k) => h("span", { key: `w${i}.${k}` }, word)) : [piece],
	);
}

/**
 * The lesson's caption at the last frame of its step, which may tell the outcome; undefined if there is none.
 * @param {View} view
 */
function lessonOf({ boot, event, state, frame, order }) {
	const own = (/** @type {any} */ part) => isAt(part, event, state.attempt, state);
	return frame === framesOf(event, order) - 1 ? (boot.lesson?.captions ?? []).find(own) : undefined;
}

/** The texts of the caption. @param {View} view @returns {string[]} */
export function captionTexts(view) {
	return [plain(view.caption.sentence), plain(view.caption.why), lessonOf(view)?.text ?? ""];
}

/**
 * Draws the caption: what happens, the reason, and in a lesson the teacher's words. Long texts get smaller letters.
 * @param {Element} target @param {View} view
 */
export function drawCaption(target, view) {
	const { eyebrow, sentence: words, why, folded } = view.caption;
	const lesson = lessonOf(view);
	const [title, reason] = [plain(words), plain(why)];
	const room = Math.min(WIDEST, view.width > PHONE && view.sizes.stage ? view.sizes.stage : WIDEST);
	// parts that stay on one row
	const unbroken = words.some((part) => typeof part === "object" && rowsNeeded([part.text], TITLE, room / 2) > 1);
	const noted = lesson ? rowsNeeded([lesson.text], REASON, room) : 0;
	const rows = rowsNeeded(words, TITLE, room) + Number(unbroken) + Math.min(3, rowsNeeded(why, REASON, room)) + noted;
	target.classList.toggle("dense", rows > 3);
	target.classList.toggle("crowded", rows > 4 || rowsNeeded(words, DENSE_TITLE, room) + Number(unbroken) + noted > 3);
	patch(target, [
		h(
			"p",
			{ key: "eyebrow", class: "eyebrow" },
			h("span", { key: "text" }, plain(eyebrow)),
			folded && foldedButton(folded),
		),
		h("h1", { key: "sentence", class: widthOf(title) > 110 ? "long" : "" }, wordElements(sentence(view, words))),
		h("p", { key: "why", class: "why", title: reason }, sentence(view, why)),
		lesson && h("p", { key: "lesson", class: "lesson", title: lesson.text }, lesson.text),
	]);
}

/**
 * The estimated number of rows that a sentence takes.
 * @param {Part[]} parts @param {{letter: number, character: number}} font @param {number} room in pixels
 */
function rowsNeeded(parts, { letter, character }, room) {
	const text = plain(parts);
	const characters = widthOf(text) - text.length;
	const width = characters ? letter * BETWEEN : letter;
	const pills = parts.filter((part) => typeof part === "object" && part.kind !== "num").length;
	return Math.ceil((characters * character + (text.length - characters) * width + pills * PILL) / room);
}

/** The button that shows the steps skipped on the short way. @param {NonNullable<Caption["folded"]>} folded */
function foldedButton({ text, unfold }) {
	return button(unfold, { key: "folded", class: "folded", title: t("fold.title", { text }) }, h("span", null, text));
}

/** Draws the sentence that says what comes next. @param {Element} target @param {View} view */
export function drawNext(target, view) {
	patch(target, [h("h2", { key: "label" }, t("next")), h("p", { key: "text" }, sentence(view, view.caption.next))]);
}

/**
 * Announces the caption to screen readers, except during fast playback.
 * @param {Element} target
 * @param {View} view
 */
export function drawLive(target, view) {
	const text = `${plain(view.caption.eyebrow)}. ${plain(view.caption.sentence)} ${plain(view.caption.why)}`;
	if (!(view.player.playing && view.player.speed > 1) && target.textContent !== text) target.textContent = text;
}

/**
 * Draws the bars over the page: the run is still streaming, failed or was cancelled, the connection is lost, or playing
 * stopped at a breakpoint.
 * @param {Element} target
 * @param {View} view
 */
export function drawNotices(target, view) {
	const { run, store } = view;
	const lost = run.connection === "lost";
	const queued = run.state === "queued" && !store.steps;
	const running = !store.complete && (run.state === "running" || run.state === "queued");
	const share = run.steps ? Math.min(1, store.steps / run.steps) : 0;
	patch(target, [
		lost && h("p", { key: "lost", class: "notice warn" }, t("run.lost")),
		run.connection === "closed" &&
			!store.complete &&
			h("p", { key: "closed", class: "notice bad" }, run.message || t("run.closed")),
		running &&
			!lost &&
			h(
				"p",
				{ key: "running", class: "notice" },
				queued ? queueText(run) : t("run.running", { n: count(store.steps) }),
				!queued &&
					h(
						"progress",
						share
							? { value: String(share), max: "1", "aria-label": t("run.streaming") }
							: { "aria-label": t("run.streaming") },
					),
				run.cancel && button(() => post(run.cancel, {}), { class: "cancel" }, t("run.cancel")),
			),
		run.state === "failed" &&
			h("p", { key: "failed", class: "notice bad" }, t("run.failed"), run.message ? ` ${run.message}` : ""),
		run.state === "cancelled" && h("p", { key: "cancelled", class: "notice warn" }, t("run.cancelled")),
		view.player.hit && h("p", { key: "hit", class: "notice" }, t("breakpoints.hit")),
	]);
}

/** The reason why a queued run waits, and for how long, if known. @param {View["run"]} run */
function queueText({ ahead }) {
	if (!ahead) return t("run.queued");
	const first = ahead.runs ? t("run.queued.behind", { n: ahead.runs }) : t("run.queued.next");
	return ahead.seconds ? `${first} ${timeLeft(ahead.seconds)}` : first;
}

const IN_MINUTES = 90; // seconds, from which on a time is in minutes

/** How long the run may still wait, in seconds or minutes. @param {number} seconds */
function timeLeft(seconds) {
	return seconds < IN_MINUTES
		? t("run.queued.seconds", { n: seconds })
		: t("run.queued.minutes", { n: Math.round(seconds / 60) });
}
