// @ts-nocheck
// The imports of modules, and the amount that a page loads before its first step.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { CAPTIONS } from "../../static/js/steps/registry.js";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const SCRIPTS = join(ROOT, "static", "js");

/** The folders from the lowest layer to the highest: a module imports from its own folder, or from one below. */
const ROOMS = ["shared", "trace", "steps", "chrome", "what_if", "learn", "classroom", "player"];
/** The same within steps/: shared parts first, then the steps whose model others read. */
const STEPS = [
	"parts",
	"score",
	"filter",
	"prefilter run preempt binding many devices controllers",
	"autoscaling",
	"cluster group",
	"queue",
	".",
];
/** The modules of features that a reader opens: a page loads them with `import()`, all others with `import`. */
const OPENED = ["classroom/", "what_if/", "player/dialog.js", "chrome/inspector.js", "experiments/drawing.js"];

function modules(folder) {
	return readdirSync(join(SCRIPTS, folder), { recursive: true }).filter((name) => name.endsWith(".js"));
}

/** The paths that a module imports, relative to static/js. */
function importsOf(file, pattern = /^\s*[^*/\n]*(?: from |\bimport\()"(\.[^"]+)"/gm) {
	const text = readFileSync(join(SCRIPTS, file), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
	return [...text.matchAll(pattern)].map(([, path]) => join(dirname(file), path));
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

test("a step imports from those below it only", () => {
	const floor = (path) => STEPS.findIndex((names) => names.split(" ").includes(dirname(path)));
	for (const file of modules("steps")) {
		for (const path of importsOf(join("steps", file))) {
			const inside = relative("steps", path);
			if (inside.startsWith("..") || dirname(inside) === dirname(file)) continue;
			assert.ok(floor(inside) < floor(file), `steps/${file} imports ${path}`);
		}
	}
});

test("only what a reader opens is loaded later", () => {
	for (const file of modules(".")) {
		for (const path of importsOf(file, /\bimport\("(\.[^"]+)"\)/g)) {
			assert.ok(
				OPENED.some((room) => path.startsWith(room)),
				`${file} loads ${path} later`,
			);
		}
	}
});

/** The modules that call `fetch` themselves, and handle its rejection or cannot do without the answer. */
const FETCHES = ["chrome/picture", "classroom/handout", "pages/speaker", "player/main", "shared/i18n", "trace/feed"];

test("requests are sent by shared/server.js, which answers them even if the server cannot be reached", () => {
	const found = modules(".").filter((name) => /\bfetch\(/.test(readFileSync(join(SCRIPTS, name), "utf8")));
	assert.deepEqual(found.sort(), [...FETCHES, "shared/server"].map((name) => `${name}.js`).sort());
});

test("no line is longer than 120", () => {
	for (const file of modules(".")) {
		if (file === "steps/parts/plugins.js") continue; // generated: regular expressions are as long as they are
		for (const line of readFileSync(join(SCRIPTS, file), "utf8").split("\n")) {
			assert.ok(line.replaceAll("\t", "  ").length <= 120, `${file}: ${line}`);
		}
	}
});

/** The names of all events of a trace. */
function eventNames() {
	const types = readFileSync(join(SCRIPTS, "trace", "trace.d.ts"), "utf8");
	const events = [...types.matchAll(/^ {2}type: "(\w+)";/gm)].map(([, name]) => name);
	assert.ok(events.length > 20);
	return events;
}

test("every event of a trace has a caption", () => {
	const events = eventNames();
	const missing = events.filter((name) => !CAPTIONS.has(name));
	assert.deepEqual(missing, [], `add ${missing} to CAPTIONS in static/js/steps/<step>/words.js`);
});

for (const language of ["en", "zh-hans"]) {
	test(`every event but the first one is announced at the step before it: ${language}`, () => {
		const file = `static/i18n/${language}.json`;
		const texts = Object.keys(JSON.parse(readFileSync(join(ROOT, file), "utf8")));
		const announced = new Set(texts.filter((key) => key.startsWith("next.")).map((key) => key.split(".")[1]));
		const missing = eventNames().filter((name) => name !== "RunStarted" && !announced.has(name));
		assert.deepEqual(missing, [], `add ${missing.map((name) => `next.${name}`)} to ${file}`);
	});
}

/** The maximum size of each page's bundle in kilobytes, compressed by gzip, as production serves it. */
const BUDGETS = { "js/player/main.js": 116, "js/editor/main.js": 250, "js/pages/home.js": 4 };

for (const [entry, budget] of Object.entries(BUDGETS)) {
	test(`what ${entry} needs at once travels in less than ${budget} kB`, async (t) => {
		const { bundle } = await import("../../scripts/bundle.mjs").catch(() => ({}));
		if (!bundle) return t.skip("esbuild is not installed");
		const { outputFiles, metafile } = await bundle(entry, { write: false, metafile: true });
		const needed = new Set([join("build", "static", entry)]);
		for (const path of needed)
			for (const { path: other, kind } of metafile.outputs[path].imports)
				if (kind === "import-statement") needed.add(other);
		const files = outputFiles.filter(({ path }) => needed.has(relative(ROOT, path)));
		const bytes = files.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
		assert.ok(bytes > 500 && bytes < budget * 1000, `${bytes} bytes in ${files.length} files`);
		t.diagnostic(`${bytes} bytes in ${files.length} files`);
	});
}
