// @ts-check
/**
 * The parts of the player's page: its regions, the loaded part of the run, the reader's choices, and redrawing.
 */

import { Timeline } from "../chrome/timeline.js";
import { linkedPlace } from "../shared/link.js";
import { ChunkStore } from "../trace/chunk_store.js";
import { Explainer } from "../trace/explainer.js";
import { Feed, fetchChunk, openFrame } from "../trace/feed.js";
import { RunIndex } from "../trace/run_index.js";
import { Player } from "./player.js";

const early = /** @type {Early} */ (/** @type {any} */ (globalThis).kscheduiEarly);
export const { boot, linkedChunk } = early;
export const linked = linkedPlace(location);
export const feed = new Feed(new URL(boot.ws, location.href.replace(/^http/, "ws")).href, boot.run, linkedChunk);
/** The run's first chunk in the websocket's format, if the page contains it. */
const first = boot.chunk ? Uint8Array.from(atob(boot.chunk), (letter) => letter.charCodeAt(0)).buffer : null;
/**
 * The run's first chunk, which is needed to read a chunk from the middle; null if it cannot be loaded.
 * @type {Promise<TraceChunk | null>}
 */
export const beginning = linkedChunk
	? (first ? openFrame(first) : fetchChunk(boot.api, boot.run, 0)).catch(() => null)
	: Promise.resolve(null);
if (first && !linkedChunk) feed.takeFrame(first);
feed.open(early);

/** The region of the page with this id. @param {string} name */
export function region(name) {
	return /** @type {HTMLElement} */ (document.getElementById(name));
}

export const root = region("player");
export const store = new ChunkStore();
export const index = new RunIndex();
export const timeline = new Timeline();
export const player = new Player(store, redraw);
export const explainer = new Explainer(boot.api, boot.run, () => redraw(false));
/** @type {View["run"]} */
export const run = {
	id: boot.run,
	state: boot.state ?? "queued",
	steps: boot.steps ?? 0,
	connection: "open",
	message: "",
	ahead: null,
	cancel: boot.may_edit && !boot.embed ? `${boot.api}/runs/${boot.run}/cancel` : "",
};

export const chosen = {
	selection: linked.selection,
	pin: /** @type {string | null} */ (null),
	options: { later: false, table: false, lanes: false, margin: false },
};
/** Sizes in pixels, measured when they change: measuring while drawing would force a layout. */
export const sizes = { page: innerWidth, stage: 0, height: 0, timeline: 0 };
/** The view on screen, and functions that are called with each new one. */
export const screen = {
	drawn: /** @type {View | null} */ (null),
	followers: /** @type {Set<(before: View | null, now: View) => void>} */ (new Set()),
};

/** The filter through which a learner sees the run (learn/). */
export const lens = { look: (/** @type {View} */ view) => view };

/** @type {((value?: unknown) => void) | null} */
let resolveFirst = null;
/** Resolves when the linked step is completely drawn; nothing else is decoded before. */
export const firstShown = new Promise((resolve) => (resolveFirst = resolve));

/** Reports that a step is completely drawn. */
export function stepShown() {
	if (resolveFirst) setTimeout(resolveFirst);
	resolveFirst = null;
}

/** Draws the page; set by `drawWith`. @type {() => void} */
let draw = () => {};
let moves = false;

/** Sets the function that draws. @param {() => void} drawing */
export function drawWith(drawing) {
	draw = drawing;
}

/** Draws in the next animation frame. @param {boolean} motion whether elements move to their new places */
export function redraw(motion) {
	delete root.dataset.ready;
	moves ||= motion;
	player.schedule(draw);
}

/** Returns whether motion was requested since the last call of this function. */
export function takeMotion() {
	const wanted = moves;
	moves = false;
	return wanted;
}
