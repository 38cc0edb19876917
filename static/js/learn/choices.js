// @ts-check
/**
 * The answers to choose from: a button at the right end of each option's row on the stage, or a list; afterwards, the
 * right answer and the picked one.
 */

import { answersBeside, cornerOf, rowsOf, SIZE, sizeOn } from "../chrome/rows.js";
import { button, h, patch } from "../shared/dom.js";
import { parts, plain, t } from "../shared/i18n.js";
import { shortPod } from "../shared/names.js";
import { scenarioDone } from "../shared/progress.js";
import { actorName } from "../steps/controllers/view.js";
import { node, pod } from "../steps/parts/words.js";
import { framesOf } from "../steps/registry.js";
import { endedPodCount } from "../steps/run/words.js";

/** @typedef {import("./predictions.js").Predictions} Predictions */
/** @typedef {import("./questions.js").Question} Question */

/** @type {HTMLElement | null} */
let layer = null;

/**
 * Draws the answers over the page; called after each draw.
 * @param {HTMLElement} root
 * @param {View} view
 * @param {Predictions} predictions
 */
export function drawAnswers(root, view, predictions) {
	const { open } = predictions;
	const shown = open ? null : predictions.on ? predictions.shownAt(view) : null;
	root.dataset.asked = open?.id ?? "";
	const end = open ? null : endCard(view, predictions);
	const fits = open ? null : (fitsButton(view) ?? whyButton(view, predictions));
	root.classList.toggle("ended", Boolean(end));
	const hasLane = (/** @type {any} */ { key }) => root.querySelector(`.lane[data-node="${CSS.escape(key)}"]`);
	const about = open ?? shown;
	root.classList.toggle("beside", /filter|score/.test(view.scene) && Boolean(about?.options.every(hasLane)));
	if (!open && !shown && !end && !fits && !layer) return;
	layer ??= layerOf(root);
	patch(
		layer,
		open ? questionCard(root, predictions, open) : [shown && answerMarks(root, predictions, shown), end, fits],
	);
	const list = /** @type {HTMLElement | null} */ (layer.querySelector(".answers.listed"));
	root.style.setProperty("--answers-room", `${list?.offsetHeight ?? 0}px`); // the stage ends above them
	const skip = /** @type {HTMLElement | null} */ (layer.querySelector(".skip-question"));
	if (open && predictions.offersSkip) skip?.focus();
	// Enter shows the answer, once there is a pick
	else if (skip && document.activeElement === skip)
		/** @type {HTMLElement | null} */ (layer.querySelector(".predict-go .primary"))?.focus();
}

/** Creates the element for questions, after the stage. @param {HTMLElement} root */
function layerOf(root) {
	const section = document.createElement("section");
	section.id = "predict";
	section.setAttribute("aria-label", t("predict.label"));
	root.querySelector("#stage")?.after(section); // in the order in which it is read
	return section;
}

/**
 * The card of an open question: its options, and the buttons.
 * @param {HTMLElement} root @param {Predictions} predictions @param {Question} open
 */
function questionCard(root, predictions, open) {
	const places = placesOf(root, open);
	const picked = predictions.picks.get(open.id);
	const choiceButton = (/** @type {number} */ i) => {
		const text = optionText(open.options[i], open);
		return h(
			"button",
			{
				key: `o${i}`,
				type: "button",
				class: `answer ${places ? "on-row" : ""}`,
				"aria-pressed": String(picked === i),
				disabled: predictions.host?.takes === false,
				"aria-label": places ? `${keyOf(open, i)}: ${text}` : null, // without a row it is on the button
				style: places ? styleAt(places[i]) : {},
				on: { click: () => (predictions.picks.get(open.id) === i ? predictions.reveal() : predictions.pick(i)) },
			},
			keyOf(open, i) !== text && h("kbd", { key: "key" }, keyOf(open, i)),
			!places && h("span", { key: "text" }, text),
		);
	};
	return [
		h(
			"div",
			{
				key: "answers",
				class: places ? "answers" : "answers listed",
				role: "group",
				"aria-label": plain(textOf(open)),
			},
			open.options.map((_, i) => choiceButton(i)),
		),
		h(
			"p",
			{ key: "go", class: "predict-go" },
			predictions.host ? predictions.host.foot(open) : hintAndButtons(predictions, open),
		),
	];
}

