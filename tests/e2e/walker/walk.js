/** Plays a run in the page, frame by frame, and reports the problems of each. */

import { shares } from "./blocks.js";
import { coloured } from "./colours.js";
import { figures } from "./figures.js";
import { english, everyText } from "./language.js";
import { forget, seen, texts } from "./seen.js";
import { nameless, outside, unreadable } from "./text.js";
import * as truth from "./truth.js";

const { boot } = await import("/static/js/player/page.js");

const MAX_OF_A_KIND = 12; // of a run at one size; the others are not told
const PATIENCE_MS = 60_000;
const REGIONS = ["#subject", "#caption", "#next", "#rail", "#queue", "#stage", "#margin", "#transport", "#timeline", "#clock"];
const DRAWN = ["#subject", "#stage", "#queue"]; // where cards and blocks are
const root = document.getElementById("player");
const linkOf = (step, frame) => `#${step}${frame ? `.${frame}` : ""}`;
const turn = () => new Promise((resolve) => setTimeout(resolve));

async function until(condition) {
	for (const end = performance.now() + PATIENCE_MS; !condition(); ) {
		if (performance.now() > end) return false;
		await turn();
	}
	return true;
}

/** Resolves with true when the player reports that the step is drawn completely, or with false after PATIENCE_MS. */
function awaited(link) {
	return new Promise((resolve) => {
		const watcher = new MutationObserver(() => look());
		const late = setTimeout(() => done(false), PATIENCE_MS);
		const done = (/** @type {boolean} */ there) => {
			watcher.disconnect();
			clearTimeout(late);
			resolve(there);
		};
		const look = () => root.dataset.ready === link && done(true);
		watcher.observe(root, { attributeFilter: ["data-ready"] });
		look();
	});
}

/** The elements that the page measures: it draws again when their size changes. */
const MEASURED = ["#stage", "#timeline", ".cells-field"];
let measured = "";

function measures() {
	return MEASURED.map((selector) => document.querySelector(selector)).map((one) => `${one?.clientWidth} ${one?.clientHeight}`).join();
}

/** Returns whether the step is drawn completely, for the current sizes of the page. @param {string} link */
async function drawn(link) {
	globalThis.drawNow?.();
	if (root.dataset.ready !== link && !(await awaited(link))) return false;
	for (let tries = 0; measures() !== measured && tries < 9; tries += 1) {
		measured = measures();
		await new Promise((resolve) => new ResizeObserver(resolve).observe(root)); // told after the page's own
		globalThis.drawNow?.();
		if (!(await awaited(link))) return false;
	}
	return true;
}

/**
 * The elements as text, with their positions: a picture that was read before is not read again.
 * @param {string[]} selectors
 * @param {string[]} more
 */
function picture(selectors, ...more) {
	const each = selectors.map((selector) => {
		const region = document.querySelector(selector);
		const { x, y, width, height } = region?.getBoundingClientRect() ?? new DOMRect();
		return `${x} ${y} ${width} ${height} ${region?.className} ${region?.innerHTML}`;
	});
	return [root.className, root.dataset.scene, innerWidth, innerHeight, ...each, ...more].join("\n");
}

/** The regions and cards as they were last read, and the sentences whose figures were compared. */
const last = new Map();
const compared = new Set();

/** @param {string} name @param {string} now @returns {boolean} */
function changed(name, now) {
	if (last.get(name) === now) return false;
	last.set(name, now);
	return true;
}

/** Yields every problem of the step on screen. */
function* wrong(view, memory, themes) {
	forget();
	const all = [];
	for (const selector of REGIONS) {
		const region = document.querySelector(selector);
		if (!region || !seen(region) || !changed(selector, picture([selector]))) continue;
		const found = [...texts(region)];
		yield* unreadable(selector, found);
		yield* english(selector === "#margin" ? [...everyText(region)] : found, view);
		all.push(...found);
	}
	yield* coloured(all, themes);
	if (changed("cards", picture(DRAWN, JSON.stringify(view.subject), view.step))) {
		yield* nameless();
		yield* outside();
		yield* shares(view);
	}
	const told = `${linkOf(view.step, view.frame)} ${document.querySelector("#caption")?.textContent}`;
	if (!compared.has(told)) yield* figures(view);
	compared.add(told);
	for (const check of Object.values(truth)) yield* check(view, memory);
}

/**
 * The places to stop at: every frame; or the first few of each kind of event and act, and all with a teacher's
 * note.
 */
function places({ every, most }) {
	const { player, store } = kschedui;
	const told = new Map();
	const out = [];
	let attempt = 0;
	const noted = (event) => (boot.lesson?.captions ?? []).some((one) => one.event === event.type && one.attempt === attempt);
	for (let step = 0; step < store.steps; step += 1) {
		const event = store.event(step);
		if (event.type === "CycleStarted") attempt = event.attempt;
		for (let frame = 0; frame < player.frames(step); frame += 1) {
			const kind = `${event.type} ${event.queue ?? event.outcome ?? event.kind ?? ""} ${Math.min(frame, 4)}`;
			told.set(kind, (told.get(kind) ?? 0) + 1);
			if (every || told.get(kind) <= most || (noted(event) && frame === player.frames(step) - 1)) out.push([step, frame]);
		}
	}
	return out;
}

