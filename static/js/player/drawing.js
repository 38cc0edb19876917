// @ts-check
/** Makes the view of a step, and draws each region of the page from it. */

import { drawCaption, drawLive, drawNext, drawNotices, drawSubject } from "../chrome/caption.js";
import { drawClock, drawRail, drawTransport } from "../chrome/rail.js";
import { drawMargin, drawStage, loadInspector } from "../chrome/stage.js";
import { drawStill } from "../shared/dom.js";
import { plain, t } from "../shared/i18n.js";
import { formatLink } from "../shared/link.js";
import { setNodeNames, shortPod } from "../shared/names.js";
import { filterModel, stoppedAlone } from "../steps/filter/model.js";
import { drawQueue } from "../steps/queue/view.js";
import { captionOf, sceneOf } from "../steps/registry.js";
import { momentOf } from "../trace/chunk_store.js";
import { subjectOf } from "../trace/phase.js";
import { act, saveLink } from "./actions.js";
import * as page from "./page.js";
import { boot } from "./page.js";

const MAX_EXPLAINED = 12; // nodes, whose explanations are requested in advance
const MAX_WAITED = 3000; // steps; further on it takes long to simulate the run up to an attempt

const { chosen, explainer, index, player, redraw, region, root, run, screen, sizes, store, timeline } = page;

/** The furthest step shown. */
let reach = 0;

/** Draws everything; called in an animation frame. */
export function draw() {
	const coming = loadHeadlineNumbers() ?? (chosen.selection && loadInspector());
	if (coming)
		return void coming.then(
			() => redraw(false),
			() => act.select(null),
		);
	const view = makeView(page.takeMotion() && wantsMotion());
	if (!view) return drawWaiting();
	const before = screen.drawn;
	drawMoving(before, view);
	if (before?.step !== view.step) requestExplanations(view);
	screen.drawn = view; // before the dialog's own turn
	for (const follow of screen.followers) follow(before, view);
	saveLink(false);
	if (!player.pendingDraw) markReady(view);
}

/**
 * Loads the explanation of the node that the headline names, so that the headline does not change after it is drawn.
 * Returns null if there is nothing to wait for.
 */
export function loadHeadlineNumbers() {
	const { state, event, step, frame, order } = player;
	if (!state || !event || step > MAX_WAITED || isFast()) return null;
	const { drawn } = screen;
	if (drawn?.event === event && drawn.frame === frame && drawn.order === order) return null;
	const node = stoppedAlone(event, state, frame, order);
	return node ? explainer.waitFor(state.attempt, node) : null;
}

/** Whether the player plays faster than at normal speed. */
const isFast = () => player.playing && player.speed > 1;

/** The view of the current step; null if it is not loaded. @param {boolean} motion @returns {View | null} */
function makeView(motion) {
	const { state, event } = player;
	if (!state || !event) return null;
	const { step, frame, order } = player;
	setNodeNames(state.order);
	const following = store.event(step + 1);
	const caption = captionOf({ state, event, frame, order, following, explainer });
	reach = Math.max(reach, boot.words ? step : Number.POSITIVE_INFINITY);
	const shown = screen.drawn; // its sentence stays
	if (shown?.event === event && shown.frame === frame && shown.order === order)
		caption.sentence = (shown.own ?? shown.caption).sentence;
	return page.lens.look({
		state,
		moment: (type) => (type ? momentOf(store, step, state, type) : state),
		event,
		step,
		frame,
		order,
		following,
		subject: subjectOf(event, state),
		scene: sceneOf(event, state),
		caption,
		reach,
		motion,
		...chosen,
		explainer,
		player,
		store,
		index,
		act,
		width: sizes.page,
		sizes,
		run,
		boot,
	});
}

/**
 * Draws a view, with motion if the view has it and another view was drawn before.
 * @param {View | null} before
 * @param {View} view
 */
