// @ts-check
/** The chunks before the linked one: over HTTP, once its step is on the screen. */

import { fetchChunk } from "../feed.js";

/**
 * Fetch the chunks below `before` that are not here, first to last.
 * @param {string} api @param {string} run @param {number} before @param {(seq: number) => boolean} has
 * @param {(chunk: TraceChunk) => unknown} take
 */
export async function backfill(api, run, before, has, take) {
	for (let seq = 0; seq < before; seq += 1) {
		if (has(seq)) continue;
		await take(await fetchChunk(api, run, seq));
	}
}
