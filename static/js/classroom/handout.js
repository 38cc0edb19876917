// @ts-check
/**
 * The page of a handout: reads the runs and draws their steps, and can then be printed. `data-ready` is set when it
 * is complete.
 */

import { h, PHONE, patch } from "../shared/dom.js";
import { loadCatalogue, speakAsIn, t } from "../shared/i18n.js";
import { addPlugins } from "../steps/parts/words.js";
import { ChunkStore } from "../trace/chunk_store.js";
import { Feed } from "../trace/feed.js";
import { sceneDrawer } from "./scene.js";
import { sheetOf } from "./sheet.js";

/** @typedef {import("./sheet.js").Sheet} Sheet */
/** @typedef {import("./sheet.js").Item} Item */
/** @typedef {{run: string, words: string, kubernetes: string}} Part */

const MAX_STEPS = 40_000; // of longer runs, only the first steps are read

const boot = JSON.parse(document.getElementById("boot")?.textContent ?? "{}");
const root = /** @type {HTMLElement} */ (document.getElementById("handout"));
const news = /** @type {HTMLElement} */ (document.getElementById("news"));

/**
 * Loads the whole run, or its beginning; rejects with a message if the run fails or the connection is closed.
 * @param {Part} part
 * @returns {Promise<ChunkStore>}
 */
function readRun({ run }) {
	const store = new ChunkStore();
	const feed = new Feed(new URL(boot.ws, location.href.replace(/^http/, "ws")).href, run, 0);
	/** @type {Promise<ChunkStore>} */
	const whole = new Promise((resolve, reject) => {
		const end = () => resolve(store);
		feed.listen({
			chunk: (/** @type {TraceChunk} */ chunk) => {
				store.put(chunk);
				if (store.steps >= MAX_STEPS) end();
			},
			message: (/** @type {any} */ message) => {
				if (message.type === "error" || message.state === "failed") reject(new Error(message.error ?? message.message));
				if (message.type === "end") end();
			},
			connection: (/** @type {string} */ state) => {
				if (state === "closed" && !store.complete) reject(new Error(t("run.closed")));
			},
		});
		feed.open();
	});
	return whole.finally(() => feed.close());
}

/** The functions that draw each picture again. @type {((paper: boolean) => void)[]} */
const scenes = [];
let printing = false;

/** Draws the pictures that are still empty. @param {Element} within @param {ReturnType<typeof sceneDrawer>} prepare */
async function drawScenes(within, prepare) {
	for (const stage of /** @type {NodeListOf<HTMLElement>} */ (within.querySelectorAll(".shot > .stage:empty"))) {
		const draw = await prepare(stage, { step: Number(stage.dataset.step), frame: Number(stage.dataset.frame) });
		if (!draw) continue;
		scenes.push(draw);
		draw(forPaper());
	}
}

/** Whether to draw for paper, which is wider than a phone's screen. */
const forPaper = () => printing || innerWidth > PHONE;

/** Draws all pictures again, for the paper or the screen. */
function drawAgain() {
	for (const draw of scenes) draw(forPaper());
}

addEventListener("resize", drawAgain);
addEventListener("beforeprint", () => {
	printing = true;
	drawAgain();
});
addEventListener("afterprint", () => {
	printing = false;
	drawAgain();
});

/** The container of a step's picture, which is drawn later. @param {Item} item */
function picture({ step, frame }) {
	return h(
		"div",
		{ class: "player still shot", role: "img", "aria-label": t("handout.picture", { step }) },
		h("div", {
			class: "stage",
			"data-step": step,
			"data-frame": frame,
			"aria-hidden": "true",
			inert: true,
			opaque: true,
		}),
	);
}

/** One printed step: its picture, its sentence, and the question to answer. @param {Item} item @returns {Child} */
function figure(item) {
	const { step, sentence, words, question, options, given, number, plainly } = item;
	return h(
		"figure",
		{ key: `${step}${number ?? ""}` },
		!plainly && picture(item),
		h(
			"figcaption",
			null,
			h("p", { class: "handout-where" }, t("handout.step", { step }), sentence && ` · ${sentence}`),
			words && h("p", { class: "handout-words" }, words),
			question && h("p", { class: "handout-question" }, `${number}. ${question}`),
			given?.length
				? h(
						"ul",
						{ class: "handout-given" },
						given.map((line) => h("li", null, line)),
					)
				: null,
			options &&
				h(
					"ul",
					{ class: "handout-options" },
					options.map((option) => h("li", null, option)),
				),
			options && h("p", { class: "handout-line" }, t("handout.why")),
		),
	);
}

/**
 * The right answers of one part, the items that belong after them, and how the run ends.
 * @param {Sheet} sheet @param {number} i
 */
function answerParts({ answers, later, end, title }, i) {
	const many = boot.parts.length > 1;
	return [
		many && h("h3", { key: `t${i}` }, title),
		h(
			"ol",
			{ key: `a${i}` },
			answers.map((entry) =>
				h("li", { key: entry.number }, `${entry.number}. `, h("b", null, entry.answer), ` ${entry.sentence}`),
			),
		),
		h(
			"ul",
			{ key: `l${i}` },
			later.map((entry) =>
				h(
					"li",
					{ key: entry.step },
					picture(entry),
					h("b", null, `${t("handout.step", { step: entry.step })}. `),
					entry.words || entry.sentence,
				),
			),
			h("li", { key: "end" }, end),
		),
	];
}

/** Loads the runs, and draws their steps for printing. */
async function start() {
	addPlugins(boot.outside?.plugins ?? {});
	await loadCatalogue(boot.captions, boot.outside?.texts);
	const places = [...root.querySelectorAll(".handout-steps")];
	/** @type {Child[]} */
	const parts = [];
	const answersList = /** @type {Element} */ (document.getElementById("told"));
	let questionCount = 0;
	for (const [i, part] of boot.parts.entries()) {
		const [store, lesson] = await Promise.all([readRun(part), part.words ? (await fetch(part.words)).json() : {}]);
		speakAsIn(part.kubernetes);
		const sheetPart = sheetOf(store, lesson);
		const draw = sceneDrawer(boot.api, part.run, store);
		sheetPart.title = root.querySelectorAll(".handout-part :is(h1, h2)")[i]?.textContent ?? "";
		for (const entry of [...sheetPart.items, ...sheetPart.answers]) if (entry.number) entry.number += questionCount;
		questionCount += sheetPart.answers.length;
		patch(places[i], sheetPart.items.map(figure));
		await drawScenes(places[i], draw);
		parts.push(...answerParts(sheetPart, i));
		patch(answersList, parts);
		// pictures need a width to be drawn in
		/** @type {HTMLElement} */ (document.getElementById("answers")).hidden = false;
		await drawScenes(answersList, draw);
	}
	await Promise.all([...root.querySelectorAll("img")].map((image) => image.decode().catch(() => {})));
	news.textContent = "";
	const button = /** @type {HTMLButtonElement} */ (document.getElementById("print"));
	button.disabled = false;
	button.onclick = () => print();
	root.dataset.ready = "";
}

start().catch((error) => {
	news.textContent = error.message;
});
