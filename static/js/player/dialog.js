// @ts-check
/** The dialog over the page. What it shows is loaded when it is first asked for. */

import { formatLink } from "../shared/link.js";
import { loadCaptions } from "../steps/captions.js";
import { region, screen } from "./page.js";

const dialog = /** @type {HTMLDialogElement} */ (region("dialog"));
let open = "";
let wished = ""; // asked for before the first step was here

dialog.addEventListener("close", () => {
	if (!dialog.open) open = "";
});

/** One that was open and closed meanwhile stays closed. @param {string} name */
export async function showDialog(name) {
	if (!screen.drawn) return void (wished = name); // a link to a step needs the step
	const fresh = !dialog.open;
	// the transcript tells every event
	const [{ drawDialog }] = await Promise.all([import("../chrome/dialogs.js"), loadCaptions()]);
	if (!screen.drawn || !(fresh || dialog.open)) return;
	open = name; // only now: the close event of the one before may have come meanwhile
	drawDialog(dialog, name, screen.drawn);
	if (!dialog.open) dialog.showModal();
}

/**
 * The page shows another view: so does the dialog that is open, or was wished for.
 * @param {View | null} before
 * @param {View} now
 */
export function dialogFollows(before, now) {
	const name = before && open && dialog.open && formatLink(before) !== formatLink(now) ? open : wished;
	wished = "";
	if (name) void showDialog(name);
}
