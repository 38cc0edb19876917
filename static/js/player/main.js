// @ts-check
/** The page: boot data in, feed to store to player to views. Here it is put together and started. */

import { loadCatalogue } from "../shared/i18n.js";
import { act, zoom } from "./actions.js";
import { followAddress } from "./address.js";
import { listenToFeed } from "./arrivals.js";
import { draw } from "./drawing.js";
import { boot, linked } from "./opening.js";
import * as page from "./page.js";

const { chosen, drawWith, firstShown, index, player, redraw, region, run, screen, sizes, store, timeline } = page;

function measure() {
	const { clientWidth: stage, clientHeight: height } = region("stage");
	const now = { page: innerWidth, stage, height, timeline: region("timeline").clientWidth };
	const same = Object.entries(now).every(([name, size]) => sizes[/** @type {keyof typeof sizes} */ (name)] === size);
	Object.assign(sizes, now);
	if (!same) redraw(false);
}

/** What the keys do comes once a step is on the screen; a key pressed before waits for it. */
function listenToKeys() {
	const state = () => screen.drawn ?? { hero: "", options: chosen.options, order: player.order };
	const hands = { open: act.open, zoom, set: act.set, state };
	/** @type {typeof import("../chrome/keyboard.js") | null} */
	let keyboard = null;
	const coming = firstShown.then(async () => (keyboard = await import("../chrome/keyboard.js")));
	document.addEventListener("keydown", (event) => {
		if (keyboard) keyboard.press(event, player, hands);
		else void coming.then(({ press }) => press(event, player, hands));
	});
}

function listenToPage() {
	listenToKeys();
	addEventListener("popstate", followAddress);
	const observer = new ResizeObserver(measure);
	for (const name of ["stage", "timeline"]) observer.observe(region(name));
	addEventListener("resize", () => redraw(false));
	document.addEventListener("themechange", () => redraw(false));
}

/** The teacher's words. Who predicts is asked before anything is shown that would tell. */
async function teach() {
	if (boot.predict) page.lens.coming = import("./warm.js").then(({ learn }) => learn());
	if (boot.words) boot.lesson = await (await fetch(boot.words)).json();
}

async function start() {
	for (const button of document.querySelectorAll("[data-open]")) {
		button.addEventListener("click", () => act.open(button.getAttribute("data-open") ?? ""));
	}
	const texts = [loadCatalogue(boot.captions), teach()];
	player.step = linked.step ?? 0;
	player.order = linked.order;
	listenToFeed();
	await Promise.all(texts);
	drawWith(draw); // nothing is drawn without words
	measure();
	redraw(false);
	listenToPage();
}

void start();
void firstShown.then(async () => (await import("./warm.js")).warm());
// For tests and for the curious: the player of this page.
Object.assign(globalThis, { kschedui: { player, store, index, timeline, feed: () => run } });
