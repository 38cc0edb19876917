// @ts-check
/** What a reader can do to the page, whatever it is done with. */

import { saveLink } from "./address.js";
import { chosen, index, player, redraw, store, timeline } from "./page.js";

let left = { step: -1, frame: 0 }; // where the other order of Filter was

/** @type {import("../view").Actions} */
export const act = {
	pin(ref) {
		chosen.pin = ref;
		redraw(false);
	},
	select(selection) {
		chosen.selection = selection;
		chosen.pin = null;
		redraw(false);
		saveLink(true);
	},
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
	seek(step, frame = 0) {
		player.playing = false;
		player.seek(step, frame);
	},
	open(name) {
		void import("./dialog.js").then(({ showDialog }) => showDialog(name));
	},
};

/** Zoom the timeline about the playhead. @param {number} factor */
export async function zoom(factor) {
	const hands = await import("../chrome/timeline/hands.js");
	const [from, to] = timeline.range(index);
	hands.zoom(timeline, index, factor, (index.positionOf(player.step, store.steps) - from) / (to - from));
	redraw(false);
}
