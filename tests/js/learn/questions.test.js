// @ts-nocheck
// Every lesson asks something that its trace answers, and the answer is the only one.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { isBefore, Questions } from "../../../static/js/learn/questions.js";
import { optionText, textOf } from "../../../static/js/learn/words.js";
import { plain, useCatalogue } from "../../../static/js/shared/i18n.js";
import { framesOf } from "../../../static/js/steps/registry.js";
import { ChunkStore } from "../../../static/js/trace/chunk_store.js";
import { unpackLoaded } from "../../../static/js/trace/columns.js";
import { unpack } from "../../../static/js/trace/late/candidates.js";
import "../../../static/js/trace/late/groups.js";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
const PYTHON = process.env.PYTHON ?? join(ROOT, ".venv", "bin", "python");
const FOLDER = join(ROOT, "kschedui", "scenarios", "lessons");

function lessons() {
	const files = readdirSync(FOLDER).filter((name) => name.endsWith(".yaml"));
	const out = execFileSync(
		PYTHON,
		[join(ROOT, "tests", "js", "learn", "asked.py"), ...files.map((name) => join(FOLDER, name))],
		{ cwd: ROOT, env: { ...process.env, PYTHONPATH: ROOT }, maxBuffer: 1 << 30 },
	);
	return out.toString().split("\n").filter(Boolean).map(JSON.parse);
}

function storeOf({ chunks }) {
	const store = new ChunkStore();
	for (const chunk of chunks) {
		unpackLoaded(chunk);
		unpack(chunk);
		store.put(chunk);
	}
	store.complete = true;
	return store;
}

function questionsOf(store, asked) {
	const questions = new Questions(asked.map((one) => ({ ...one, text: one.en })));
	questions.update(store);
	return questions.list;
}

const CATALOGUES = ["en", "zh-hans"].map((name) =>
	JSON.parse(readFileSync(join(ROOT, "static", "i18n", `${name}.json`), "utf8")),
);

/** What must hold of any run's questions. */
function check(slug, store, list) {
	for (const one of list) {
		const name = `${slug} ${one.id} ${one.event} ${one.kind}`;
		assert.ok(one.options.length >= 2 && one.options.length <= 9, `${name}: ${one.options.length} options`);
		assert.equal(new Set(one.options.map(({ key }) => key)).size, one.options.length, name);
		assert.ok(one.options[one.right], name);
		assert.ok(!isBefore(one.shown, one.from), `${name} is shown before it is asked`);
		assert.ok(one.shown.frame < framesOf(store.event(one.shown.step)), name);
		for (const catalogue of CATALOGUES) {
			useCatalogue(catalogue);
			for (const option of one.options) assert.doesNotMatch(optionText(option, one), /^(ask|predict)\./, name);
			assert.doesNotMatch(plain(textOf(one)), /^ask\./, name);
		}
	}
	for (let i = 1; i < list.length; i += 1) assert.ok(isBefore(list[i - 1].shown, list[i].from), `${slug}: in order`);
}

const LESSONS = lessons().map((lesson) => ({ ...lesson, store: storeOf(lesson) }));

test("every lesson asks something, in both languages, and its trace answers each question in one way", () => {
	assert.ok(LESSONS.length > 40);
	for (const { slug, questions, store } of LESSONS) {
		assert.ok(questions.length > 0, `${slug} asks nothing`);
		const list = questionsOf(store, questions);
		assert.equal(
			list.length,
			questions.length,
			`${slug}: of ${JSON.stringify(questions)} only ${JSON.stringify(list)}`,
		);
		for (const one of questions) {
			assert.match(one.en, /^[^\u4e00-\u9fff]+\?$/, slug);
			assert.match(one.zh, /[\u4e00-\u9fff].*？$/, slug);
		}
		check(slug, store, list);
	}
});

test("a run without questions is asked generated ones, each with one answer", () => {
	let all = 0;
	for (const { slug, store } of LESSONS) {
		const list = questionsOf(store, []);
		all += list.length;
		assert.ok(list.length <= 12, slug);
		check(slug, store, list);
	}
	assert.ok(all > LESSONS.length, `${all} questions`);
});
