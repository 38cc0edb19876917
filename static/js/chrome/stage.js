// @ts-check
/** The middle of the page: which picture is on. */

import { h, patch } from "../shared/dom.js";
import { GROUPS } from "../steps/parts/late.js";
import { momentOfStep, PICTURES, STEPS } from "../steps/registry.js";

const NARROW = 700; // there the pods in flight stand under the rail
const ROW = 36; // pixels a binding cycle that runs beside

/** The pictures and their parts that have come. @type {Record<string, any>} */
const here = {};
/**
 * Pictures drawn so far: the others stay, hidden, since to change one costs less than to make it anew.
 * @type {Set<PictureName>}
 */
const shown = new Set();

/** @param {PictureName[]} names */
async function load(names) {
	await Promise.all(names.map(async (name) => (here[name] ??= await PICTURES[name]())));
}

/** Fetch what the next steps will need. */
export function warmPictures() {
	void load(/** @type {PictureName[]} */ (Object.keys(PICTURES)));
}

/**
 * @param {StepName} scene @param {State} state @param {string} hero
 * @returns {PictureName[]} the picture, and what else it draws
 */
function partsOf(scene, state, hero) {
	const parts = [...(STEPS[scene].picture?.(state.nodes.size) ?? [])];
	if (binds(state)) parts.push("strips");
	if (state.feature_gates.SchedulerAsyncPreemption) parts.push("running");
	if (state.pods.get(hero)?.summary.wishes?.some(({ kind }) => kind === "claim")) parts.push("claims");
	return parts;
}

/** Is there a binding cycle to show? @param {State} state */
function binds({ cycle, pods }) {
	if (cycle.PodAssumed || cycle.PodBound || cycle.PodUnreserved) return true;
	for (const { place } of pods.values()) if (place === "binding" || place === "waiting") return true;
	return false;
}

/**
 * Resolves once a scene can be drawn; null when it can be now.
 * @param {StepName} scene @param {State} state @param {string} hero
 */
export function pictureFor(scene, state, hero) {
	const missing = partsOf(scene, state, hero).filter((name) => !here[name]);
	return missing.length ? load(missing) : null;
}

/** Its parts must be here. @param {Element} target @param {View} view */
export function drawStage(target, view) {
	const [name] = partsOf(view.scene, view.state, view.hero);
	shown.add(name);
	const wide = view.width > NARROW;
	const strips = name === "cluster" || name === "gang" || !wide ? [] : (here.strips?.stripsBeside(view) ?? []);
	const ribbon = (name !== "gang" && GROUPS.ribbon?.(view)) || [];
	const beside = [
		...((wide && here.claims?.claimRows(view)) || []),
		...strips,
		...ribbon,
		...(here.running?.rows(view) ?? []),
	];
	const bottom = beside.length ? `${beside.length * ROW + 8}px` : "0";
	patch(target, [
		[...shown].map((one) =>
			h("div", { key: one, class: `scene on-${one}`, hidden: one !== name, opaque: true, style: { bottom } }),
		),
		h("div", { key: "meanwhile", class: "meanwhile" }, beside),
	]);
	const then = view.scene === "score" ? view.state : view.moment(momentOfStep(view.scene));
	here[name].draw(target.querySelector(".scene:not([hidden])"), { ...view, state: then }, here);
}
