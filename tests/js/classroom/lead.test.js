// What the teacher's page sends to the class: not more often than every SPACING, and all of it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Lead } from "../../../static/js/classroom/lead.js";

test("the last step is sent when the page is left, without the pause after the message before it", () => {
	const said = [];
	const player = { step: 2, frame: 0, order: "plugin" };
	const predictions = { open: null, shownAt: () => null, turn: () => {} };
	const page = { player, store: {}, chosen: { selection: null }, predictions, redraw: () => {} };
	const lead = new Lead(page, (message) => said.push(message.step));
	lead.board = { ended: false };
	lead.sendState();
	player.step = 3;
	lead.sendState();
	assert.deepEqual(said, [2]);
	lead.sendBeforeLeaving();
	assert.deepEqual(said, [2, 3]);
	lead.sendBeforeLeaving();
	assert.deepEqual(said, [2, 3], "nothing has changed");
	clearTimeout(lead.due);
});
