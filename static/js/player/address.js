// @ts-check
/** The address bar: it always holds the place on screen, and a step that was gone to can be gone back from. */

import { formatLink, parseLink } from "../shared/link.js";
import { boot } from "./opening.js";
import { chosen, player } from "./page.js";

const DELAY = 120; // it follows once the reader rests: browsers limit how often it may change
let timer = 0;

/** @param {boolean} now */
export function saveLink(now) {
	clearTimeout(timer);
	if (now) write();
	else timer = setTimeout(write, DELAY);
}

function write() {
	const { step, frame, order } = player;
	const link = formatLink({ step, frame, selection: chosen.selection, order });
	document.getElementById("open-outside")?.setAttribute("href", (boot.page ?? "") + link);
	const page = boot.embed ? "" : (boot.page ?? "");
	if (link === location.hash || (link === "#0" && !location.hash)) return;
	const last = parseLink(location.hash);
	const jump = last.step !== null && Math.abs(last.step - step) > 1;
	if (jump && !player.playing && !boot.embed) history.pushState(null, "", page + link);
	else history.replaceState(null, "", page + link);
}

/** Go where the address says. */
export function followAddress() {
	const place = parseLink(location.hash);
	chosen.selection = place.selection;
	player.order = place.order;
	if (place.step !== null) player.seek(place.step, place.frame);
}
