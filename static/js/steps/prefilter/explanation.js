// @ts-check
/** What a pod asks for, where nothing has been decided yet. */

import { asks } from "../parts/reasons_panel.js";

/** @param {View} view @param {string} _kind @param {string} first @returns {Child} */
export function explain(view, _kind, first) {
	return asks(view, first);
}
