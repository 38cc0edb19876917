// @ts-check
/** The page of a course: marks the scenarios completed in this browser, and links to the next one. */

import { copy } from "../shared/copy.js";
import { doneScenarios } from "../shared/progress.js";

const entries = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#course [data-id]")]);
const onward = /** @type {HTMLAnchorElement} */ (document.getElementById("continue"));
const element = /** @type {HTMLElement} */ (document.getElementById("course-done"));

/** Marks the lessons that are done, and shows the number of them and the next lesson. */
function showProgress() {
	const done = doneScenarios();
	const isDone = (/** @type {HTMLElement} */ entry) => done.has(entry.dataset.id ?? "");
	for (const entry of entries) /** @type {HTMLElement} */ (entry.querySelector(".done")).hidden = !isDone(entry);
	const n = entries.filter(isDone).length;
	const next = entries.find((entry) => !isDone(entry))?.querySelector("a");
	element.textContent = n
		? (element.dataset.told ?? "").replace("{n}", String(n)).replace("{all}", String(entries.length))
		: "";
	onward.hidden = !next;
	if (!next) return;
	onward.href = next.href;
	const [verb, title] = onward.children;
	verb.textContent = `${n ? onward.dataset.continue : onward.dataset.begin}: `;
	title.textContent = next.textContent;
}

addEventListener("pageshow", showProgress); // also on the way back

const copyButton = document.getElementById("copy-link");
copyButton?.addEventListener("click", () => {
	const link = /** @type {HTMLInputElement} */ (document.getElementById("course-link"));
	return copy(copyButton, link, copyButton.dataset.copied);
});
