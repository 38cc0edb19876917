// @ts-check
/**
 * The library: what you have opened, search as you type ("/" goes there), topics and levels. The state is in the
 * address, so a view can be sent.
 */

import { handOver } from "../intake/handed_over.js";

const search = /** @type {HTMLInputElement} */ (document.getElementById("search"));
const cards = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#cards > .scenario-card")]);
const shownCount = /** @type {HTMLElement} */ (document.getElementById("shown"));
const none = /** @type {HTMLElement} */ (document.getElementById("none"));
const buttons = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".filters button")]);
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
	none.hidden = shown > 0 || !cards.length;
	shownCount.textContent = shown < cards.length ? `${shown} / ${cards.length}` : String(cards.length || "");
	const next = new URLSearchParams();
	if (search.value) next.set("q", search.value);
	if (wanted.topic) next.set("topic", wanted.topic);
	if (wanted.level) next.set("level", wanted.level);
	history.replaceState(null, "", next.size ? `?${next}` : location.pathname);
}

const OPENED = "kschedui.opened"; // slugs, in this browser

/** @returns {Set<string>} */
function opened() {
	try {
		return new Set(JSON.parse(localStorage.getItem(OPENED) ?? "[]"));
	} catch {
		return new Set();
	}
}

/** How far somebody is who takes the lessons one after another; nothing before the first. */
function drawTrack() {
	const seen = opened();
	const track = /** @type {HTMLElement} */ (document.getElementById("track"));
	for (const card of cards) {
		const mark = /** @type {HTMLElement} */ (card.querySelector(".opened"));
		mark.hidden = !seen.has(card.dataset.slug ?? "");
	}
	const done = cards.filter((card) => seen.has(card.dataset.slug ?? "")).length;
	const next = cards.find((card) => !seen.has(card.dataset.slug ?? ""));
	track.hidden = !done;
	Object.assign(/** @type {HTMLProgressElement} */ (track.querySelector("progress")), {
		max: cards.length,
		value: done,
	});
	/** @type {HTMLElement} */ (track.querySelector("span")).textContent = (track.dataset.told ?? "")
		.replace("{n}", String(done))
		.replace("{all}", String(cards.length));
	const link = /** @type {HTMLAnchorElement} */ (track.querySelector("a"));
	link.hidden = !next;
	link.href = next?.querySelector("a")?.href ?? "";
	link.dataset.slug = next?.dataset.slug;
	/** @type {HTMLElement} */ (link.querySelector("b")).textContent = next?.querySelector("h3")?.textContent ?? "";
}

document.addEventListener("click", (event) => {
	const link = /** @type {Element} */ (event.target).closest("#track a, #cards a");
	const slug = /** @type {HTMLElement | null | undefined} */ (link?.closest("[data-slug]"))?.dataset.slug;
	if (!slug) return;
	try {
		localStorage.setItem(OPENED, JSON.stringify([...opened().add(slug)]));
	} catch {
		// without storage nothing is remembered
	}
});
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