function drawMoving(before, view) {
	const moves = view.motion && before !== null;
	const places = moves ? measurePlaces(root) : null;
	const moved = before?.step !== view.step || before.frame !== view.frame;
	if (moved) root.classList.toggle("still", !moves);
	root.classList.toggle("brisk", view.player.playing && view.player.speed > 1);
	root.classList.toggle("leapt", moves && before.event === view.event && view.frame > before.frame + 1);
	if (moves && moved) drawOpening(before, view);
	drawStill(moved && !moves);
	if (moved && !moves) cancelMotion();
	const explained = moves ? region("margin").textContent : null;
	drawRegions(view);
	if (!moves) return;
	animateMoves(root, places, player.speed);
	const answers = document.getElementById("predict")?.childElementCount;
	// their place depends on where rows come to rest
	if (answers) void whenAtRest().then(() => screen.drawn === view && redraw(false));
	const anew = plain(before.caption.sentence) !== plain(view.caption.sentence);
	if (moved && anew) fadeInResult(explained !== region("margin").textContent && !view.selection && !view.pin);
}

/**
 * The picture from which a step's motion starts, if the previous step does not show it: the lanes before the first
 * plugin, the scores before the first points, the candidates with all their pods, or the cluster before the step. Null
 * if there is none.
 * @param {View} before @param {View} view @returns {View | null}
 */
function openingOf(before, view) {
	const { event, scene, order } = view;
	if (before.event === event) return null;
	if (event.type === "NodesFiltered" && scene === "filter" && order === "plugin")
		return { ...view, event: /** @type {any} */ ({ type: "CycleStarted" }), following: event };
	if (event.type === "ScoresComputed" && scene === "score") return { ...view, frame: -1 };
	if (event.type === "PreemptionEvaluated") return { ...view, frame: 0 };
	const state = scene === "cluster" && before.scene !== scene && store.stateAfter(before.step);
	return state ? { ...view, state, moment: () => state } : null;
}

/** Draws the picture from which a step's motion starts. @param {View} before @param {View} view */
function drawOpening(before, view) {
	const opening = openingOf(before, view);
	if (!opening) return;
	const stage = region("stage");
	drawStill(true);
	stage.classList.add("still");
	drawStage(stage, opening);
	stage.getBoundingClientRect(); // forces a layout
	stage.classList.remove("still");
}

/** Draws every region of the page. @param {View} view */
function drawRegions(view) {
	root.dataset.scene = view.scene;
	root.toggleAttribute("data-popped", view.event.type === "CycleStarted");
	root.classList.toggle("lanes-open", view.options.lanes);
	drawSubject(region("subject"), view);
	drawCaption(region("caption"), view);
	drawNext(region("next"), view);
	drawRail(region("rail"), view);
	drawQueue(region("queue"), view);
	drawStage(region("stage"), view);
	drawMargin(region("margin"), view);
	drawTransport(region("transport"), view);
	timeline.draw(region("timeline"), view);
	drawClock(region("clock"), view);
	drawNotices(region("notices"), view);
	drawLive(region("live"), view);
}

/**
 * Sets `data-ready` to the link to the view, and reports that it is completely drawn.
 * @param {View} view
 */
function markReady(view) {
	root.dataset.ready = formatLink(view);
	page.stepShown();
}

/** Draws the page while its step is not loaded; goes to the last step if the run ends before it. */
function drawWaiting() {
	drawNotices(region("notices"), /** @type {any} */ ({ run, store, player }));
	const pastEnd = store.complete && player.step >= store.steps;
	region("caption").textContent = t(pastEnd ? "run.pastend" : run.state === "queued" ? "run.queued" : "run.waiting");
	if (pastEnd && store.steps) player.seek(store.steps - 1);
}

/** Requests the explanations of the current attempt in advance. @param {View} view */
function requestExplanations(view) {
	const { state, subject, step } = view;
	if (isFast() || state.cycle.CycleStarted?.pod !== subject) return;
	const ahead = [1, 2].map((by) => store.event(step + by)).find((event) => event?.type === "NodesFiltered");
	const model = filterModel(
		ahead && !state.cycle.NodesFiltered ? { ...state, cycle: { NodesFiltered: ahead } } : state,
	);
	if (model) explainer.request(state.attempt, model.names.slice(0, MAX_EXPLAINED));
}

const MOST = 240; // pods: more do not move
const FLIGHT = 720; // milliseconds
const SLIDE = 320; // milliseconds
const NEAR = 2; // pixels: less is no motion
/** @typedef {{box: DOMRect, home: string, on: boolean, element: HTMLElement}} Place `on`: on a node */
/** @typedef {Map<string | Element, Place>} Places of pods by key, and of the sections of the queue by element */
/** @type {Set<Animation>} */
const running = new Set();
const reduced = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)");

