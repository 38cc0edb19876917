// @ts-nocheck
// The time at which a pod is tried again if no event moves it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { triedAnyway } from "../../../static/js/chrome/waiting.js";

test("a pod that no event wakes is tried at the next look after its time: a minute up to 1.18, then five", () => {
	for (const release of ["1.15", "1.16", "1.18"])
		assert.deepEqual(triedAnyway(release, 0), { after: 60, at: 90 }, release);
	assert.deepEqual(triedAnyway("1.18", 29), { after: 60, at: 90 });
	for (const release of ["1.25", "1.36"]) assert.deepEqual(triedAnyway(release, 1), { after: 300, at: 330 }, release);
});
