// @ts-check
/**
 * The field for a message, with a button that pastes the clipboard; a pasted manifest is opened in the editor. A link
 * to the answer has the message in its fragment, which browsers do not send to servers.
 */

import { handOver } from "../intake/handed_over.js";

const box = /** @type {HTMLTextAreaElement} */ (document.getElementById("message"));
const paste = /** @type {HTMLButtonElement} */ (document.getElementById("paste"));
const refused = /** @type {HTMLElement} */ (document.getElementById("paste-refused"));
const editor = /** @type {HTMLAnchorElement | null} */ (document.getElementById("to-editor"));

/** Opens the editor with the pasted text. @param {string} text */
async function openEditor(text) {
	location.assign((await handOver(new Blob([text]))) ? "/new/?dropped" : "/new/?import");
}

const share = document.getElementById("copy-link");
const SHARED = "#message=";
const LONGEST_LINK = 8000; // characters; chats and mail programs may cut longer links

const link = `${location.origin}${location.pathname}${SHARED}${encodeURIComponent(box.value)}`;
if (share) share.hidden = link.length > LONGEST_LINK || !navigator.clipboard;
share?.addEventListener("click", async () => {
	await navigator.clipboard.writeText(link);
	share.textContent = share.dataset.copied ?? "";
});

/** Explains the message in the page's link. */
function openShared() {
	if (box.value || !location.hash.startsWith(SHARED)) return;
	try {
		box.value = decodeURIComponent(location.hash.slice(SHARED.length)).slice(0, box.maxLength);
	} catch {
		return; // a link that was cut within a character
	}
	if (box.value.trim()) box.form?.requestSubmit(document.getElementById("explain"));
}
openShared();

paste.hidden = !navigator.clipboard?.readText; // available only on https and localhost
paste.addEventListener("click", async () => {
	refused.hidden = true;
	const text = await navigator.clipboard.readText().catch(() => "");
	if (text.length > box.maxLength)
		await openEditor(text); // a dump of a cluster
	else if (text.trim()) {
		box.value = text;
		box.form?.requestSubmit(document.getElementById("explain"));
	} else {
		refused.hidden = false;
		box.focus();
	}
});
box.addEventListener("paste", (event) => {
	const text = event.clipboardData?.getData("text") ?? "";
	if (text.length <= box.maxLength) return;
	event.preventDefault(); // the browser would cut it off
	openEditor(text);
});
editor?.addEventListener("click", (event) => {
	event.preventDefault();
	openEditor(box.value);
});
