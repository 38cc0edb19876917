// @ts-check
/** The dialog over the page, loaded on first use. */

import { drawDialog } from "../chrome/dialogs.js";
import { formatLink } from "../shared/link.js";
import * as page from "./page.js";
import { boot } from "./page.js";

const { region, screen } = page;
const dialog = /** @type {HTMLDialogElement} */ (region("dialog"));
let open = "";
let requested = ""; // before the first step was drawn

dialog.addEventListener("close", () => {
	if (!dialog.open) open = "";
});
screen.followers.add(afterDraw);

/** Opens a dialog, once the first step is drawn. @param {string} name */
export async function showDialog(name) {
	for (const menu of document.querySelectorAll(":popover-open")) /** @type {HTMLElement} */ (menu).hidePopover();
	if (!screen.drawn) return void (requested = name); // a link to a step needs the step
	if (name === "speaker") return void (await import("../classroom/speaking.js")).openSpeaker({ ...page, boot });
	if (name.startsWith("ask")) return void askAbout(name.slice("ask".length + 1));
	open = name; // only now: the previous dialog's close event may have come in between
	drawDialog(dialog, name, screen.drawn);
	if (!dialog.open) dialog.showModal();
}

/** @type {typeof import("../what_if/panel.js") | null} */
let asking = null;
/** @type {ReturnType<typeof loadAsking> | null} */
let coming = null;

/** Loads the What if panel, and adds its sentences to every view that is drawn. */
async function loadAsking() {
	asking = await import("../what_if/panel.js");
	const { withResult } = asking;
	const { look } = page.lens;
	page.lens.look = (view) => withResult(look(view));
	return asking;
}

/** Opens the What if panel, unless the page is embedded. @param {string} target */
async function askAbout(target) {
	coming ??= loadAsking();
	const { ask } = await coming;
	if (screen.drawn && !screen.drawn.boot.embed) ask(screen.drawn, target);
}

/** Tries a number in place, without the panel. @param {Parameters<View["act"]["tryNumber"]>[0]} change */
export async function tryNumber(change) {
	coming ??= loadAsking();
	const { tryNumber } = await coming;
	if (screen.drawn) tryNumber(screen.drawn, change);
}

/**
 * Called with each new view: updates the open dialog, or opens the one that was requested.
 * @param {View | null} before
 * @param {View} now
 */
function afterDraw(before, now) {
	const name = before && open && dialog.open && formatLink(before) !== formatLink(now) ? open : requested;
	requested = "";
	asking?.follow(now);
	if (name) void showDialog(name);
}
