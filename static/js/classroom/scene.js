// @ts-check
/** The picture of a step on a page without a player: what the stage shows there, to be printed. */

import { drawStage } from "../chrome/stage.js";
import { filterModel } from "../steps/filter/model.js";
import { framesOf, sceneOf } from "../steps/registry.js";
import { momentOf } from "../trace/chunk_store.js";
import { Explainer } from "../trace/explainer.js";
import { heroOf } from "../trace/phase.js";
import { RunIndex } from "../trace/run_index.js";

/** @typedef {import("../learn/answers.js").Spot} Spot */

const WIDTH = 1000; // pixels, as on a desk: the stylesheet scales it to the paper
const HEIGHT = 420;
const MOST_EXPLAINED = 12; // nodes
const nothing = () => {};
const act = { pin: nothing, select: nothing, set: nothing, seek: nothing, open: nothing };

/**
 * Makes the function that draws pictures of a run, each once the server has explained what it shows.
 * @param {string} api @param {string} run @param {ChunkStore} store
 * @returns {(target: Element, spot: Spot) => Promise<void>}
 */
export function sceneDrawer(api, run, store) {
	const explainer = new Explainer(api, run, nothing);
	const index = new RunIndex();
	const player = { playing: false, speed: 1, frames: (/** @type {number} */ step) => framesOf(store.event(step)) };
	return async (target, { step, frame }) => {
		const [event, state] = [store.event(step), store.stateBefore(step + 1)];
		if (!event || !state) return;
		explainer.want(state.attempt, filterModel(state)?.names.slice(0, MOST_EXPLAINED) ?? []);
		explainer.now(state.attempt);
		await explainer.coming;
		drawStage(
			target,
			/** @type {any} */ ({
				state,
				event,
				step,
				frame,
				order: "plugin",
				following: store.event(step + 1),
				hero: heroOf(event, state),
				scene: sceneOf(event, state),
				moment: (/** @type {AnyEvent["type"]} */ type) => (type ? momentOf(store, step, state, type) : state),
				horizon: { step, frame, question: step },
				motion: false,
				selection: null,
				pin: null,
				options: { later: false, table: false, lanes: false, margin: false },
				sizes: { page: WIDTH, stage: WIDTH, height: HEIGHT, timeline: 0 },
				width: WIDTH,
				boot: {},
				run: { id: run },
				explainer,
				player,
				store,
				index,
				act,
			}),
		);
	};
}
