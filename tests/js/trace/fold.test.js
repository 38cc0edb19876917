// @ts-nocheck
// Keyframe n and the events of chunk n give the same state as keyframe n + 1, for many scenarios.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { useCatalogue } from "../../../static/js/shared/i18n.js";
import { captionOf, framesOf } from "../../../static/js/steps/registry.js";
import { unpack } from "../../../static/js/trace/feed.js";
import { apply, emptyState, fromKeyframe } from "../../../static/js/trace/state.js";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
const PYTHON = process.env.PYTHON ?? join(ROOT, ".venv", "bin", "python");
const BIG = /thousand-nodes/;

/** The scenario files of a folder and its subfolders. */
function scenarios(folder) {
	assert.ok(existsSync(folder), folder);
	return readdirSync(folder, { recursive: true })
		.filter((name) => name.endsWith(".yaml") && !BIG.test(name))
		.map((name) => join(folder, name));
}

const FILES = [
	...scenarios(join(ROOT, "kschedui", "scenarios", "lessons")),
	...scenarios(join(ROOT, "tests", "conformance")),
	...scenarios(join(ROOT, "tests", "js", "trace", "live")), // with controllers and kubelets
];

function chunksOf(files) {
	const out = execFileSync(PYTHON, [join(ROOT, "tests", "js", "trace", "chunks.py"), ...files], {
		cwd: ROOT,
		env: { ...process.env, PYTHONPATH: ROOT },
		maxBuffer: 1 << 30,
	});
	const byFile = new Map();
	for (const line of out.toString().split("\n").filter(Boolean)) {
		const { file, chunk } = JSON.parse(line);
		unpack(chunk);
		byFile.set(file, [...(byFile.get(file) ?? []), chunk]);
	}
	return byFile;
}

/** The state with sorted objects in place of maps, so that two states are compared by content. */
function plain(state) {
	return {
		...state,
		nodes: Object.fromEntries([...state.nodes]),
		pods: Object.fromEntries([...state.pods].sort(([a], [b]) => (a < b ? -1 : 1))),
		nodeOrder: [...state.nodes.keys()],
	};
}

/** Clumsy words: a plural for one object, "all" of one or none, symbols of sets. */
const CLUMSY = new RegExp(
	[
		/(?<!of )\b1 (nodes|pods|plugins|points)\b|\b1 (node|pod) (run|stand|are|have)\b/,
		/\ball [012] |\bof the 1\b|\b0 (nodes|pods) (stay|have|are|stand|cannot)|1st time|[∈∉]/,
	]
		.map(({ source }) => source)
		.join("|"),
);

/** A key that is shown instead of its text. */
const KEY = /^[a-z]+\.[a-zA-Z.]+$/;

/** Messages of the CEL compiler for unknown names. */
const CEL_WORDS = /undefined field '\w+'|undeclared reference to '\w+'/g;

const runs = chunksOf(FILES);

test("there are scenarios to fold", () => assert.ok(runs.size >= 30, `${runs.size}`));

for (const [file, chunks] of runs) {
	test(`keyframe plus events is the next keyframe: ${file.slice(ROOT.length + 1)}`, () => {
		const state = emptyState();
		const began = apply(emptyState(), chunks[0].events[0]);
		chunks.forEach((chunk, i) => {
			assert.deepEqual(plain(fromKeyframe(chunk.keyframe, began)), plain(state), `before chunk ${i}`);
			for (const event of chunk.events) apply(state, event);
		});
	});
}

for (const language of ["en", "zh-hans"]) {
	test(`every event and frame has a caption whose holes are filled: ${language}`, () => {
		useCatalogue(JSON.parse(readFileSync(join(ROOT, "static", "i18n", `${language}.json`))));
		for (const [file, chunks] of runs) {
			const state = emptyState();
			const events = chunks.flatMap((chunk) => chunk.events);
			events.forEach((event, step) => {
				apply(state, event);
				for (const order of ["plugin", "node"]) {
					for (let frame = 0; frame < framesOf(event, order); frame += 1) {
						const caption = captionOf({ state, event, frame, order, following: events[step + 1] });
						for (const part of ["eyebrow", "sentence", "why", "next"]) {
							const text = caption[part].map((piece) => piece.text ?? piece).join("");
							const where = `${file} ${step}.${frame} ${event.type} ${part}: ${text}`;
							if (event.type === "EventRecorded" && part === "why") continue; // the actor's own words
							assert.doesNotMatch(text, KEY, `add the text "${text}" to static/i18n/*.json (${where})`);
							assert.doesNotMatch(text.replace(CEL_WORDS, ""), /undefined|NaN|\[object|\{/, where);
							if (language === "en") assert.doesNotMatch(text, CLUMSY, where);
							if (part === "sentence") {
								assert.ok(text.length > 3, where);
								const own = event.type === "DevicesSearched" ? text.split(": ")[0] : text; // then come values or CEL
								if (language === "en") assert.ok(own.split(/\s+/).length <= 21, where);
							}
						}
					}
				}
			});
		}
	});
}

test("a node without the devices of a claim is shown with what is against them, not with the message alone", () => {
	useCatalogue(JSON.parse(readFileSync(join(ROOT, "static", "i18n", "en.json"))));
	let shown = 0;
	for (const [file, chunks] of runs) {
		if (!file.includes("/lessons/device-")) continue;
		const state = emptyState();
		for (const event of chunks.flatMap((chunk) => chunk.events)) {
			apply(state, event);
			if (event.type !== "DevicesSearched") continue;
			for (let frame = 0; frame < framesOf(event, "plugin"); frame += 1) {
				const { sentence, why } = captionOf({ state, event, frame, order: "plugin" });
				const [said, reason] = [sentence, why].map((words) => words.map((piece) => piece.text ?? piece).join(""));
				if (!said.includes("does not have the devices")) continue;
				shown += 1;
				assert.ok(reason.indexOf("kube-scheduler reports") > 10, `${file}: ${said} ${reason}`);
			}
		}
	}
	assert.ok(shown > 10, `${shown}`);
});
