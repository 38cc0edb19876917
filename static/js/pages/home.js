// @ts-check
/**
 * The library: the reader's progress, one chapter at a time, and a search in all chapters ("/" focuses it). The
 * state is in the address, so that a view can be shared.
 */

import { handOver } from "../intake/handed_over.js";
import { choice, doneScenarios, forgetDone } from "../shared/progress.js";

const search = /** @type {HTMLInputElement} */ (document.getElementById("search"));
const cards = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#cards > .scenario-card")]);
const shownCount = /** @type {HTMLElement} */ (document.getElementById("shown"));
const none = /** @type {HTMLElement} */ (document.getElementById("none"));
const buttons = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".chapters button")]);
const chapters = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".chapters > [data-lessons]")]);
const oldNames = /** @type {HTMLElement} */ (document.getElementById("names"));
const query = new URLSearchParams(location.search);
let chosen = query.get("chapter") ?? "";
search.value = query.get("q") ?? query.get("topic") ?? ""; // old links have a topic

/** Shows the cards that match the search, or those of the chosen chapter if there is no search; updates the address. */
function showCards() {
	const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
	const chapter = chosen || (nextLesson()?.chapter ?? "all");
	const own = buttons.find((button) => button.dataset.chapter === chapter)?.parentElement;
	const lessons = new Set(words.length || !own ? [] : lessonsOf(own));
	let shown = 0;
	for (const card of cards) {
		const text = `${card.textContent} ${card.dataset.words}`.toLowerCase();
		card.hidden = lessons.size ? !lessons.has(card.dataset.id ?? "") : !words.every((word) => text.includes(word));
		shown += Number(!card.hidden);
	}
	for (const button of buttons)
		button.setAttribute("aria-pressed", String(button.dataset.chapter === (lessons.size ? chapter : "all")));
	none.hidden = showNames(words) + shown > 0 || !cards.length;
	shownCount.textContent = shown < cards.length ? `${shown} / ${cards.length}` : String(cards.length || "");
	const next = new URLSearchParams();
	if (search.value) next.set("q", search.value);
	if (chosen) next.set("chapter", chosen);
	history.replaceState(null, "", next.size ? `?${next}` : location.pathname);
}

/** Shows the old names that match a search. @param {string[]} words @returns {number} the number of shown names */
function showNames(words) {
	let shown = 0;
	for (const entry of /** @type {NodeListOf<HTMLElement>} */ (oldNames.querySelectorAll("[data-words]"))) {
		const text = `${entry.dataset.words}`.toLowerCase();
		entry.hidden = !words.length || !words.every((word) => text.includes(word));
		shown += Number(!entry.hidden);
	}
	oldNames.hidden = !shown;
	return shown;
}

/** Shows the reader's progress, and a link to the next lesson. */
function drawProgress() {
	const done = doneScenarios();
	for (const card of cards) {
		const mark = /** @type {HTMLElement} */ (card.querySelector(".done"));
		mark.hidden = !done.has(card.dataset.id ?? "");
	}
	for (const chapter of chapters) {
		const ids = lessonsOf(chapter);
		const counter = /** @type {HTMLElement} */ (chapter.querySelector(".chapter-done"));
		const n = ids.filter((id) => done.has(id)).length;
		counter.dataset.all ??= counter.textContent ?? ""; // "5 lessons"
		counter.textContent = n
			? (counter.dataset.told ?? "").replace("{n}", String(n)).replace("{all}", String(ids.length))
			: counter.dataset.all;
		chapter.classList.toggle("complete", n === ids.length);
	}
	const reset = document.getElementById("reset");
	if (reset) reset.hidden = !done.size;
	const next = nextLesson()?.id;
	const link = /** @type {HTMLAnchorElement | null} */ (document.getElementById("continue"));
	if (!link) return;
	link.hidden = !next;
	if (!next) return;
	link.href = linkTo(next);
	const words = done.size ? link.dataset.continue : link.dataset.begin;
	/** @type {HTMLElement} */ (link.querySelector("span")).textContent = `${words}: `;
	/** @type {HTMLElement} */ (link.querySelector("b")).textContent =
		cardOf(next)?.querySelector("h3")?.textContent ?? "";
}

/** The first lesson that is not done, with its chapter; null if all are done. */
function nextLesson() {
	const done = doneScenarios();
	for (const chapter of chapters) {
		const id = lessonsOf(chapter).find((lesson) => !done.has(lesson));
		if (id) return { id, chapter: chapter.querySelector("button")?.dataset.chapter };
	}
	return null;
}

/** The ids of a chapter's lessons. @param {HTMLElement} chapter */
function lessonsOf(chapter) {
	return (chapter.dataset.lessons ?? "").split(" ").filter(Boolean);
}

/** The card of a lesson; undefined if there is none. @param {string} id */
function cardOf(id) {
	return cards.find((card) => card.dataset.id === id);
}

/** The address of a lesson; predicting is on unless the reader turned it off. @param {string} id */
function linkTo(id) {
	const url = new URL(cardOf(id)?.querySelector("a")?.href ?? "/", location.href);
	if (choice("predict") !== "off") url.searchParams.set("predict", "1");
	return url.href;
}

addEventListener("pageshow", drawProgress); // also on the way back
document.getElementById("reset")?.addEventListener("click", () => {
	forgetDone();
	drawProgress();
	showCards();
});

search.addEventListener("input", showCards);
for (const button of buttons) {
	button.addEventListener("click", () => {
		chosen = button.dataset.chapter ?? "";
		search.value = "";
		showCards();
	});
}
for (const button of /** @type {NodeListOf<HTMLElement>} */ (none.querySelectorAll("[data-try]"))) {
	button.addEventListener("click", () => {
		search.value = button.dataset.try ?? "";
		showCards();
		search.focus();
	});
}
document.getElementById("clear")?.addEventListener("click", () => {
	search.value = "";
	chosen = "all";
	showCards();
	search.focus();
});
document.addEventListener("keydown", (event) => {
	if (event.key === "/" && document.activeElement !== search) {
		event.preventDefault();
		search.focus();
	} else if (event.key === "Escape" && document.activeElement === search) {
		search.value = "";
		showCards();
	}
});
/** A file that is dropped here opens in the editor. */
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", async (event) => {
	event.preventDefault();
	const file = event.dataTransfer?.files[0];
	if (file) location.assign((await handOver(file)) ? "/new/?dropped" : "/new/?import");
});
showCards();

/** Plays a run beside the heading if there is space; it is loaded after the page. */
function playRun() {
	const place = document.getElementById("home-run");
	if (!place?.offsetWidth || place.firstChild) return;
	const frame = document.createElement("iframe");
	frame.title = place.dataset.title ?? "";
	frame.src = place.dataset.frame ?? "";
	place.append(frame);
}

if (document.readyState === "complete") playRun();
else addEventListener("load", playRun);
