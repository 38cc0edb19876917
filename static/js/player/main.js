// @ts-check
/**
 * The player's page: connects feed, store, player and views, starts them, and handles the feed's chunks and messages.
 */

import { captionTexts } from "../chrome/caption.js";
import { press } from "../chrome/keyboard.js";
import { begin as beginLearning } from "../learn/learning.js";
import { loadCatalogue, speakAsIn, t } from "../shared/i18n.js";
import { lettersIn } from "../shared/units.js";
import { addPlugins } from "../steps/parts/words.js";
import { fetchChunkPatiently } from "../trace/feed.js";
import { act, followAddress, zoom } from "./actions.js";
import { draw, loadHeadlineNumbers } from "./drawing.js";
import * as page from "./page.js";
import { beginning, boot, feed, linked, linkedChunk } from "./page.js";
import { playTimer } from "./player.js";

const { chosen, drawWith, firstShown, index, player, redraw, region, root, run, screen, sizes, store, timeline } = page;

/** Measures the regions of the page, and draws again if a size has changed. */
function measure() {
	const { clientWidth: stage, clientHeight: height } = region("stage");
	const now = { page: innerWidth, stage, height, timeline: region("timeline").clientWidth };
	const same = Object.entries(now).every(([name, size]) => sizes[/** @type {keyof typeof sizes} */ (name)] === size);
	Object.assign(sizes, now);
	if (!same) redraw(false);
}

/** Handles keys, and draws again when sizes, the theme or the address change. */
function listenToPage() {
	const state = () => screen.drawn ?? { subject: "", options: chosen.options, order: player.order };
	const goOn = () => {
		if (boot.place?.on && !boot.class)
			/** @type {HTMLElement | null} */ (root.querySelector(".end-card .primary"))?.click();
	};
	const handlers = { open: act.open, zoom, set: act.set, state, goOn };
	document.addEventListener("keydown", (event) => press(event, player, handlers));
	addEventListener("popstate", followAddress);
	const observer = new ResizeObserver(measure);
	for (const name of ["stage", "timeline"]) observer.observe(region(name));
	addEventListener("resize", () => redraw(false));
	document.addEventListener("themechange", () => redraw(false));
}

/** Fetches the lesson's description, captions and questions, if it has any. */
async function loadWords() {
	if (!boot.words) return;
	const answer = await fetch(boot.words);
	if (!answer.ok) throw new Error(`${boot.words}: ${answer.status}`);
	boot.lesson = await answer.json();
}

/** The last view whose caption was counted, its texts, and the letters in them that were new. */
const readable = { view: /** @type {View | null} */ (null), texts: /** @type {string[]} */ ([]), letters: 0 };

/** The number of letters of the caption that the previous frame did not show; null until the current frame is drawn. */
function lettersToRead() {
	const { drawn } = screen;
	if (drawn?.step !== player.step || drawn.frame !== player.frame || drawn.event !== player.event) return null;
	const { view, texts } = readable;
	if (view?.step !== drawn.step || view.frame !== drawn.frame) {
		readable.texts = captionTexts(drawn);
		readable.letters = lettersIn(readable.texts.filter((text) => !texts.includes(text)).join());
	}
	readable.view = drawn;
	return readable.letters;
}

/** Starts handling the feed's chunks and messages. */
function listenToFeed() {
	const begun = takeFirstChunk();
	feed.listen({
		chunk: async (chunk) => {
			await begun;
			await takeChunk(chunk);
		},
		message: handleMessage,
		connection: (connection, code) => {
			run.connection = connection;
			if (code === 4001 || code === 4004) run.message = t(`run.code.${code}`);
			redraw(false);
		},
	});
}

/** Stores a chunk, and draws. The promise resolves when the next chunk may be stored. @param {TraceChunk} chunk */
function takeChunk(chunk) {
	if (!store.has(chunk.seq)) store.put(chunk);
	index.update(store);
	const first = !screen.drawn && player.state;
	if (first) {
		player.seek(player.step, linked.frame);
		void loadHeadlineNumbers();
	} else redraw(false);
	return first && !document.hidden ? firstShown : new Promise((resolve) => setTimeout(resolve));
}

/** Updates the state of the run from a message of the feed. @param {any} message */
function handleMessage(message) {
	if (message.type === "end") {
		run.steps = message.steps;
		run.state = run.state === "failed" || run.state === "cancelled" ? run.state : "done";
		store.complete = true;
	} else if (message.type === "error") run.message = message.message;
	else {
		run.state = message.state ?? run.state;
		run.ahead = message.ahead ?? null;
		run.steps = Math.max(run.steps, message.steps ?? 0);
		run.message = message.error ?? message.message ?? run.message;
		if (message.type === "hello") loadingBefore ??= loadEarlierChunks().finally(() => (loadingBefore = null));
	}
	redraw(false);
}

/**
 * Takes the run's first chunk if the page starts at a later one. If it cannot be loaded, requests all chunks over the
 * websocket.
 */
async function takeFirstChunk() {
	const chunk = await beginning;
	if (chunk) takeChunk(chunk);
	else if (linkedChunk) feed.requestFrom(0);
}

/** While the chunks before the linked one are being loaded. @type {Promise<void> | null} */
let loadingBefore = null;

/**
 * Loads the chunks before the linked one, for the timeline. What could not be loaded is tried again at the next hello.
 */
async function loadEarlierChunks() {
	await firstShown;
	for (let seq = 1; seq < linkedChunk; seq += 1) {
		const chunk = store.has(seq) ? undefined : await fetchChunkPatiently(boot.api, boot.run, seq);
		if (chunk) await takeChunk(chunk);
	}
}

/** Loads the texts, draws the linked step, and then starts what the page also needs: playing, a dialog, a class. */
async function start() {
	for (const button of document.querySelectorAll("[data-open]")) {
		button.addEventListener("click", () => act.open(button.getAttribute("data-open") ?? ""));
	}
	const plays = boot.embed && new URLSearchParams(location.search).has("play");
	document.body.classList.toggle("plays", plays);
	player.step = linked.step ?? 0;
	player.frame = linked.frame;
	player.order = linked.order;
	player.advance = playTimer(lettersToRead);
	listenToFeed();
	addPlugins(boot.outside?.plugins ?? {});
	await Promise.all([loadCatalogue(boot.captions, boot.outside?.texts), loadWords()]);
	speakAsIn(boot.kubernetes);
	beginLearning({ ...page, act, boot });
	drawWith(draw); // nothing is drawn without words
	measure();
	redraw(false);
	listenToPage();
	await firstShown;
	if (plays && !matchMedia("(prefers-reduced-motion: reduce)").matches) player.play(true);
	if (boot.ask && !boot.embed) act.open(`ask:${boot.ask}`);
	if (!boot.embed) (await import("../classroom/speaking.js")).beginSpeaking({ ...page, boot });
	if (boot.class?.role === "teacher") (await import("../classroom/teacher.js")).teach({ ...page, boot });
	else if (boot.class) (await import("../classroom/student.js")).attend({ ...page, boot });
	redraw(false);
}

void start();
// For tests and for the curious: the player of this page.
Object.assign(globalThis, { kschedui: { player, store, index, timeline, feed: () => run } });
