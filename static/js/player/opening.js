// @ts-check
/** The page's first module: it goes on with what early.js began, while the others are still loading. */

import { linkedPlace } from "../shared/link.js";
import { chunkOf, Feed } from "../trace/feed.js";

export const boot = JSON.parse(document.getElementById("boot")?.textContent ?? "{}");
export const linked = linkedPlace(location);
export const feed = new Feed(
	new URL(boot.ws, location.href.replace(/^http/, "ws")).href,
	boot.run,
	chunkOf(linked.step ?? 0),
);
feed.open(/** @type {any} */ (globalThis).kscheduiEarly);
