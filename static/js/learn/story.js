// @ts-check
/** The short way through a run: frames that say nothing new are passed by. A link to one still opens it. */

import { scores } from "../steps/score/model.js";

/** On: they are left out. */
export const story = { on: false };

/**
 * Is a frame passed by on the way?
 * @param {ChunkStore} store
 * @param {number} step
 * @param {number} frame
 */
export function leftOut(store, step, frame) {
	const event = store.event(step);
	if (!story.on || !event) return false;
	switch (event.type) {
		case "AttemptFinished":
			return true;
		case "PodReserved":
		case "PodPreBound":
			return event.results.every(({ code = "Success" }) => code === "Success" || code === "Skip");
		case "PodEnqueued":
			return isRepeated(event, store.event(step + 1));
		case "ScoresComputed":
			return equalFor(store, step, frame);
		default:
			return false;
	}
}

/** More pods of the same event go to the same queue: the last one is told. @param {any} event @param {any} next */
function isRepeated(event, next) {
	return next?.type === "PodEnqueued" && next.event === event.event && next.queue === event.queue;
}

/** All nodes get the same from the plugin. @param {ChunkStore} store @param {number} step @param {number} frame */
function equalFor(store, step, frame) {
	const state = store.stateBefore(step + 1);
	const points = (state && scores(state)?.plugins[frame]?.weighted) ?? [];
	return points.length > 1 && points.every((one) => one === points[0]);
}

/** The next event that is not passed by. @param {ChunkStore} store @param {number} step */
export function nextTold(store, step) {
	let at = step + 1;
	while (leftOut(store, at, 0) && store.event(at + 1)) at += 1;
	return store.event(at);
}
