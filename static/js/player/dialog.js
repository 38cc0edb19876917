// @ts-check
/** The dialog over the page. It comes when one is first asked for. */

import { drawDialog } from "../chrome/dialogs.js";
import { formatLink } from "../shared/link.js";
import { loadCaptions } from "../steps/captions.js";
import { region, screen } from "./page.js";

const dialog = /** @type {HTMLDialogElement} */ (region("dialog"));
let open = "";
let wished = ""; // asked for before the first step was here

dialog.addEventListener("close", () => {
	if (!dialog.open) open = "";
});
screen.followers.add(follow);

/** One that was open and closed meanwhile stays closed. @param {string} name */
export async function showDialog(name) {
	if (!screen.drawn) return void (wished = name); // a link to a step needs the step
	const fresh = !dialog.open;
	await loadCaptions(); // the transcript tells every event
	if (!screen.drawn || !(fresh || dialog.open)) return;
	open = name; // only now: the close event of the one before may have come meanwhile
	drawDialog(dialog, name, screen.drawn);
	if (!dialog.open) dialog.showModal();
}

/**
 * Another view is on screen: the dialog that is open shows it, or the one that was wished for opens.
 * @param {View | null} before
 * @param {View} now
 */
function follow(before, now) {
	const name = before && open && dialog.open && formatLink(before) !== formatLink(now) ? open : wished;
	wished = "";
	if (name) void showDialog(name);
}
