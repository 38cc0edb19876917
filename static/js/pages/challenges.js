// @ts-check
/** The list of challenges: which of them this browser has solved, and in how many tries. */
import { triesOf } from "../shared/progress.js";

for (const mark of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-challenge]"))) {
	const tries = triesOf(mark.dataset.challenge ?? "");
	if (!tries) continue;
	const { solved = "", tried = "" } = mark.dataset;
	mark.textContent = tries.solvedIn
		? `✓ ${solved.replace("{n}", String(tries.solvedIn))}`
		: tried.replace("{held}", String(tries.held)).replace("{of}", String(tries.of));
	mark.classList.toggle("done", tries.solvedIn > 0);
}
