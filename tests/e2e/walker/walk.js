/** Plays a run in the page, frame by frame, and says what is wrong with each. */

import { shares } from "./blocks.js";
import { figures } from "./figures.js";
import { nameless, outside, unreadable } from "./text.js";
import * as truth from "./truth.js";

const MOST_OF_A_KIND = 4; // of a run; the others are counted
const turn = () => new Promise((resolve) => setTimeout(resolve));

async function until(condition) {
	for (const end = performance.now() + 20_000; !condition(); ) {
		if (performance.now() > end) return false;
		await turn();
	}
	return true;
}

const root = document.getElementById("player");
const linkOf = (step, frame) => `#${step}${frame ? `.${frame}` : ""}`;

/** Everything wrong at the step on screen. */
function* wrong(view, memory) {
	yield* unreadable();
	yield* nameless();
	yield* outside();
	yield* shares(view.state);
	yield* figures(view);
	for (const check of Object.values(truth)) yield* check(view, memory);
}

/** The places to stop at: every frame, or of each kind of event and act only the first few. */
function places({ every, most }) {
	const { player, store } = kschedui;
	const told = new Map();
	const out = [];
	for (let step = 0; step < store.steps; step += 1) {
		const event = store.event(step);
		for (let frame = 0; frame < player.frames(step); frame += 1) {
			const kind = `${event.type} ${event.queue ?? event.outcome ?? event.kind ?? ""} ${Math.min(frame, 4)}`;
			told.set(kind, (told.get(kind) ?? 0) + 1);
			if (every || told.get(kind) <= most) out.push([step, frame]);
		}
	}
	return out;
}

/** @param {{every: boolean, most: number, settle: boolean}} how @returns {Promise<string[]>} one line each */
export async function walk(how) {
	const { player, store } = kschedui;
	if (!(await until(() => store.complete && root.dataset.ready))) return ["never ready"];
	const memory = {};
	const counts = new Map();
	const lines = [];
	const note = (step, frame, kind, text) => {
		const key = `${kind} ${text.replace(/\d+/g, "#")}`;
		counts.set(key, (counts.get(key) ?? 0) + 1);
		const ofKind = lines.filter((line) => line.includes(` ${kind}: `)).length;
		if (counts.get(key) === 1 && ofKind < MOST_OF_A_KIND * 3) lines.push(`${linkOf(step, frame)} ${kind}: ${text}`);
	};
	for (const [step, frame] of places(how)) {
		player.seek(step, frame);
		if (!(await until(() => root.dataset.ready === linkOf(step, frame)))) {
			note(step, frame, "late", "never ready");
			continue;
		}
		const before = document.querySelector("#caption h1").textContent;
		const event = player.event;
		const view = { event, state: player.state, step, frame, last: frame === player.frames(step) - 1, hero: document.querySelector("#hero .hero")?.getAttribute("title") ?? "" };
		for (const [kind, text] of wrong(view, memory)) note(step, frame, kind, text);
		if (how.settle && event.type === "NodesFiltered") {
			await until(() => !globalThis.asking);
			await turn();
			await until(() => root.dataset.ready);
			const after = document.querySelector("#caption h1").textContent;
			if (after !== before) note(step, frame, "headline", `"${before}" became "${after}"`);
		}
	}
	return lines;
}
