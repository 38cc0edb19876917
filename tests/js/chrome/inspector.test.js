// @ts-nocheck
// The manifest of an object: an error is shown in its place, and does not stay when the server answers again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeInspector } from "../../../static/js/chrome/inspector.js";
import { useCatalogue } from "../../../static/js/shared/i18n.js";

useCatalogue({ language: "en", unreachable: "The site is not responding." });
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a manifest that could not be loaded is requested again a moment later", async (t) => {
	t.mock.timers.enable({ apis: ["setTimeout"] });
	const answers = [
		async () => {
			throw new TypeError("Failed to fetch");
		},
		async () => Response.json({ detail: "Internal error" }, { status: 500 }),
		async () => Response.json({ yaml: "kind: Node" }),
	];
	t.mock.method(globalThis, "fetch", () => answers.shift()());
	const view = {
		boot: { api: "/api", embed: true },
		run: { id: "run" },
		state: { cycle: {}, pods: new Map(), nodes: new Map([["n1", { pods: [], summary: { allocatable: {} } }]]) },
		store: { walk: () => [] },
		act: { set() {} },
	};
	const shown = () => JSON.stringify(nodeInspector(view, "n1"));
	for (const words of [/# The site is not responding\./, /# Internal error/, /kind: Node/]) {
		shown();
		await settled();
		assert.match(shown(), words);
		t.mock.timers.tick(10_000);
	}
});
