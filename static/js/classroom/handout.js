// @ts-check
/** A handout's page: reads the runs, then prints as soon as somebody asks. `data-ready`: all of it is there. */

import { h, patch } from "../shared/dom.js";
import { loadCatalogue, t } from "../shared/i18n.js";
import { loadCaptions } from "../steps/captions.js";
import { ChunkStore } from "../trace/chunk_store.js";
import { Feed } from "../trace/feed.js";
import { sheetOf } from "./sheet.js";

/** @typedef {import("./sheet.js").Sheet} Sheet */
/** @typedef {import("./sheet.js").Item} Item */
/** @typedef {{run: string, words: string, picture: string}} Part */

const MOST_STEPS = 40_000; // of a longer run the beginning

const boot = JSON.parse(document.getElementById("boot")?.textContent ?? "{}");
const root = /** @type {HTMLElement} */ (document.getElementById("handout"));
const news = /** @type {HTMLElement} */ (document.getElementById("news"));

/**
 * The whole run, or its beginning; raises the sentence of one that fails.
 * @param {Part} part
 * @returns {Promise<ChunkStore>}
 */
function read({ run }) {
	const store = new ChunkStore();
	const feed = new Feed(new URL(boot.ws, location.href.replace(/^http/, "ws")).href, run, 0);
	return new Promise((resolve, reject) => {
		const end = () => {
			feed.close();
			resolve(store);
		};
		feed.listen({
			chunk: (/** @type {TraceChunk} */ chunk) => {
				store.put(chunk);
				if (store.steps >= MOST_STEPS) end();
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
}

/** @param {Part} part @returns {Promise<Sheet>} */
async function sheet(part) {
	const [store, lesson] = await Promise.all([read(part), part.words ? (await fetch(part.words)).json() : {}]);
	return sheetOf(store, lesson);
}

/** @param {Part} part @param {number} step */
function picture({ picture }, step) {
	const address = new URL(picture, location.href);
	address.searchParams.set("step", String(step));
	address.searchParams.set("bare", "1");
	return h("img", { src: address.href, alt: t("handout.picture", { step }) });
}

/** @param {Part} part @returns {(item: Item) => Child} */
function figure(part) {
	return ({ step, sentence, words, question, options, number, plainly }) =>
		h(
			"figure",
			{ key: `${step}${number ?? ""}` },
			!plainly && picture(part, step),
			h(
				"figcaption",
				null,
				h("p", { class: "handout-where" }, t("handout.step", { step }), sentence && ` · ${sentence}`),
				words && h("p", { class: "handout-words" }, words),
				question && h("p", { class: "handout-question" }, `${number}. ${question}`),
				options &&
					h(
						"ul",
						{ class: "handout-options" },
						options.map((one) => h("li", null, one)),
					),
				options && h("p", { class: "handout-line" }, t("handout.why")),
			),
		);
}

/** @param {Part} part @param {Sheet} made @param {number} i */
function answers(part, { answers, later, end, title }, i) {
	const many = boot.parts.length > 1;
	return [
		many && h("h3", { key: `t${i}` }, title),
		h(
			"ol",
			{ key: `a${i}` },
			answers.map((one) =>
				h("li", { key: one.number }, `${one.number}. `, h("b", null, one.answer), ` ${one.sentence}`),
			),
		),
		h(
			"ul",
			{ key: `l${i}` },
			later.map((one) =>
				h(
					"li",
					{ key: one.step },
					picture(part, one.step),
					h("b", null, `${t("handout.step", { step: one.step })}. `),
					one.words || one.sentence,
				),
			),
			h("li", { key: "end" }, end),
		),
	];
}

async function start() {
	await Promise.all([loadCatalogue(boot.captions), loadCaptions()]);
	const places = [...root.querySelectorAll(".handout-steps")];
	/** @type {Child[]} */
	const told = [];
	let asked = 0;
	for (const [i, part] of boot.parts.entries()) {
		const made = await sheet(part);
		made.title = root.querySelectorAll(".handout-part :is(h1, h2)")[i]?.textContent ?? "";
		for (const one of [...made.items, ...made.answers]) if (one.number) one.number += asked;
		asked += made.answers.length;
		patch(places[i], made.items.map(figure(part)));
		told.push(...answers(part, made, i));
	}
	patch(/** @type {Element} */ (document.getElementById("told")), told);
	/** @type {HTMLElement} */ (document.getElementById("answers")).hidden = false;
	await Promise.all([...root.querySelectorAll("img")].map((one) => one.decode().catch(() => {})));
	news.textContent = "";
	const button = /** @type {HTMLButtonElement} */ (document.getElementById("print"));
	button.disabled = false;
	button.onclick = () => print();
	root.dataset.ready = "";
}

start().catch((error) => {
	news.textContent = error.message;
});
