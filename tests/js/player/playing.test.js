// @ts-nocheck
// While playing, the player stays at each stop for the time that reading it takes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { playTimer } from "../../../static/js/player/player.js";
import { lettersIn } from "../../../static/js/shared/units.js";

/** The milliseconds for which a stop with this number of letters is shown, in steps of ten. */
function stayOf(letters, speed = 1, drawnAfter = 0) {
	let moved = 0;
	const player = { speed, due: 0, breakpoints: [], store: { complete: false }, forward: () => ++moved };
	let now = 1000;
	const advance = playTimer(() => (now < 1000 + drawnAfter ? null : letters));
	for (; !moved && now < 100_000; now += 10) advance(player, now);
	return now - 1000 - drawnAfter;
}

test("twenty to twenty-five letters a second are read, when the motion is over", () => {
	for (const letters of [0, 40, 250]) {
		const reading = stayOf(letters) - stayOf(0);
		assert.ok(reading >= (1000 * letters) / 25 - 20 && reading <= (1000 * letters) / 20 + 20, `${letters}: ${reading}`);
	}
	assert.ok(stayOf(0) >= 900);
});

test("a higher speed is so many times as fast, and the time begins when the stop is drawn", () => {
	assert.ok(Math.abs(stayOf(200, 4) - stayOf(200) / 4) <= 20);
	assert.ok(Math.abs(stayOf(200, 1, 3000) - stayOf(200)) <= 20);
});

test("a Chinese character takes the time of four letters", () => {
	assert.equal(lettersIn("web 放不下"), 4 + 3 * 4);
});
