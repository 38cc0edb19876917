// @ts-check
/**
 * The library: how far you are, search as you type ("/" goes there), topics and levels. The state is in the
 * address, so a view can be sent.
 */

import { handOver } from "../intake/handed_over.js";
import { choice, doneScenarios } from "../shared/progress.js";

const search = /** @type {HTMLInputElement} */ (document.getElementById("search"));
const cards = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#cards > .scenario-card")]);
const shownCount = /** @type {HTMLElement} */ (document.getElementById("shown"));
const none = /** @type {HTMLElement} */ (document.getElementById("none"));
const buttons = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".finder .filters button")]);
const chapters = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".chapters > [data-lessons]")]);
const oldNames = /** @type {HTMLElement} */ (document.getElementById("names"));
const query = new URLSearchParams(location.search);
const wanted = { topic: query.get("topic") ?? "", level: query.get("level") ?? "" };
search.value = query.get("q") ?? "";

function show() {
	const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
	let shown = 0;
	for (const card of cards) {
		const text = `${card.textContent} ${card.dataset.words}`.toLowerCase();
		const fits =
			words.every((word) => text.includes(word)) &&
			(!wanted.topic || (card.dataset.topics ?? "").split(" ").includes(wanted.topic)) &&
			(!wanted.level || card.dataset.level === wanted.level);
		card.hidden = !fits;
		shown += Number(fits);
	}
	for (const button of buttons) {
		const { topic, level } = button.dataset;
		button.setAttribute("aria-pressed", String(topic ? wanted.topic === topic : wanted.level === level));
	}
	none.hidden = showNames(words) + shown > 0 || !cards.length;
	shownCount.textContent = shown < cards.length ? `${shown} / ${cards.length}` : String(cards.length || "");
	const next = new URLSearchParams();
	if (search.value) next.set("q", search.value);
	if (wanted.topic) next.set("topic", wanted.topic);
	if (wanted.level) next.set("level", wanted.level);
	history.replaceState(null, "", next.size ? `?${next}` : location.pathname);
}

/** Old names that a search finds. @param {string[]} words @returns {number} how many */
function showNames(words) {
	let shown = 0;
	for (const one of /** @type {NodeListOf<HTMLElement>} */ (oldNames.querySelectorAll("[data-words]"))) {
		const text = `${one.dataset.words}`.toLowerCase();
		one.hidden = !words.length || !words.every((word) => text.includes(word));
		shown += Number(!one.hidden);
	}
	oldNames.hidden = !shown;
	return shown;
}

/** The reader's progress along the track, and where to go on. */
function drawTrack() {
	const done = doneScenarios();
	for (const card of cards) {
		const mark = /** @type {HTMLElement} */ (card.querySelector(".done"));
		mark.hidden = !done.has(card.dataset.id ?? "");
	}
	for (const chapter of chapters) {
		const ids = lessonsOf(chapter);
		const counter = /** @type {HTMLElement} */ (chapter.querySelector(".chapter-done"));
		const n = ids.filter((id) => done.has(id)).length;
		if (n)
			counter.textContent = (counter.dataset.told ?? "").replace("{n}", String(n)).replace("{all}", String(ids.length));
		chapter.classList.toggle("complete", n === ids.length);
		const next = ids.find((id) => !done.has(id)) ?? ids[0];
		/** @type {HTMLAnchorElement} */ (chapter.querySelector("a")).href = linkTo(next);
	}
	const next = chapters.flatMap(lessonsOf).find((id) => !done.has(id));
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

/** @param {HTMLElement} chapter */
function lessonsOf(chapter) {
	return (chapter.dataset.lessons ?? "").split(" ").filter(Boolean);
}

/** @param {string} id */
function cardOf(id) {
	return cards.find((card) => card.dataset.id === id);
}

/** Turns predicting on for readers of the learning path, unless they turned it off. @param {string} id */
function linkTo(id) {
	const url = new URL(cardOf(id)?.querySelector("a")?.href ?? "/", location.href);
	if (choice("predict") !== "off") url.searchParams.set("predict", "1");
	return url.href;
}

addEventListener("pageshow", drawTrack); // also on the way back

search.addEventListener("input", show);
for (const button of buttons) {
	button.addEventListener("click", () => {
		const { topic = "", level = "" } = button.dataset;
		if (topic) wanted.topic = wanted.topic === topic ? "" : topic;
		else wanted.level = wanted.level === level ? "" : level;
		show();
	});
}
for (const button of /** @type {NodeListOf<HTMLElement>} */ (none.querySelectorAll("[data-try]"))) {
	button.addEventListener("click", () => {
		[search.value, wanted.topic, wanted.level] = [button.dataset.try ?? "", "", ""];
		show();
		search.focus();
	});
}
document.getElementById("clear")?.addEventListener("click", () => {
	search.value = wanted.topic = wanted.level = "";
	show();
	search.focus();
});
document.addEventListener("keydown", (event) => {
	if (event.key === "/" && document.activeElement !== search) {
		event.preventDefault();
		search.focus();
	} else if (event.key === "Escape" && document.activeElement === search) {
		search.value = "";
		show();
	}
});
/** A file that is dropped here opens in the editor. */
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", async (event) => {
	event.preventDefault();
	const file = event.dataTransfer?.files[0];
	if (file) location.assign((await handOver(file)) ? "/new/?dropped" : "/new/?import");
});
show();
