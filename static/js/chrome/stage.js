// @ts-check
/** The stage, in the middle of the page: shows one of the pictures. */

import { button, h, PHONE, patch } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { stripsBeside } from "../steps/binding/view.js";
import { claimRows } from "../steps/cluster/view.js";
import { ribbon } from "../steps/group/around.js";
import { rows as preemptionRows } from "../steps/preempt/view.js";
import { askedAt, explainRef, momentOfStep, PICTURES, pictureOf, unasked } from "../steps/registry.js";

/** @type {typeof import("./inspector.js") | null} */
let inspector = null;

/** Loads the inspector of the selected pod or node. @returns {Promise<unknown> | null} null if loaded */
export function loadInspector() {
	return inspector ? null : import("./inspector.js").then((module) => (inspector = module));
}

const ROW = 36; // pixels per row below the picture

/**
 * The pictures drawn so far. All but one are hidden, since changing a picture costs less than creating it again.
 * @type {Set<PictureName>}
 */
const shown = new Set();

/**
 * Draws the picture of the scene. Pictures shown before stay in the document, hidden.
 * @param {Element} target @param {View} view
 */
export function drawStage(target, view) {
	const name = pictureOf(view.scene, view.state);
	shown.add(name);
	const wide = view.width > PHONE;
	const beside = [
		...(wide ? claimRows(view) : []),
		...(name === "cluster" || name === "gang" || !wide ? [] : stripsBeside(view)),
		...(name === "gang" ? [] : ribbon(view)),
		...(view.state.feature_gates.SchedulerAsyncPreemption ? preemptionRows(view) : []),
	];
	const bottom = beside.length ? `${beside.length * ROW + 8}px` : "0";
	patch(target, [
		[...shown].map((tab) =>
			h("div", { key: tab, class: `scene on-${tab}`, hidden: tab !== name, opaque: true, style: { bottom } }),
		),
		h("div", { key: "meanwhile", class: "meanwhile" }, beside),
	]);
	const drawnState = view.scene === "score" ? view.state : (view.staged ?? view.moment)(momentOfStep(view.scene));
	PICTURES[name](/** @type {Element} */ (target.querySelector(".scene:not([hidden])")), {
		...view,
		state: drawnState,
	});
}

/**
 * Draws the panel beside the stage: the selected pod or node, or the explanation of a number.
 * @param {Element} target @param {View} view
 */
export function drawMargin(target, view) {
	target.classList.toggle("open", view.options.margin || view.selection !== null || view.pin !== null);
	const close = button(
		() => {
			view.act.pin(null);
			view.act.select(null);
			view.act.set({ margin: false });
		},
		{ key: "close", class: "margin-close", "aria-label": t("close") },
		"✕",
	);
	const { selection } = view;
	const ref = view.pin ?? view.explained ?? askedAt(view) ?? unasked(view.state, view.subject, view.event);
	const inspected = !view.pin && selection;
	const body = inspected
		? inspector?.[`${inspected.kind}Inspector`](view, inspected.name)
		: ref && explainRef(view, ref);
	patch(target, [
		(view.pin || selection || view.options.margin) && close,
		h(
			"div",
			{ key: inspected ? `${inspected.kind}${inspected.name}` : `ref${ref?.split(":")[0]}`, class: "margin-body" },
			inspected ? body : foldRest(view, body),
		),
		!inspected && tryingBar(view),
	]);
}

/** The bar for tried numbers: buttons to go back, and to change more; null if none is tried. @param {View} view */
function tryingBar({ tried, act }) {
	if (!tried?.values.size) return null;
	return h(
		"p",
		{ key: "trying", class: "trying", role: "status" },
		tried.problem && h("span", { class: "no" }, tried.problem),
		button(() => act.tryNumber(null), { class: "button" }, t("scrub.back")),
		button(() => act.open("ask"), { class: "link" }, t("scrub.more")),
	);
}

/**
 * Folds an explanation unless the reader selected a number or only notes would be folded. Its first two parts, the wait
 * and the deciding lines stay; without such lines, the first three parts, or all up to the figures.
 * @param {View} view @param {Child} body
 */
function foldRest(view, body) {
	const parts = /** @type {any[]} */ ([body].flat(Number.POSITIVE_INFINITY)).filter(Boolean);
	const is = (/** @type {RegExp} */ kind) => (/** @type {any} */ part) => kind.test(part.props?.class ?? "");
	const decide = parts.filter(is(/\bdecides\b/));
	const lines = decide.length ? decide : parts.filter(is(/\b(formula|facts)\b/)).slice(0, 1);
	const lead = lines.length
		? [...parts.slice(0, 2), ...parts.filter(is(/\bwaits\b/)), ...lines]
		: parts.slice(0, Math.max(3, parts.findIndex(is(/\bfigures\b/)) + 1));
	const rest = parts.filter((part) => !lead.includes(part));
	if (view.pin || rest.every(is(/^note$/))) return parts;
	return [...lead, h("details", { key: "rest", class: "rest" }, h("summary", null, t("margin.steps")), rest)];
}