/** Whether the reader's system does not ask for reduced motion. */
function wantsMotion() {
	return !reduced?.matches;
}

/** Ends the current animations at once. */
function cancelMotion() {
	for (const animation of running) animation.cancel();
}

/**
 * Animates an element; the promise resolves when the motion has ended.
 * @param {Element} element @param {Keyframe[]} frames @param {KeyframeAnimationOptions} timing
 */
function animate(element, frames, timing) {
	const animation = element.animate(frames, timing);
	running.add(animation);
	const ended = () => void running.delete(animation);
	return animation.finished.then(ended, ended);
}

/**
 * Identifies what contains a pod's element: a node by its name, a section of the queue by its classes, the subject's
 * card by its id; "" if none does.
 * @param {Element} element
 */
function homeOf(element) {
	const home = element.closest("[data-node], .queue-section, #subject");
	return home?.getAttribute("data-node") ?? home?.className ?? home?.id ?? "";
}

/**
 * Measures the place of every pod on screen, and of every section of the queue.
 * @param {Element} root @returns {Places | null} null if there are too many pods
 */
function measurePlaces(root) {
	const marked = root.querySelectorAll(":is([data-fly], [data-fly-from]):not([hidden] *)");
	if (marked.length > MOST) return null;
	/** @type {Places} */
	const places = new Map();
	for (const section of root.querySelectorAll(SECTIONS)) places.set(section, placeOf(section));
	for (const element of marked) {
		const key = element.getAttribute("data-fly") ?? element.getAttribute("data-fly-from");
		const place = placeOf(element);
		if (!key || !place.box.width || (places.has(key) && element.hasAttribute("data-fly-from"))) continue;
		places.set(key, place);
	}
	return places;
}

/** An element's place on screen, and what contains it. @param {Element} element @returns {Place} */
function placeOf(element) {
	const on = element.closest("[data-node]") !== null;
	return {
		box: element.getBoundingClientRect(),
		home: homeOf(element),
		on,
		element: /** @type {HTMLElement} */ (element),
	};
}

/** Resolves when the current motion has ended or was replaced. */
function whenAtRest() {
	return Promise.allSettled(root.getAnimations({ subtree: true }).map(({ finished }) => finished));
}

const LAST_WORDS = 160; // milliseconds
const MOST_WAITED = 1500; // milliseconds

/**
 * Fades in the texts with the result when the step's motion has ended: the second half of the headline, the lines below
 * it, the next step, and the margin if it has changed.
 * @param {boolean} explained whether the margin has changed
 */
function fadeInResult(explained) {
	const moving = root.getAnimations({ subtree: true }).map(({ effect }) => Number(effect?.getComputedTiming().endTime));
	const rest = Math.min(MOST_WAITED, Math.max(0, ...moving));
	if (!rest) return;
	const words = [...(root.querySelector("#caption h1")?.children ?? [])];
	const lines = root.querySelectorAll(`#caption :is(.why, .lesson), #next p${explained ? ", .margin-body" : ""}`);
	for (const element of [...words.slice(Math.ceil(words.length / 2)), ...lines])
		void animate(element, [{ opacity: 0 }, { opacity: 1 }], {
			duration: LAST_WORDS,
			delay: Math.max(0, rest - LAST_WORDS),
			fill: "backwards",
		});
}

const SECTIONS = ".queue-section";
const STILL = { x: 0, y: 0 };

/**
 * Moves pods, and the sections of the queue, from their previous places to their current ones.
 * @param {Element} root @param {Places | null} before @param {number} speed
 */
