// @ts-check
/** The one panel of the page. */

import { Panel } from "./panel.js";

/** @type {Panel | null} */
let panel = null;

/** @param {View} view @param {string} what */
export function ask(view, what) {
	if (panel && !what) return panel.close();
	panel ??= new Panel(view, () => {
		panel = null;
	});
	panel.view = view;
	panel.open(what);
}

/** Another view is on screen. @param {View} view */
export function follow(view) {
	panel?.follow(view);
}
