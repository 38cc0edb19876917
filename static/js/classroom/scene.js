// @ts-check
/** Draws the stage of a step on a page without a player, for printing. */

import { drawStage } from "../chrome/stage.js";
import { PHONE } from "../shared/dom.js";
import { filterModel } from "../steps/filter/model.js";
import { framesOf, pictureOf, sceneOf } from "../steps/registry.js";
import { momentOf } from "../trace/chunk_store.js";
import { Explainer } from "../trace/explainer.js";
import { subjectOf } from "../trace/phase.js";
import { zones } from "../trace/room.js";
import { RunIndex } from "../trace/run_index.js";

/** @typedef {import("../learn/answers.js").Spot} Spot */

/**
 * Pixels of a picture, which the stylesheet scales to the paper: its smallest letters, of 13 pixels, are 8 points.
 */
const PAPER = 840;
const HIGHEST = 520; // pixels, as those below
const MIDDLE = 400;
const LOWEST = 200;
const LANE = 56; // pixels of a lane, of up to MAX_LANES
const LOW_LANE = 30;
const MAX_LANES = 8;
const CARD = 104; // pixels of a node's card
const SEARCH = 46; // pixels of a node whose devices are searched
const CURRENT = 50; // more for the node being searched
const LINE = 25; // pixels of a line of that search
const MAX_ACROSS = 3;
const BESIDE = 36; // pixels of a row below the picture
const MAX_EXPLAINED = 12; // nodes
const nothing = () => {};
const act = { pin: nothing, select: nothing, set: nothing, seek: nothing, open: nothing };

/**
 * Returns a function that prepares the picture of a step: it loads the server's explanations, and returns a function
 * that draws for paper or for a phone, or null if the step is not loaded.
 * @param {string} api @param {string} run @param {ChunkStore} store
 * @returns {(target: HTMLElement, spot: Spot) => Promise<((paper: boolean) => void) | null>}
 */
export function sceneDrawer(api, run, store) {
	const explainer = new Explainer(api, run, nothing);
	const index = new RunIndex();
	const player = { playing: false, speed: 1, frames: (/** @type {number} */ step) => framesOf(store.event(step)) };
	return async (target, { step, frame }) => {
		const [event, state] = [store.event(step), store.stateAfter(step)];
		if (!event || !state) return null;
		explainer.request(state.attempt, filterModel(state)?.names.slice(0, MAX_EXPLAINED) ?? []);
		explainer.loadNow(state.attempt);
		await explainer.coming;
		const scene = sceneOf(event, state);
		const view = {
			state,
			event,
			step,
			frame,
			order: "plugin",
			following: store.event(step + 1),
			subject: subjectOf(event, state),
			scene,
			moment: (/** @type {AnyEvent["type"]} */ type) => (type ? momentOf(store, step, state, type) : state),
			horizon: { step, frame, question: step },
			motion: false,
			selection: null,
			pin: null,
			options: { later: false, table: false, lanes: false, margin: false },
			boot: {},
			run: { id: run },
			explainer,
			player,
			store,
			index,
			act,
		};
		return (paper) => {
			const width = paper ? PAPER : Math.min(PHONE, target.parentElement?.clientWidth ?? PHONE);
			const drawIn = (/** @type {number} */ height) =>
				drawStage(
					target,
					/** @type {any} */ ({ ...view, width, sizes: { page: width, stage: width, height, timeline: 0 } }),
				);
			drawIn(paper ? HIGHEST : 0);
			const height = heightOf(target, scene, state);
			if (paper) drawIn(height);
			const beside = target.querySelector(".meanwhile")?.childElementCount ?? 0;
			target.style.setProperty("--paper-height", `${height + beside * BESIDE}px`);
		};
	};
}

/**
 * The height in pixels that a picture needs on paper.
 * @param {Element} target with the drawn picture @param {StepName} scene @param {State} state
 */
function heightOf(target, scene, state) {
	const count = (/** @type {string} */ selector) => target.querySelectorAll(`.scene:not([hidden]) ${selector}`).length;
	const groups = zones(state);
	const deepest = Math.max(...groups.map(([, names]) => names.length));
	const columns = groups.length > 1 && groups.length <= MAX_ACROSS;
	const cards = CARD * (columns ? deepest : Math.ceil(state.nodes.size / MAX_ACROSS));
	const lanes = state.nodes.size;
	const scored = count(".lane.alive");
	const needed = {
		lanes:
			scene === "score"
				? 66 + scored * LANE + (lanes - scored) * LOW_LANE
				: 116 + lanes * (lanes > MAX_LANES ? LOW_LANE : LANE),
		cluster: cards + (count(".binding") ? 150 : 80),
		gang: count(".placements, .gang-victims") ? MIDDLE : cards + 150,
		cells: count(".best") ? HIGHEST : MIDDLE,
		devices:
			150 +
			count(".search-node.current") * CURRENT +
			Math.max(count(".search-node") * SEARCH, count(".search-log li") * LINE),
		preempt: count(".candidate-column") > MAX_ACROSS ? HIGHEST : MIDDLE,
	};
	const picture = pictureOf(scene, state);
	const height = picture in needed ? needed[/** @type {keyof typeof needed} */ (picture)] : MIDDLE;
	return Math.min(HIGHEST, Math.max(LOWEST, height));
}
