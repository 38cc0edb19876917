// @ts-nocheck
// Every lesson has questions, and its trace gives exactly one answer to each.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Stops } from "../../../static/js/classroom/stops.js";
import { optionText, textOf } from "../../../static/js/learn/choices.js";
import { announceNext, begin } from "../../../static/js/learn/learning.js";
import { predictions } from "../../../static/js/learn/predictions.js";
import { isBefore, Questions } from "../../../static/js/learn/questions.js";
import { foldedText, ShortWay } from "../../../static/js/learn/short_way.js";
import { Player } from "../../../static/js/player/player.js";
import { plain, useCatalogue } from "../../../static/js/shared/i18n.js";
import { extenderName } from "../../../static/js/steps/parts/words.js";
import { captionOf, framesOf } from "../../../static/js/steps/registry.js";
import { isAt } from "../../../static/js/trace/anchor.js";
import { ChunkStore } from "../../../static/js/trace/chunk_store.js";
import { unpack } from "../../../static/js/trace/feed.js";
import { subjectOf } from "../../../static/js/trace/phase.js";
import { RunIndex } from "../../../static/js/trace/run_index.js";

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

/** An explainer without explanations. */
const SILENT = { request() {}, filter: () => null, score: () => null, scores: () => null, waitFor: () => null };

const CATALOGUES = ["en", "zh-hans"].map((name) =>
	JSON.parse(readFileSync(join(ROOT, "static", "i18n", `${name}.json`), "utf8")),
);

/** Checks that the questions of a run have one right answer each, and texts in both languages. */
function check(slug, store, list) {
	for (const question of list) {
		const { options } = question;
		const name = `${slug} ${question.id} ${question.event} ${question.kind}`;
		assert.ok(options.length >= 2 && options.length <= 9, `${name}: ${options.length} options`);
		assert.equal(new Set(options.map(({ key }) => key)).size, options.length, name);
		assert.ok(options[question.right], name);
		assert.ok(!isBefore(question.shown, question.from), `${name} is shown before it is asked`);
		assert.ok(question.shown.frame < framesOf(store.event(question.shown.step)), name);
		for (const catalogue of CATALOGUES) {
			useCatalogue(catalogue);
			for (const option of options) assert.doesNotMatch(optionText(option, question), /^(ask|predict)\./, name);
			const asksYes = /(^|[.!?] )(Is|Are|Does|Do|Would|Will|Can|Has) [^.!?]*\?$/.test(question.text ?? "");
			const yes = options.filter((option) => /^(yes: |是：)/.test(optionText(option, question)));
			assert.equal(yes.length, Number(asksYes), `${name}: "${question.text}" has ${yes.length} options that say yes`);
			if (question.event === "DevicesSearched") assert.ok(options.length <= 7, `${name}: ${options.length} options`);
			assert.doesNotMatch(plain(textOf(question)), /^(ask|predict)\./, name);
		}
	}
	for (let i = 1; i < list.length; i += 1) assert.ok(isBefore(list[i - 1].shown, list[i].from), `${slug}: in order`);
}

const LESSONS = lessons().map((lesson) => ({ ...lesson, store: storeOf(lesson) }));

