// @ts-nocheck
// The player's page names every module that its first step needs, so that they load side by side and not one after
// another.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { TELLS } from "../../static/js/steps/registry.js";

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

/** Rooms from the bottom to the top: a module imports from its own room, or from one below. */
const ROOMS = ["shared", "trace", "steps", "chrome", "ask", "learn", "classroom", "player"];
/** The same within steps/: what several steps are drawn with, then those whose model others read. */
const STEPS = ["parts", "queue", "score", "filter", "prefilter run cluster preempt binding many", "group", "."];

function modules(folder) {
	return readdirSync(join(SCRIPTS, folder), { recursive: true }).filter((name) => name.endsWith(".js"));
}

/** What a module imports, at once or later, as paths from static/js. */
function importsOf(file) {
	const found = readFileSync(join(SCRIPTS, file), "utf8").matchAll(/^\s*[^*/\n]*(?: from |\bimport\()"(\.[^"]+)"/gm);
	return [...found].map(([, path]) => join(dirname(file), path));
}

test("rooms import from below only", () => {
	for (const room of ["editor", "experiments", "pages", "intake", ...ROOMS]) {
		const below = ROOMS.includes(room) ? ROOMS.slice(0, ROOMS.indexOf(room)) : [...ROOMS.slice(0, 3), "intake"];
		for (const file of modules(room)) {
			for (const path of importsOf(join(room, file))) {
				assert.ok([room, "..", ...below].includes(path.split("/")[0]), `${room}/${file} imports ${path}`);
			}
		}
	}
});

test("a step imports from those below it only; the registry, later, from all", () => {
	const floor = (path) => STEPS.findIndex((names) => names.split(" ").includes(dirname(path)));
	for (const file of modules("steps")) {
		for (const path of importsOf(join("steps", file))) {
			const inside = relative("steps", path);
			if (inside.startsWith("..") || dirname(inside) === dirname(file)) continue;
			assert.ok(floor(inside) < floor(file), `steps/${file} imports ${path}`);
		}
	}
});

test("a folder holds 14 entries at most, and no line is longer than 120", () => {
	const folders = readdirSync(SCRIPTS, { recursive: true, withFileTypes: true }).filter((one) => one.isDirectory());
	for (const { parentPath, name } of folders) {
		assert.ok(readdirSync(join(parentPath, name)).length <= 14, name);
	}
	for (const file of modules(".")) {
		for (const line of readFileSync(join(SCRIPTS, file), "utf8").split("\n")) {
			assert.ok(line.replaceAll("\t", "  ").length <= 120, `${file}: ${line}`);
		}
	}
});

test("every event of a trace has a step that tells it", () => {
	const types = readFileSync(join(SCRIPTS, "trace", "trace.d.ts"), "utf8");
	const events = [...types.matchAll(/^ {2}type: "(\w+)";/gm)].map(([, name]) => name);
	assert.ok(events.length > 20);
	assert.deepEqual(
		events.filter((name) => !TELLS.has(name)),
		[],
	);
});

/** By what is linked to: the modules that its first step needs besides those that every step does. */
const FIRST = {
	"the start of a run": ["cluster/view.js", "run/captions.js", "run/explanation.js"],
	"the start of a cycle": [
		"queue/captions.js",
		"filter/funnel.js",
		"filter/explanation.js",
		"prefilter/explanation.js",
	],
	"a step of Filter, while another pod is bound": [
		"filter/captions.js",
		"filter/funnel.js",
		"filter/explanation.js",
		"binding/view.js",
	],
	"a step of Score, while another pod is bound": [
		"score/captions.js",
		"score/bars.js",
		"score/explanation.js",
		"binding/view.js",
	],
	"a step of a binding cycle": ["binding/captions.js", "cluster/view.js", "binding/view.js", "cluster/explanation.js"],
};

test("early.js asks for exactly what the start of a run needs besides, all of it at once", () => {
	const files = new Set();
	for (const name of FIRST["the start of a run"]) graph(join(SCRIPTS, "steps", name), files);
	const more = [...files].map((file) => relative(SCRIPTS, file)).filter((name) => !needed.includes(name));
	const start = readFileSync(join(SCRIPTS, "player", "early.js"), "utf8").split("else {")[1];
	const asked = [...start.matchAll(/import\("\.\.\/([\w/]+\.js)"\)/g)].map(([, name]) => name);
	assert.deepEqual(asked.sort(), more.sort());
});

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
