// @ts-check
/** Where a number comes from: the rule in words, the arithmetic with this pod's values, the API's text, the source. */

import { EXPLAINS, momentOfStep, STEPS } from "./registry.js";

/**
 * They come with the first step or click that asks.
 * @type {Partial<Record<StepName, Explanation>>}
 */
const here = {};

/** @param {StepName} name */
async function load(name) {
	here[name] = await STEPS[name].explanation?.();
}

/** Fetch what later questions will need. */
export function warmExplanations() {
	for (const name of new Set(EXPLAINS.values())) if (!here[name]) void load(name);
}

/**
 * Resolves once the margin can be drawn; null when it can be now.
 * @param {Asked} place @returns {Promise<unknown> | null}
 */
export function explanationFor(place) {
	const { scene, state, hero } = place;
	const first = scene !== "cluster" && STEPS[scene].explanation && !here[scene];
	if (first) return load(scene).then(() => explanationFor(place));
	const name = explainerOf(askedAt(place) ?? unasked(state, hero));
	return here[name] ? null : load(name);
}

/** What is explained when nobody points at anything and no number decides. @param {State} state @param {string} hero */
export function unasked({ pods }, hero) {
	const pod = pods.get(hero);
	if (pod?.node) return `room:${pod.node}:cpu`;
	return pod ? `request:${hero}` : "run";
}

/** Who explains what is referred to: "score:node-1:ImageLocality". @param {string | null} ref */
function explainerOf(ref) {
	return EXPLAINS.get(ref?.split(":")[0] ?? "") ?? "prefilter"; // says what a pod asks for
}

/** Is everything here that the panel needs? @param {string | null} ref */
export function canExplain(ref) {
	return explainerOf(ref) in here;
}

/** What a step explains unasked: the number that decides in the frame on screen. @param {Asked} place */
export function askedAt(place) {
	return here[place.scene]?.asked?.(place);
}

/** @param {View} view @param {string} ref @returns {Child} */
export function explainRef(view, ref) {
	const [kind, first = "", ...rest] = ref.split(":");
	const second = rest.join(":"); // an extender's name is an address
	const name = explainerOf(ref);
	const explain = here[name]?.explain;
	if (explain) return explain({ ...view, state: view.moment(momentOfStep(name)) }, kind, first, second);
	void load(name).then(() => view.act.set({}));
	return null;
}
