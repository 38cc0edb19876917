// @ts-nocheck
// The time of pods: an error is shown, and does not stay when the server answers again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { useCatalogue } from "../../../static/js/shared/i18n.js";
import { timesOf } from "../../../static/js/steps/parts/times.js";

useCatalogue({ language: "en", unreachable: "The site is not responding." });
const pod = { pod: "default/web", begin: 0, end: 3, parts: [] };
const view = (run) => ({ boot: { api: "/api" }, run: { id: run }, store: { complete: true }, act: { set() {} } });
const settled = () => new Promise((resolve) => setImmediate(resolve));

for (const [name, fails] of [
	["an error", () => Response.json({ detail: "Internal error" }, { status: 500 })],
	["a lost connection", () => Promise.reject(new TypeError("Failed to fetch"))],
]) {
	test(`the times are requested again after ${name}`, async (t) => {
		t.mock.timers.enable({ apis: ["setTimeout"] });
		const answers = [fails, () => Response.json([pod])];
		t.mock.method(globalThis, "fetch", async () => answers.shift()());
		const words = () => JSON.stringify(timesOf(view(name), ["default/web"]));
		words();
		await settled();
		assert.match(words(), /Internal error|not responding/);
		t.mock.timers.tick(10_000);
		words();
		await settled();
		assert.match(words(), /time\.end/);
		assert.equal(answers.length, 0);
	});
}
