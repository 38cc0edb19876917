// @ts-nocheck
// Labels in the field of cells are at their place, or below another label there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { freeTop } from "../../../static/js/steps/many/cell_field.js";

test("a label is written below those that it would stand over, and beside others where it belongs", () => {
	const winner = { left: 10, right: 80, top: 2 };
	const start = { left: 0, right: 120, top: 0 };
	assert.equal(freeTop([], start, 20), 0);
	assert.equal(freeTop([winner], start, 20), 22);
	assert.equal(freeTop([{ ...winner, top: 22 }, winner], start, 20), 42, "below both");
	assert.equal(freeTop([{ ...winner, left: 200, right: 260 }], start, 20), 0);
	assert.equal(freeTop([{ ...winner, top: 60 }], start, 20), 0);
});
