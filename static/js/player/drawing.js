// @ts-check
/**
 * The one place that draws: which modules the step needs, the view that they draw from, and each region of the page.
 */

import { drawMargin } from "../chrome/margin.js";
import { drawRail } from "../chrome/rail.js";
import { drawStage, pictureFor } from "../chrome/stage.js";
import { drawCaption, drawHero, drawLive, drawNext } from "../chrome/story.js";
import { drawClock, drawTransport } from "../chrome/transport.js";
import { drawStill } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { formatLink } from "../shared/link.js";
import { captionOf, captionsFor } from "../steps/captions.js";
import { explanationFor } from "../steps/explanations.js";
import { filtered, stoppedAlone } from "../steps/filter/model.js";
import { drawQueue } from "../steps/queue/view.js";
import { sceneOf } from "../steps/registry.js";
import { momentOf } from "../trace/moments.js";
import { heroOf } from "../trace/phase.js";
import { act } from "./actions.js";
import { saveLink } from "./address.js";
import { boot } from "./opening.js";
import * as page from "./page.js";

const MOST_WAITED = 3000; // steps; further on it takes long to simulate the run up to an attempt

const { chosen, explainer, index, player, redraw, region, root, run, screen, sizes, store, timeline } = page;

/** Comes when the first step has been drawn: it does not move. @type {typeof import("./motion.js") | null} */
let flights = null;

/** @param {typeof import("./motion.js")} motion */
export function drawWithMotion(motion) {
	flights = motion;
}

/** The furthest step shown. */
let reach = 0;

/** In the one animation frame. */
export function draw() {
	const coming = prepare();
	if (coming) return void coming.then(() => redraw(false));
	const view = makeView();
	if (!view) return drawWaiting();
	const before = screen.drawn;
	const whole = drawMoving(before, view);
	if (before?.step !== view.step) wantExplanations(view);
	screen.drawn = view; // before the dialog's own turn
	for (const follow of screen.followers) follow(before, view);
	saveLink(false);
	if (whole && !player.pendingDraw) ready(view);
}

/** Resolves once the step's modules are here; null when they are. */
export function prepare() {
	const { state, event, frame, order } = player;
	if (!state || !event) return null;
	const scene = sceneOf(event, state);
	const hero = heroOf(event, state);
	const told = [captionsFor(event, state), headline()];
	const drawn = [pictureFor(scene, state, hero), explanationFor({ scene, state, event, hero, frame, order })];
	const coming = [page.lens.coming, ...told, ...drawn].filter(Boolean);
	return coming.length ? Promise.all(coming) : null;
}

/** Resolves once the headline can be told with its numbers: it does not change afterwards. */
function headline() {
	const { state, event, step, frame, order } = player;
	if (!state || !event || step > MOST_WAITED || fast()) return null;
	const { drawn } = screen;
	if (drawn?.event === event && drawn.frame === frame && drawn.order === order) return null;
	const node = stoppedAlone(event, state, frame, order);
	return node ? explainer.soon(state.attempt, node) : null;
}

const fast = () => player.playing && player.speed > 1;

/** @returns {View | null} */
export function makeView() {
	const { state, event } = player;
	if (!state || !event) return null;
	const { step, frame, order } = player;
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
		hero: heroOf(event, state),
		scene: sceneOf(event, state),
		caption,
		reach,
		motion: page.motionWanted() && Boolean(flights?.wantsMotion()),
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
 * Draw it, and let what moved move there: from one step to the next, not on a seek.
 * @param {View | null} before
 * @param {View} view
 */
function drawMoving(before, view) {
	const motion = view.motion && before !== null;
	const places = motion ? (flights?.remember(root) ?? null) : null;
	const moved = before?.step !== view.step || before.frame !== view.frame;
	if (moved) root.classList.toggle("still", !motion);
	drawStill(moved && !motion);
	if (moved && !motion) flights?.settle();
	const whole = drawRegions(view);
	if (motion) flights?.fly(root, places, player.speed);
	return whole;
}

/** @param {View} view @returns {boolean} whether all of it is there: a view may wait for a module of its own */
function drawRegions(view) {
	root.dataset.scene = view.scene;
	root.classList.toggle("lanes-open", view.options.lanes);
	drawHero(region("hero"), view);
	drawCaption(region("caption"), view);
	drawNext(region("next"), view);
	drawRail(region("rail"), view);
	drawQueue(region("queue"), view);
	drawStage(region("stage"), view);
	const margin = drawMargin(region("margin"), view);
	drawTransport(region("transport"), view);
	const lanes = timeline.draw(region("timeline"), view);
	drawClock(region("clock"), view);
	drawNews(view);
	drawLive(region("live"), view);
	return margin && lanes;
}

/**
 * `data-ready`: the link to what is on screen, once all of it is there and nothing waits to be drawn.
 * @param {View} view
 */
function ready(view) {
	root.dataset.ready = formatLink(view);
	page.stepShown();
}

/** @type {typeof import("../chrome/notices.js") | null} */
let notices = null;

/** What there is to say of the run: nothing, of most. @param {View} view */
function drawNews(view) {
	if (notices) notices.drawNotices(region("notices"), view);
	else if (run.state !== "done" || run.connection !== "open" || player.hit) {
		void import("../chrome/notices.js").then((module) => {
			if (!notices) redraw(false);
			notices = module;
		});
	}
}

/** Before the first chunk is here. */
function drawWaiting() {
	drawNews(/** @type {any} */ ({ run, store, player }));
	const pastEnd = store.complete && player.step >= store.steps;
	region("caption").textContent = t(pastEnd ? "run.pastend" : run.state === "queued" ? "run.queued" : "run.waiting");
	if (pastEnd && store.steps) player.seek(store.steps - 1);
}

/** Deeper numbers of the attempt on screen, ahead of the first question. @param {View} view */
function wantExplanations(view) {
	const { state, hero, step } = view;
	if (fast() || state.cycle.CycleStarted?.pod !== hero) return;
	const ahead = [1, 2].map((by) => store.event(step + by)).find((event) => event?.type === "NodesFiltered");
	const model = filtered(ahead && !state.cycle.NodesFiltered ? { ...state, cycle: { NodesFiltered: ahead } } : state);
	if (model) explainer.want(state.attempt, model.names.slice(0, 12));
}
