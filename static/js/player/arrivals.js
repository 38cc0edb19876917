// @ts-check
/** Messages of the feed: chunks into the store, news of the run; then the chunks before the linked one. */

import { t } from "../shared/i18n.js";
import { backfill, chunkOf } from "../trace/feed.js";
import { loadHeadline } from "./drawing.js";
import {
	beginning,
	boot,
	feed,
	firstShown,
	index,
	linked,
	linkedChunk,
	player,
	redraw,
	run,
	screen,
	store,
} from "./page.js";

/** Take what comes from here on. */
export function listenToFeed() {
	feed.listen({
		chunk: takeChunk,
		message: hear,
		connection: (connection, code) => {
			run.connection = connection;
			if (code === 4001 || code === 4004) run.message = t(`run.code.${code}`);
			redraw(false);
		},
	});
}

/** @param {TraceChunk} chunk @returns {Promise<unknown>} when the next one may come */
function takeChunk(chunk) {
	if (!store.has(chunk.seq)) store.put(chunk);
	index.update(store);
	const first = !screen.drawn && store.event(player.step);
	if (first) {
		player.seek(player.step, linked.frame);
		void loadHeadline();
	} else redraw(false);
	return first && !document.hidden ? firstShown : new Promise((resolve) => setTimeout(resolve));
}

/** @param {any} message */
function hear(message) {
	if (message.type === "end") {
		run.steps = message.steps;
		run.state = run.state === "failed" || run.state === "cancelled" ? run.state : "done";
		store.complete = true;
		if (!store.chunkFor(player.step)) void pastTheEnd(message);
	} else if (message.type === "error") run.message = message.message;
	else {
		run.state = message.state ?? run.state;
		run.ahead = message.ahead ?? null;
		run.steps = Math.max(run.steps, message.steps ?? 0);
		run.message = message.error ?? message.message ?? run.message;
		// A link into the middle: its chunk comes first, over the socket; those before it now, for the timeline.
		if (message.type === "hello" && linkedChunk && !store.has(0)) void begin(message.next);
		if (message.type === "hello") void firstShown.then(() => fill(Math.min(message.next, chunkOf(player.step))));
	}
	redraw(false);
}

/**
 * Loads the start of the run, for a link into its middle. Where that chunk is not there yet, all come over the socket.
 * @param {number} next
 */
async function begin(next) {
	const chunk = await beginning;
	if (chunk) takeChunk(chunk);
	if (!chunk || next <= linkedChunk) feed.from(0);
}

/** The link named a step that the run does not have: show its last one. @param {{chunks: number, steps: number}} end */
async function pastTheEnd(end) {
	player.step = Math.min(player.step, Math.max(0, end.steps - 1));
	await fill(end.chunks);
	player.seek(player.step, linked.frame);
}

/** @param {number} before */
function fill(before) {
	return backfill(boot.api, boot.run, before, (seq) => store.has(seq), takeChunk);
}
