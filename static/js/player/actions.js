// @ts-check
/** Actions that a reader can take on the page, and the address bar, which follows. */

import { zoom as zoomTimeline } from "../chrome/timeline.js";
import { formatLink, parseLink } from "../shared/link.js";
import { boot, chosen, index, player, redraw, store, timeline } from "./page.js";

let left = { step: -1, frame: 0 }; // the place in the other order of Filter

/** @type {Promise<typeof import("./dialog.js")> | null} */
let coming = null;

/**
 * Loads the dialogs on first use. There is one promise, since two imports of a module may resolve in either order.
 */
function loadDialogs() {
	coming ??= import("./dialog.js");
	return coming;
}

/** @type {import("../view").Actions} */
export const act = {
	/** Shows an explanation in the margin. */
	pin(ref) {
		chosen.pin = ref;
		redraw(false);
	},
	/** Selects an object. */
	select(selection) {
		chosen.selection = selection;
		chosen.pin = null;
		redraw(false);
		saveLink(true);
	},
	/** Changes options, or the order of Filter. */
	set(change) {
		const { order, .../** @type {any} */ options } = /** @type {any} */ (change);
		if (order && order !== player.order) {
			const { step, frame } = player;
			Object.assign(player, { order, frame: left.step === step ? left.frame : 0 });
			left = { step, frame };
		}
		Object.assign(chosen.options, options);
		redraw(false);
	},
	/** Goes to a step, and pauses. */
	seek(step, frame = 0) {
		player.playing = false;
		player.seek(step, frame);
	},
	/** Opens a dialog. */
	open(name) {
		void loadDialogs().then(({ showDialog }) => showDialog(name));
	},
	/** Tries another number in place, without the What if panel. */
	tryNumber(change) {
		void loadDialogs().then(({ tryNumber }) => tryNumber(change));
	},
};

/** Zooms the timeline about the playhead. @param {number} factor */
export function zoom(factor) {
	const [from, to] = timeline.range(index);
	zoomTimeline(timeline, index, factor, (index.positionOf(player.step, store.steps) - from) / (to - from));
	redraw(false);
}

const DELAY = 120; // milliseconds; browsers limit how often the address may change
let timer = 0;

/** Writes the place to the address bar, now or after a delay. @param {boolean} now */
export function saveLink(now) {
	clearTimeout(timer);
	if (now) writeAddress();
	else timer = setTimeout(writeAddress, DELAY);
}

/** Writes the place into the address of the page, and into the link that leads out of an embedded page. */
function writeAddress() {
	const { step, frame, order } = player;
	const link = formatLink({ step, frame, selection: chosen.selection, order });
	document.getElementById("open-outside")?.setAttribute("href", (boot.page ?? "") + link);
	const page = boot.embed ? "" : (boot.page ?? "");
	if (link === location.hash || (link === "#0" && !location.hash)) return;
	const last = parseLink(location.hash);
	const jump = last.step !== null && Math.abs(last.step - step) > 1;
	if (jump && !player.playing && !timeline.dragging && !boot.embed) history.pushState(null, "", page + link);
	else history.replaceState(null, "", page + link);
}

/** Goes to the place in the address. */
export function followAddress() {
	const place = parseLink(location.hash);
	chosen.selection = place.selection;
	player.order = place.order;
	if (place.step !== null) player.seek(place.step, place.frame);
}
