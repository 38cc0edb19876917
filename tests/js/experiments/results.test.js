// @ts-nocheck
// The page of an experiment: what it says about the results when all are there.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Drawn } from "../drawn.js";

const TEXTS = readFileSync(new URL("../../../static/i18n/experiments-en.json", import.meta.url), "utf8");
const BOOT = {
	api: "/api/",
	id: "e",
	size: 2,
	state: "done",
	done: 2,
	failed: 0,
	error: "",
	forgotten: false,
	measures: ["placed", "evicted"],
	names: { placed: "Pods with a node", evicted: "Evicted pods" },
	shares: [],
	levels: [{ name: "replicas", labels: ["1", "2"] }],
	scenario: { id: "a", version: 1 },
};
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** The page of an experiment with a run for each of these lists of measures. */
async function pageOf(...measures) {
	const elements = Object.fromEntries(
		["results", "boot", "controls", "drawing", "tables", "progress"].map((id) => [id, new Drawn("div")]),
	);
	elements.results.dataset.texts = "/texts";
	Object.defineProperty(elements.boot, "textContent", { value: JSON.stringify(BOOT) });
	const results = measures.map((own, i) => ({ run: i + 1, measures: own, error: "" }));
	const answers = [{ ...BOOT, results, next: 2 }];
	Object.assign(globalThis.document, { getElementById: (id) => elements[id], hidden: false });
	Object.assign(globalThis, { addEventListener() {} });
	globalThis.fetch = async (url) =>
		url === "/texts" ? new Response(TEXTS) : Response.json(answers.shift() ?? { ...BOOT, results: [], next: 2 });
	await import(`../../../static/js/experiments/results.js?${measures}`);
	for (let i = 0; i < 100_000 && !elements.results.dataset.drawn; i += 1) await settled();
	return elements;
}

test("runs that are equal in every measure are said to be so, above the figure; runs that differ are not", async (t) => {
	t.mock.timers.enable({ apis: ["setTimeout"] });
	const equal = await pageOf([3, 0], [3, 0]);
	assert.match(equal.drawing.text, /^The runs are equal in every measure\./);
	const different = await pageOf([3, 0], [2, 1]);
	assert.doesNotMatch(different.drawing.text, /equal/);
	assert.match(different.tables.text, /Sorted by Evicted pods/, "the measure that differs");
});