test("every lesson asks two or three things, in both languages, and its trace answers each question in one way", () => {
	assert.ok(LESSONS.length > 40);
	for (const { slug, questions, store } of LESSONS) {
		assert.ok([2, 3].includes(questions.length), `${slug} asks ${questions.length} questions`);
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

/** The stops of the short way from beginning to end, and the frames folded into each. */
function walk({ store, captions, questions }) {
	const way = new ShortWay(store, [...captions, ...questions]);
	way.on = true;
	const stops = [];
	for (let step = 0; step < store.steps; step += 1)
		for (let frame = 0; frame < framesOf(store.event(step)); frame += 1)
			if (!way.passes(step, frame))
				stops.push({ step, frame, folded: way.foldedInto({ order: "plugin" }, { step, frame }) });
	return { way, stops };
}

test("a lesson's short way has few stops, and begins and ends with the run", () => {
	const most = { "high-preempts-low": 16, "gang-fits": 20, "flash-sale": 60 };
	for (const lesson of LESSONS) {
		const { slug, store } = lesson;
		const { stops } = walk(lesson);
		assert.ok(stops.length <= (most[slug] ?? 65), `${slug} takes ${stops.length} stops`);
		assert.equal(stops[0].step, 0, slug);
		if (store.event(store.steps - 1).type === "RunFinished") assert.equal(stops.at(-1).step, store.steps - 1, slug);
	}
});

test("every folded frame belongs to one stop, which names it, and unfolding shows all of them", () => {
	for (const lesson of LESSONS) {
		const { slug, store } = lesson;
		const { way, stops } = walk(lesson);
		let all = stops.length;
		for (const { step, frame, folded } of stops) {
			all += folded.length;
			for (const catalogue of CATALOGUES) {
				useCatalogue(catalogue);
				const text = foldedText(store, folded, store.event(step));
				assert.equal(text === "", folded.length === 0, `${slug} ${step}.${frame}`);
				assert.doesNotMatch(text, /fold\.|undefined|null/, `${slug} ${step}.${frame}`);
			}
			way.unfold(folded);
			assert.ok(
				folded.every((one) => !way.passes(one.step, one.frame)),
				slug,
			);
		}
		const frames = Array.from({ length: store.steps }, (_, step) => framesOf(store.event(step)));
		const ending = store.event(store.steps - 1).type === "RunFinished";
		if (ending)
			assert.equal(
				all,
				frames.reduce((sum, n) => sum + n, 0),
				slug,
			);
	}
});

test("what is announced is the next stop: the plugin that it shows, the totals, the step", () => {
	for (const catalogue of CATALOGUES) {
		useCatalogue(catalogue);
		for (const lesson of LESSONS) {
			const { slug, store } = lesson;
			const { stops } = walk(lesson);
			stops.slice(0, -1).forEach(({ step, frame }, i) => {
				const next = stops[i + 1];
				const [event, state] = [store.event(step), store.stateAfter(step)];
				const context = {
					event,
					state,
					step,
					frame,
					order: "plugin",
					following: store.event(step + 1),
					explainer: SILENT,
					store,
				};
				const subject = subjectOf(event, state);
				const text = plain(announceNext({ ...context, subject, caption: captionOf(context) }, next));
				const name = `${slug} ${step}.${frame}, before ${next.step}.${next.frame}: "${text}"`;
				assert.notEqual(text, catalogue["next.frame"], name);
				const then = store.event(next.step);
				if (next.step !== step) return assert.doesNotMatch(text, /\{|undefined/, name);
				if (then.type === "ScoresComputed" && next.frame === framesOf(then) - 1)
					assert.equal(text, catalogue["next.total"], name);
				const plugins = { NodesFiltered: then.plugins, ScoresComputed: then.plugins?.map((one) => one.plugin) }[
					then.type
				];
				const plugin = plugins?.[next.frame];
				if (plugin) assert.ok(text.includes(extenderName(plugin)), `${name} is about ${plugin}`);
			});
		}
	}
});

test("nothing that decides is folded: no first rejection of a node by a plugin, no victim, no totals, nothing that the text speaks of", () => {
	for (const lesson of LESSONS) {
		const { slug, store, captions } = lesson;
		const { way } = walk(lesson);
		const rejecting = new Set();
		for (let step = 0; step < store.steps; step += 1) {
			const event = store.event(step);
			const last = framesOf(event) - 1;
			const name = `${slug} ${step} ${event.type}`;
			if (event.type === "NodesFiltered")
				event.plugins.forEach((plugin, k) => {
					const rejects = event.verdicts.some((verdict) => verdict.plugin === plugin);
					if (rejects && !rejecting.has(plugin)) assert.ok(!way.passes(step, Math.min(k, last)), `${name} ${plugin}`);
					if (rejects) rejecting.add(plugin);
				});
			const told = ["ScoresComputed", "SchedulerError", "BindingFailed", "PodsKeptWaiting", "PodGroupDecided"];
			if (told.includes(event.type) || event.candidates?.length) assert.ok(!way.passes(step, last), name);
			const state = store.stateAfter(step);
			if (captions.some((one) => isAt(one, event, state.attempt, state)))
				assert.ok(!way.passes(step, last), `${name} has a caption`);
		}
	}
});

test("a speaker's stop at a question is the last frame before it: one step forward, it is asked", () => {
	for (const { slug, store, questions } of LESSONS) {
		const player = new Player(store, () => {});
		const stops = new Stops(store, { questions: questions.map((one) => ({ ...one, text: one.en })) });
		const places = stops.list(new RunIndex()).map(({ step, frame }) => {
			player.seek(step, frame);
			player.forward();
			return { step: player.step, frame: player.frame };
		});
		const asked = questionsOf(store, questions).map(({ from }) => ({ step: from.step, frame: from.frame }));
		assert.deepEqual(places, asked, slug);
	}
});

test("while a question is ahead, an explanation that would answer it is not shown; others are", () => {
	const { store, questions } = LESSONS.find(({ slug }) => slug === "first-pod");
	const player = new Player(store, () => {});
	const boot = {
		embed: true,
		predict: true,
		lesson: { questions: questions.map((one) => ({ ...one, text: one.en })) },
	};
	const page = { player, store, boot, lens: {}, screen: { followers: new Set() }, redraw() {}, act: {} };
	begin({ ...page, root: { addEventListener() {} } });
	const shown = (pin) => {
		const [event, state] = [store.event(0), store.stateAfter(0)];
		const place = { event, state, step: 0, frame: 0, order: "plugin", following: store.event(1), scene: "cluster" };
		const view = { ...place, index: new RunIndex(), boot, store, player, act: {}, options: {}, pin, explainer: SILENT };
		return page.lens.look({ ...view, subject: "", caption: captionOf(view) }).pin;
	};
	const telling = ["total:n1", "compare:n1:n2", "verdict:n1:NodeName", "candidates"];
	const others = [null, "request:default/web", "room:n1:cpu", "run"];
	assert.deepEqual(telling.map(shown), [null, null, null, null]);
	assert.deepEqual(others.map(shown), others);
	predictions.turn(false, { step: 0, frame: 0 });
	assert.deepEqual(telling.map(shown), telling);
});