/**
 * The styles that place an option's button.
 * @param {{left: number, top: number, size: number}} place @returns {Record<string, string>}
 */
function styleAt({ left, top, size }) {
	return { left: `${left}px`, top: `${top}px`, width: `${size}px`, height: `${size}px` };
}

/** The key of an option: a number is its own key, if all are. @param {Question} asked @param {number} i */
export function keyOf({ options }, i) {
	return options.every(({ key, kind }) => kind === "number" && /^\d$/.test(key)) ? options[i].key : String(i + 1);
}

/**
 * The hint and the buttons for a reader who is not in a class.
 * @param {Predictions} predictions @param {Question} open @returns {Child[]}
 */
function hintAndButtons(predictions, open) {
	return [
		h("span", { key: "hint", role: "status" }, hint(predictions, open, predictions.offersSkip)),
		button(() => predictions.skip(), { key: "skip", class: "button skip-question" }, t("predict.skip")),
		button(
			() => predictions.reveal(),
			{ key: "reveal", class: "button primary", disabled: !predictions.picks.has(open.id) },
			t("predict.reveal"),
		),
	];
}

/**
 * The hint on how to answer, or the answer that was picked.
 * @param {Predictions} predictions
 * @param {Question} open
 * @param {boolean} [skips]
 */
export function hint(predictions, open, skips = false) {
	const picked = predictions.picks.get(open.id);
	if (picked !== undefined) {
		const name = optionText(open.options[picked], open);
		return t(predictions.host ? "predict.held" : "predict.picked", { name });
	}
	const keys = matchMedia("(pointer: coarse)").matches ? ".touch" : "";
	return t(`predict.${skips ? "pickorskip" : "pick"}${keys}`, {
		n: open.options.length,
		first: keyOf(open, 0),
		last: keyOf(open, open.options.length - 1),
	});
}

/**
 * The marks on the rows of the right answer and the picked one, or the marked list of options if one has no row; null
 * if no answer was picked.
 * @param {HTMLElement} root
 * @param {Predictions} predictions
 * @param {Question} shown
 */
function answerMarks(root, predictions, shown) {
	const pick = predictions.picks.get(shown.id);
	if (pick === undefined) return null;
	const marks = [...new Set([shown.right, pick])].map((i) => ({ i, kind: i === shown.right ? "right" : "wrong" }));
	const label = (/** @type {{i: number, kind: string}} */ { i, kind }) =>
		t(`predict.tag.${kind === "right" && i === pick ? "both" : kind}`);
	const boxes = rowsOf(
		root,
		marks.map(({ i }) => shown.options[i]),
	);
	if (boxes.every((box) => box !== null))
		return marks.map((mark, k) => {
			const { left, top } = cornerOf(root, boxes[k]);
			const style = { left: `${answersBeside(root) ? left : left - 34}px`, top: `${top + SIZE / 2}px` };
			return h("span", { key: mark.kind, class: `prediction-tag ${mark.kind}`, style }, label(mark));
		});
	return h(
		"ul",
		{ key: "outcome", class: "answers listed outcome" },
		shown.options.map((option, i) => {
			const mark = marks.find((candidate) => candidate.i === i);
			const text = optionText(option, shown);
			return h("li", { key: i, class: mark?.kind ?? "" }, h("span", null, text), mark && h("small", null, label(mark)));
		}),
	);
}

/**
 * The position of each option's button; null if an option has no row, or rows are too close or out of sight.
 * @param {HTMLElement} root
 * @param {Question} open
 */