function animateMoves(root, before, speed) {
	if (!before) return;
	animateDeletions(root, before, speed);
	const zoom = /** @type {HTMLElement} */ (root).currentCSSZoom ?? 1;
	const moves = [...root.querySelectorAll(`${SECTIONS}, [data-fly]:not([hidden] *)`)].map((element) => {
		const to = element.getBoundingClientRect(); // all are measured before any moves
		const from = before.get(element.getAttribute("data-fly") ?? element);
		const by = from && { x: (from.box.left - to.left) / zoom, y: (from.box.top - to.top) / zoom };
		const still = !by || !to.width || !from.box.width || (Math.abs(by.x) < NEAR && Math.abs(by.y) < NEAR);
		return { element, from, to, home: homeOf(element), by: still ? STILL : by };
	});
	const timing = (/** @type {number} */ duration) => ({
		duration: duration / Math.max(1, speed),
		easing: "cubic-bezier(.3,0,.1,1)",
	});
	for (const { element, from, to, home, by } of moves) {
		if (!from || (from.home === home && element.closest("[data-node]"))) continue; // it stays where it is
		const section = element.matches(SECTIONS) ? null : element.closest(SECTIONS);
		const within = moves.find((move) => move.element === section)?.by ?? STILL; // its section moves that far
		const [x, y] = [by.x - within.x, by.y - within.y];
		if (from.home !== home) {
			if (by !== STILL && !element.closest(".queue-section.binding"))
				flyToNewHome(root, element, from.box, to, timing(FLIGHT));
		} else if (Math.abs(x) >= NEAR || Math.abs(y) >= NEAR)
			void animate(
				element.closest(".queue-item") ?? element,
				[{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }],
				timing(SLIDE),
			);
	}
}

/**
 * The styles that place an element at a box, corrected for the page's zoom.
 * @param {Element} root @param {DOMRect} box @param {number} [dy] pixels by which it is lower
 */
function boxStyles(root, { left, top, width, height }, dy = 0) {
	const zoom = /** @type {HTMLElement} */ (root).currentCSSZoom ?? 1;
	const sizes = { left, top: top + dy, width, height };
	return Object.fromEntries(Object.entries(sizes).map(([name, size]) => [name, `${size / zoom}px`]));
}

/**
 * Adds a block that stands for a pod above the page.
 * @param {Element} root @param {string} pod @param {Record<string, string>} look its styles
 */
function addBlock(root, pod, look) {
	const block = document.createElement("div");
	block.className = "flight";
	block.dataset.name = shortPod(pod);
	for (const [name, value] of Object.entries(look)) block.style.setProperty(name, value);
	root.append(block);
	return block;
}

/** The styles of a pod that its block above the page has, too. */
const LOOK = [
	...["background-image", "background-size", "background-position", "background-repeat", "color"],
	...["flex-direction", "align-items", "justify-content", "gap", "padding", "font-size", "font-weight", "line-height"],
];

/**
 * Moves a pod from one container to another, as a block above the page that looks like the pod at its destination.
 * The pod itself, with the rest of its row in the queue, appears at the end.
 * @param {Element} root @param {Element} element @param {DOMRect} from @param {DOMRect} to
 * @param {KeyframeAnimationOptions} timing
 */
function flyToNewHome(root, element, from, to, timing) {
	const style = getComputedStyle(element);
	const empty = style.backgroundColor === "rgba(0, 0, 0, 0)"; // hatched: the pod is not bound
	const look = Object.fromEntries(LOOK.map((name) => [name, style.getPropertyValue(name)]));
	const flying = addBlock(root, element.getAttribute("data-fly") ?? "", {
		...look,
		"background-color": empty ? "var(--panel)" : style.backgroundColor,
	});
	for (const child of element.childNodes) {
		const copy = flying.appendChild(child.cloneNode(true));
		if (copy instanceof HTMLElement) copy.style.margin = getComputedStyle(/** @type {Element} */ (child)).margin;
	}
	void animate(element.closest(".queue-item") ?? element, [{ opacity: 0 }, { opacity: 0 }], timing);
	animate(flying, [boxStyles(root, from), boxStyles(root, to)], { ...timing, fill: "forwards" }).then(() =>
		flying.remove(),
	);
}

const FALL = 26; // pixels

/** Lets pods that no longer exist fall out of their node. @type {typeof animateMoves} */
function animateDeletions(root, before, speed) {
	for (const [pod, { box, on, element }] of before ?? []) {
		if (typeof pod !== "string" || !on || player.state?.pods.has(pod)) continue;
		const falling = addBlock(root, pod, { "background-color": element.style.getPropertyValue("--c") });
		falling.classList.add("leaves");
		falling.append(...[...element.childNodes].map((child) => child.cloneNode(true)));
		const end = { ...boxStyles(root, box, FALL), opacity: 0 };
		const timing = { duration: FLIGHT / Math.max(1, speed), easing: "cubic-bezier(.5,0,.8,.4)", fill: "forwards" };
		animate(falling, [{ ...boxStyles(root, box), opacity: 1 }, end], /** @type {any} */ (timing)).then(() =>
			falling.remove(),
		);
	}
}
