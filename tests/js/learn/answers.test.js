// @ts-nocheck
// The trace's answers to questions about controllers, kubelets and autoscalers are those of the real programs.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { answerOf } from "../../../static/js/learn/answers.js";
import { Questions } from "../../../static/js/learn/questions.js";
import { ChunkStore } from "../../../static/js/trace/chunk_store.js";
import { unpack } from "../../../static/js/trace/feed.js";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
const PYTHON = process.env.PYTHON ?? join(ROOT, ".venv", "bin", "python");

/** The right answers to the questions of each lesson, in order. */
const RIGHT = {
	"autoscaler-adds": ["pool", "Unschedulable"],
	"autoscaler-removes": ["pool-2", "cluster-autoscaler", "pool-1"],
	"budgets-and-drain": ["refused", "n2", "granted"],
	"daemonset-and-nodes": ["daemonset-controller", "daemonset-controller"],
	"descheduler-repairs": ["1", "replicaset-controller", "n2"],
	"hpa-on-a-full-cluster": ["5", "Unschedulable"],
	"job-retries": ["10", "20", "Succeeded"],
	"karpenter-packs": ["1", "replace", "pool-2"],
	"node-is-lost": ["54", "taint-eviction-controller", "n2"],
	"preempted-job": ["Nominated", "job-controller", "Unschedulable"],
	"pressure-and-qos": ["default/batch", "TaintToleration"],
	"quota-and-limits": ["2", "replicaset-controller"],
	"rollout-without-room": ["1", "Unschedulable", "1"],
	"scale-down-order": ["default/web-c7dwjrzlmr-f9thc", "default/web-c7dwjrzlmr-zd4t6"],
	"statefulset-waits": ["1", "Unschedulable", "n2"],
	"surge-and-unavailable": ["2", "2", "1"],
	"toleration-seconds": ["default/web", "taint-eviction-controller"],
	"victim-comes-back": ["replicaset-controller", "Unschedulable", "Scheduled"],
};

function runs() {
	const files = Object.keys(RIGHT).map((slug) => join(ROOT, "kschedui", "scenarios", "lessons", `${slug}.yaml`));
	const out = execFileSync(PYTHON, [join(ROOT, "tests", "js", "learn", "asked.py"), ...files], {
		cwd: ROOT,
		env: { ...process.env, PYTHONPATH: ROOT },
		maxBuffer: 1 << 30,
	});
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

const RUNS = new Map(runs().map((run) => [run.slug, { ...run, store: storeOf(run) }]));

for (const [slug, right] of Object.entries(RIGHT))
	test(`the trace answers the questions of ${slug}`, () => {
		const { store, questions } = RUNS.get(slug);
		const list = new Questions(questions.map((one) => ({ ...one, text: one.en })));
		list.update(store);
		assert.deepEqual(
			list.list.map((one) => one.options[one.right].key),
			right,
		);
	});

test("several pods that go at once are no question of which, but of how many", () => {
	const { store } = RUNS.get("surge-and-unavailable");
	const steps = Array.from({ length: store.steps }, (_, i) => i);
	const last = steps.filter((step) => store.event(step).type === "PodFinished").at(-1);
	const ask = { event: "PodFinished", kind: "pod" };
	assert.equal(answerOf(store, last, ask), null); // the last two old pods stop in the same moment
	assert.equal(answerOf(store, last, { ...ask, kind: "choice" })?.options.length, 2);
});

test("what nobody decided has no answer: the file's own objects, and sizes that do not change", () => {
	const { store } = RUNS.get("victim-comes-back");
	const steps = Array.from({ length: store.steps }, (_, i) => i);
	for (const step of steps.filter((at) => store.event(at).type === "ObjectApplied" && !store.event(at).by))
		for (const kind of ["choice", "number", "node"])
			assert.equal(answerOf(store, step, { event: "ObjectApplied", kind }), null, `${step} ${kind}`);
});