function placesOf(root, { options }) {
	const boxes = rowsOf(root, options);
	if (!boxes.every((box) => box !== null)) return null;
	const stage = root.querySelector("#stage")?.getBoundingClientRect();
	const places = boxes.map((box) => ({ ...cornerOf(root, box, sizeOn(root, box)), size: sizeOn(root, box) }));
	const apart = places.every((place, i) =>
		places.every(
			(other, j) =>
				i <= j ||
				Math.abs(place.top - other.top) >= place.size + 2 ||
				Math.abs(place.left - other.left) >= place.size + 2,
		),
	);
	const inside = boxes.every((box) => !stage || (box.bottom <= stage.bottom + 1 && box.top >= stage.top - 1));
	return apart && inside ? places : null;
}

/**
 * The card at the end of a run, which marks the scenario as completed; null at other steps.
 * @param {View} view @param {import("./predictions.js").Predictions} predictions @returns {Child}
 */
function endCard(view, predictions) {
	const { boot, event } = view;
	if (event.type !== "RunFinished") return null;
	scenarioDone(boot.scenario?.id ?? "");
	const [right, answered] = predictions.tally;
	const attempts = view.index.columns.flatMap((column) => (column.kind === "attempt" ? [column] : []));
	const victims = attempts.reduce((sum, attempt) => sum + attempt.victims, 0);
	const ended = endedPodCount(view.state);
	/** @type {Record<string, number>} */
	const facts = {
		bound: Object.keys(event.bound).length + (event.stayed ?? 0) - ended,
		...(ended > 0 && { ended }),
		...(event.deleted.length > victims
			? { deleted: event.deleted.length }
			: (victims || !ended) && { evicted: victims }),
		waiting: event.pending.length,
	};
	return h(
		"section",
		{ key: "end", class: "end-card", "aria-label": t("end.title") },
		h("h2", null, t("end.title")),
		h(
			"dl",
			null,
			Object.entries(facts).map(([name, n]) =>
				h(
					"div",
					{ key: name },
					h("dd", null, name === "waiting" && n ? pendingLink(boot, n) : String(n)),
					h("dt", null, t(`end.${name}`, { n })),
				),
			),
		),
		answered > 0 && h("p", { key: "tally" }, t("predict.tally", { right, all: answered })),
		right < answered && !predictions.host && afterWrongAnswer(boot, predictions),
		boot.place?.next &&
			!boot.embed &&
			h(
				"p",
				{ key: "coming", class: "end-next" },
				t("end.coming", { title: boot.place.next, key: boot.class ? "" : " (→)" }),
			),
		h("p", { key: "on", class: "buttons" }, endLinks(view, facts.waiting)),
	);
}

/**
 * The links after a wrong answer: the same run again, or another lesson of the chapter.
 * @param {any} boot @param {Predictions} predictions
 */
function afterWrongAnswer({ place }, predictions) {
	return h(
		"p",
		{ key: "more", class: "end-more" },
		button(() => predictions.again(), { key: "again", class: "link" }, t("predict.again")),
		place?.like && h("a", { key: "like", href: place.like.url }, t("predict.like", { title: place.like.title })),
	);
}

/**
 * The number of pending pods, as a link to the page that explains why they are pending; in an embedded page, as text.
 * @param {any} boot
 * @param {number} n
 */
function pendingLink({ embed, page }, n) {
	return embed ? String(n) : h("a", { href: `${page}pending/`, title: t("end.why") }, String(n));
}

/**
 * A button at steps that found no node, which opens changes that would help; null at other steps.
 * @param {View} view @returns {Child}
 */
function fitsButton({ act, boot, event, frame, order }) {
	const { outcome = "Scheduled", feasible = outcome === "Scheduled" } = /** @type {any} */ (event);
	if (feasible || boot.embed || frame < framesOf(event, order) - 1) return null;
	return button(() => act.open("ask:changes"), { key: "fits", class: "button fits" }, t("ask.fits"));
}

