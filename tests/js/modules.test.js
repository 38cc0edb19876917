// @ts-nocheck
// The player's page names every module that its first step needs, so that they load side by side and not one after another.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const SCRIPTS = join(ROOT, "static", "js");

/** Modules that `file` imports statically, and theirs. */
function graph(file, seen = new Set()) {
	if (seen.has(file)) return seen;
	seen.add(file);
	for (const [, path] of readFileSync(file, "utf8").matchAll(/^(?:import|export)[^;]*? from "(\.[^"]+)";/gm))
		graph(join(dirname(file), path), seen);
	return seen;
}

const needed = [...graph(join(SCRIPTS, "player", "main.js"))].map((file) => relative(SCRIPTS, file)).sort();

test("player_modules.html preloads exactly the modules that main.js imports", () => {
	const named = [...readFileSync(join(ROOT, "templates", "player_modules.html"), "utf8").matchAll(/js\/([\w/]+\.js)/g)]
		.map(([, name]) => name)
		.sort();
	assert.deepEqual(
		named,
		needed.filter((name) => name !== "player/main.js"),
	);
});

/** By what is linked to: the modules that its first step needs besides those that every step does. */
const FIRST = {
	"the start of a run": ["cluster/view.js", "cluster/captions.js", "cluster/explanation.js"],
	"the start of a cycle": ["queue/captions.js", "filter/explanation.js"],
	"a step of Filter, while another pod is bound": ["filter/captions.js", "filter/explanation.js", "binding/view.js"],
	"a step of Score, while another pod is bound": [
		"score/captions.js",
		"score/bars.js",
		"score/explanation.js",
		"binding/view.js",
	],
	"a step of a binding cycle": ["binding/captions.js", "cluster/view.js", "binding/view.js", "cluster/explanation.js"],
};

for (const [place, more] of Object.entries(FIRST)) {
	test(`what a link to ${place} loads before it is drawn stays small`, () => {
		const files = graph(join(SCRIPTS, "player", "main.js"));
		const guessed = place === "the start of a run" ? [] : ["filter/lanes.js"]; // early.js asks for it
		const names = [...[...more, ...guessed].map((name) => join("steps", name)), "shared/theme.js", "player/early.js"];
		for (const name of names) graph(join(SCRIPTS, name), files);
		const bytes = [...files].reduce((sum, file) => sum + statSync(file).size, 0);
		assert.ok(bytes < 200_000, `${bytes} bytes`);
	});
}
