// @ts-nocheck
// The requests of What if: none leaves the panel waiting, and none is about another attempt.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { useCatalogue } from "../../../static/js/shared/i18n.js";
import { Questions } from "../../../static/js/what_if/questions.js";
import { answerView } from "../../../static/js/what_if/result.js";

useCatalogue({ language: "en", unreachable: "The site is not responding." });
globalThis.document = { querySelector: () => null };

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));
const cordon = { type: "set", kind: "Node", name: "n1", path: ["spec", "unschedulable"], value: true };
const answer = { pod: "default/web", before: {}, after: {}, counts: [0, 0, 0] };
let offline = false;
let sent = [];
let refuses = (_path) => false;

globalThis.fetch = async (url, { body } = {}) => {
	const path = url.replace("/api/runs/run/attempts/", "");
	sent.push({ path, edits: body && JSON.parse(body).edits });
	if (offline) throw new TypeError("Failed to fetch");
	if (refuses(path)) return Response.json({ detail: "The value is not valid." }, { status: 422 });
	if (path.endsWith("/what-if")) return Response.json(answer);
	if (path.endsWith("/keep")) return Response.json({ url: "/s/a/", id: "a", version: 1 }, { status: 201 });
	if (path.endsWith("/changes")) return Response.json({ done: 1, pieces: 1, changes: [], missing: [] });
	if (path.includes("/weights")) return Response.json([]);
	return Response.json({ pod: "default/web" });
};

beforeEach(() => {
	offline = false;
	sent = [];
	refuses = () => false;
});

/** Opens attempt 1, as the panel does. */
async function opened() {
	const questions = new Questions("/api", "run", () => {});
	questions.setAttempt(1);
	questions.judge([]);
	await settled();
	return questions;
}

test("without the server, the panel says so instead of waiting, and tries again", async () => {
	offline = true;
	const questions = await opened();
	void questions.loadWeights("n1");
	await settled();
	assert.equal(questions.problem, "The site is not responding.");
	assert.equal(answerView({ questions, asked: { attempt: 1 } }), null);
	assert.ok(questions.mayRetry);
	offline = false;
	questions.retry();
	await settled();
	assert.equal(questions.problem, "");
	assert.ok(questions.about && questions.answer && questions.weights);
});

test("facts that could not be loaded are requested again when the attempt is asked about again", async () => {
	offline = true;
	const questions = await opened();
	offline = false;
	questions.setAttempt(1);
	await settled();
	assert.ok(questions.about && questions.answer);
	assert.equal(questions.problem, "");
});

test("a question, a search and a fork that are not answered can be repeated", async () => {
	const questions = await opened();
	for (const ask of [() => questions.judge([cordon]), () => questions.search(), () => questions.keep([cordon])]) {
		offline = true;
		await ask();
		await settled();
		assert.equal(questions.problem, "The site is not responding.");
		offline = false;
		questions.retry();
		await settled();
		assert.equal(questions.problem, "");
	}
	assert.deepEqual(questions.judged, [cordon]);
	assert.equal(questions.changes.going, false);
	assert.equal(questions.kept.id, "a");
});

test("a refused request is not repeated; the next question that is answered ends the problem", async () => {
	const questions = await opened();
	refuses = (path) => path.endsWith("/keep");
	await questions.keep([cordon]);
	assert.equal(questions.problem, "The value is not valid.");
	assert.equal(questions.mayRetry, false);
	questions.judge([cordon]);
	await settled();
	assert.equal(questions.problem, "");
});

test("another attempt begins without the edits of the one before", async () => {
	const questions = await opened();
	questions.judge([cordon]);
	await settled();
	questions.judge([cordon]); // in progress
	questions.judge([cordon, cordon]); // waits
	sent = [];
	questions.setAttempt(2);
	await settled();
	assert.deepEqual(questions.judged, []);
	assert.deepEqual(
		sent.filter(({ path }) => path === "2/what-if").map(({ edits }) => edits),
		[[]],
	);
});

test("an answer ends the problem of a refused request, but not of one that can be repeated", async () => {
	const questions = await opened();
	const ask = async () => {
		questions.judge([cordon]);
		await settled();
	};
	refuses = (path) => path.includes("/weights");
	await questions.loadWeights("n1");
	assert.equal(questions.problem, "The value is not valid.");
	await ask();
	assert.equal(questions.problem, "");
	offline = true;
	await questions.loadWeights("n1");
	offline = false;
	await ask();
	assert.equal(questions.problem, "The site is not responding.");
	assert.ok(questions.mayRetry);
});