/**
 * A link at the start of a run, to the page that explains why its pods are pending at the end; null or false at other
 * steps, and if none is pending.
 * @param {View} view @param {Predictions} predictions @returns {Child}
 */
function whyButton({ boot, event, store }, { on }) {
	if (event.type !== "RunStarted" || boot.embed || boot.place || on || !store.complete) return null;
	const last = /** @type {any} */ (store.event(store.steps - 1));
	const n = last?.type === "RunFinished" ? last.pending.length : 0;
	return n > 0 && h("a", { key: "why", class: "button fits", href: `${boot.page}pending/` }, t("ask.why", { n }));
}

/**
 * The links at the end of a run: to the next lesson, and to questions about this run; [] in an embedded page.
 * @param {View} view @param {number} waiting @returns {Child[]}
 */
function endLinks({ act, boot }, waiting) {
	const { place, embed, scenario, page } = /** @type {any} */ (boot);
	if (embed) return [];
	const form = /** @type {HTMLFormElement | null} */ (document.querySelector(`form[action$="/${scenario?.id}/fork/"]`));
	return [
		place?.on && h("a", { key: "next", class: "button primary", href: place.on }, t("end.next")),
		place && !place.on && h("a", { key: "done", class: "button primary", href: place.url }, t("end.back")),
		button(
			() => act.open(waiting ? "ask:changes" : "ask:run"),
			{ key: "ask", class: "button" },
			t(waiting ? "ask.fits" : "ask.title"),
		),
		form && button(() => form.requestSubmit(), { key: "fork", class: "button" }, t("end.change")),
		h("a", { key: "many", href: `${page?.split("?")[0]}experiments/` }, t("margin.experiment")),
	];
}

/** @typedef {import("./answers.js").Option} Option */

/**
 * The caption while a question is open: below the question is the step's own sentence.
 * @param {View} view
 * @param {Question} asked
 */
export function questionCaption(view, asked) {
	return {
		eyebrow: parts("predict.eyebrow"),
		sentence: textOf(asked),
		why: view.caption.sentence,
		next: [t("predict.next")],
	};
}

/** The text of a question: its own, or that of its kind. @param {Question} asked @returns {Part[]} */
export function textOf(asked) {
	if (asked.text) return [asked.text];
	return parts(`predict.${asked.event}.${asked.kind}`, { pod: pod(asked.pod, asked.pod), node: node(asked.about) });
}

/** The text of an option. @param {Option} option @param {Question} asked @returns {string} */
export function optionText({ key, kind }, asked) {
	if (kind === "pod") return shortPod(key);
	if (kind === "plugin") return key === "none" ? t("predict.option.none") : key;
	if (kind === "actor") return actorName(key);
	if (kind === "word") return withYesOrNo(t(`predict.option.${key}`), key, asked);
	return asked.event === "PodEnqueued" && kind === "number" ? `${key} s` : key;
}

/** @type {Record<string, string>} the outcome that means yes, by the event of a question */
const YES = { PreemptionEvaluated: "Nominated", AttemptFinished: "Scheduled" };

/**
 * The text of an option, after "yes" or "no" if the question asks for that.
 * @param {string} text @param {string} key @param {Question} asked
 */
function withYesOrNo(text, key, asked) {
	const yes = YES[asked.event];
	if (!yes || !asked.yes_or_no) return text;
	return t(yes === key ? "predict.option.yes" : "predict.option.no", { text });
}

/**
 * The prediction and the right answer, for the caption's eyebrow; [] without a prediction.
 * @param {Question} asked
 * @param {number | undefined} pick
 * @returns {Part[]}
 */
export function answerPart(asked, pick) {
	if (pick === undefined) return [];
	const right = optionText(asked.options[asked.right], asked);
	const picked = optionText(asked.options[pick], asked);
	return [t(pick === asked.right ? "predict.right" : "predict.wrong", { right, pick: picked })];
}