/** Reports a headline that changes after it was drawn. @param {string} before */
async function* settled(before) {
	await until(() => !globalThis.asking);
	await turn();
	await until(() => root.dataset.ready);
	const after = document.querySelector("#caption h1").textContent;
	if (after !== before) yield ["headline", `"${before}" became "${after}"`];
}

/** The problems found, one line each; a problem that repeats at the next frames is listed once. */
class Notes {
	lines = [];
	told = new Map();

	/** @param {string} link @param {string} kind @param {string} text */
	take(link, kind, text) {
		const key = `${kind} ${text.replace(/\d+/g, "#")}`;
		const before = this.told.get(kind) ?? new Set();
		this.told.set(kind, before);
		if (!before.has(key) && before.size < MAX_OF_A_KIND) this.lines.push(`${link} ${kind}: ${text}`);
		before.add(key);
	}
}

/**
 * Opens or closes the timeline, which makes the stage smaller; a narrow page has no switch for it.
 * @param {boolean} wanted
 */
async function openLanes(wanted) {
	const button = document.querySelector(".lanes-switch");
	forget();
	if (!button || !seen(button)) return false;
	button.click();
	await until(() => button.getAttribute("aria-pressed") === String(wanted));
	await new Promise((resolve) => new ResizeObserver(resolve).observe(root)); // the page has measured itself before
	return true;
}

/** Calls `walked` while the page is as narrow as it is beside "What if". @param {() => Promise<void>} walked */
async function besidePanel(walked) {
	document.body.classList.add("asking");
	dispatchEvent(new Event("resize"));
	await new Promise((resolve) => new ResizeObserver(resolve).observe(root));
	await walked();
	document.body.classList.remove("asking");
	dispatchEvent(new Event("resize"));
}

/**
 * @param {{every: boolean, most: number, settle: boolean, lanes: boolean, themes: string[]}} how
 * @returns {Promise<{frames: number, lines: string[]}>} one line for each thing that is wrong
 */
export async function walk(how) {
	if (!(await until(() => kschedui.store.complete && root.dataset.ready))) return { frames: 0, lines: ["never ready"] };
	const notes = new Notes();
	const stops = places(how);
	await look(stops, how, notes);
	if (!how.lanes || !(await openLanes(true))) return { frames: stops.length, lines: notes.lines };
	const few = places({ every: false, most: 1 });
	await look(few, { ...how, settle: false }, notes, "lanes open, ");
	await openLanes(false);
	return { frames: 2 * stops.length + few.length, lines: [...notes.lines, ...(await walkBeside(how)).lines] };
}

/**
 * Walks through a run beside "What if" only.
 * @param {{every: boolean, most: number, settle: boolean, themes: string[]}} how
 * @returns {Promise<{frames: number, lines: string[]}>} one line for each thing that is wrong
 */
export async function walkBeside(how) {
	if (!(await until(() => kschedui.store.complete && root.dataset.ready))) return { frames: 0, lines: ["never ready"] };
	const notes = new Notes();
	const stops = places(how);
	await besidePanel(async () => look(stops, { ...how, settle: false }, notes, "beside a panel, "));
	return { frames: stops.length, lines: notes.lines };
}

/** @param {number} step @param {number} frame */
function viewAt(step, frame) {
	const { event, state } = kschedui.player;
	const subject = document.querySelector("#subject .subject")?.getAttribute("title") ?? "";
	return { event, state, step, frame, last: frame === kschedui.player.frames(step) - 1, subject };
}

/**
 * Returns the problems of the current screen, without a cache: for the tests of the rules.
 * @param {any} memory of the frames before
 */
export function wrongNow(memory) {
	last.clear();
	compared.clear();
	const { step, frame } = kschedui.player;
	return [...wrong(viewAt(step, frame), memory, ["light", "dark"])].map(([kind, text]) => `${kind}: ${text}`);
}

/** @param {number[][]} stops @param {{settle: boolean, themes: string[]}} how @param {Notes} notes @param {string} [where] */
async function look(stops, how, notes, where = "") {
	const { player } = kschedui;
	const memory = {};
	const note = (step, frame, kind, text) => notes.take(`${where}${linkOf(step, frame)}`, kind, text);
	for (const [step, frame] of stops) {
		player.seek(step, frame);
		if (!(await drawn(linkOf(step, frame)))) {
			note(step, frame, "late", "never ready");
			continue;
		}
		const view = viewAt(step, frame);
		const headline = document.querySelector("#caption h1").textContent;
		for (const [kind, text] of wrong(view, memory, how.themes)) note(step, frame, kind, text);
		if (how.settle && view.event.type === "NodesFiltered")
			for await (const [kind, text] of settled(headline)) note(step, frame, kind, text);
	}
}
