// @ts-check
/** Messages of the feed: chunks into the store, news of the run; then the chunks before the linked one. */

import { t } from "../shared/i18n.js";
import { fetchChunk } from "../trace/feed.js";
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
	const begun = begin();
	feed.listen({
		chunk: async (chunk) => {
			await begun;
			await takeChunk(chunk);
		},
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
	const first = !screen.drawn && player.state;
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
	} else if (message.type === "error") run.message = message.message;
	else {
		run.state = message.state ?? run.state;
		run.ahead = message.ahead ?? null;
		run.steps = Math.max(run.steps, message.steps ?? 0);
		run.message = message.error ?? message.message ?? run.message;
		if (message.type === "hello") void firstShown.then(loadBefore);
	}
	redraw(false);
}

/** Take the run's first chunk, which the linked step needs too. If it is not to be had, all come over the socket. */
async function begin() {
	const chunk = await beginning;
	if (chunk) takeChunk(chunk);
	else if (linkedChunk) feed.from(0);
}

/** Load the chunks before the linked one, for the timeline. */
async function loadBefore() {
	for (let seq = 1; seq < linkedChunk; seq += 1)
		if (!store.has(seq)) await takeChunk(await fetchChunk(boot.api, boot.run, seq));
}
