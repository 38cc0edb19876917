// @ts-check
/** Copies the text of a field. */

import { t } from "./i18n.js";

/**
 * Copies the text of a field, which stays selected, and confirms it on the button if that succeeds.
 * @param {HTMLElement} button @param {HTMLInputElement} field @param {string} [confirmation]
 */
export async function copy(button, field, confirmation = t("share.copied")) {
	field.select();
	try {
		await navigator.clipboard.writeText(field.value);
	} catch {
		if (!document.execCommand("copy")) return; // over plain http there is no `clipboard`
	}
	button.textContent = confirmation;
}
