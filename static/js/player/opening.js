// @ts-check
/** The page's first module: it goes on with what early.js began, while the others are still loading. */

import { linkedPlace } from "../shared/link.js";
import { chunkOf, Feed, fetchChunk, openFrame } from "../trace/feed.js";

export const boot = JSON.parse(document.getElementById("boot")?.textContent ?? "{}");
export const linked = linkedPlace(location);
export const linkedChunk = chunkOf(linked.step ?? 0);
export const feed = new Feed(new URL(boot.ws, location.href.replace(/^http/, "ws")).href, boot.run, linkedChunk);
/** The run's first chunk, if the page brought it, as a websocket sends it. */
const first = boot.chunk ? Uint8Array.from(atob(boot.chunk), (letter) => letter.charCodeAt(0)).buffer : null;
/**
 * A chunk from the middle is read with the run's first one; null if that is not to be had.
 * @type {Promise<TraceChunk | null>}
 */
export const beginning = linkedChunk
	? (first ? openFrame(first) : fetchChunk(boot.api, boot.run, 0)).catch(() => null)
	: Promise.resolve(null);
if (first && !linkedChunk) feed.take(first);
feed.open(/** @type {any} */ (globalThis).kscheduiEarly);
