// @ts-check
/** The dialog over the page. It comes when one is first asked for. */

import { drawDialog } from "../chrome/dialogs.js";
import { formatLink } from "../shared/link.js";
import { loadCaptions } from "../steps/captions.js";
import { boot } from "./opening.js";
import * as page from "./page.js";

const { region, screen } = page;
const dialog = /** @type {HTMLDialogElement} */ (region("dialog"));
let open = "";
let wished = ""; // asked for before the first step was here

dialog.addEventListener("close", () => {
	if (!dialog.open) open = "";
});
screen.followers.add(follow);

/** One that was open and closed meanwhile stays closed. @param {string} name */
export async function showDialog(name) {
	for (const menu of document.querySelectorAll(":popover-open")) /** @type {HTMLElement} */ (menu).hidePopover();
	if (!screen.drawn) return void (wished = name); // a link to a step needs the step
	if (name === "speaker") return void (await import("../classroom/speaking.js")).openSpeaker({ ...page, boot });
	if (name.startsWith("ask")) return void askAbout(name.slice("ask".length + 1));
	const fresh = !dialog.open;
	await loadCaptions(); // the transcript tells every event
	if (!screen.drawn || !(fresh || dialog.open)) return;
	open = name; // only now: the close event of the one before may have come meanwhile
	drawDialog(dialog, name, screen.drawn);
	if (!dialog.open) dialog.showModal();
}

/** @type {typeof import("../ask/open.js") | null} */
let asking = null;

/** The panel beside the stage. @param {string} what */
async function askAbout(what) {
	asking ??= await import("../ask/open.js");
	if (screen.drawn && !screen.drawn.boot.embed) asking.ask(screen.drawn, what);
}

/**
 * Another view is on screen: the dialog that is open shows it, or the one that was wished for opens.
 * @param {View | null} before
 * @param {View} now
 */
function follow(before, now) {
	const name = before && open && dialog.open && formatLink(before) !== formatLink(now) ? open : wished;
	wished = "";
	asking?.follow(now);
	if (name) void showDialog(name);
}
