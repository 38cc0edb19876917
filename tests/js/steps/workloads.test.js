// @ts-nocheck
// The row of a workload: the desired number of pods, and the state of each.
import assert from "node:assert/strict";
import { test } from "node:test";
import { plain, useCatalogue } from "../../../static/js/shared/i18n.js";
import { isAtRest, podAbout, workloadOf, workloadRows } from "../../../static/js/steps/controllers/model.js";
import { actorName } from "../../../static/js/steps/controllers/view.js";
import { CAPTIONS, explain } from "../../../static/js/steps/controllers/words.js";
import { captionOf } from "../../../static/js/steps/registry.js";
import { apply, emptyState } from "../../../static/js/trace/state.js";

const created = (kind, name, workload) => ({
	type: "ObjectApplied",
	action: "create",
	kind,
	name,
	namespace: "shop",
	workload: { called: name, ...workload },
});
const made = (name, owner, more = {}) => ({
	type: "ObjectApplied",
	action: "create",
	kind: "Pod",
	name,
	namespace: "shop",
	pod: { pod: `shop/${name}`, owner, ...more },
	by: "replicaset-controller",
});
const bound = (name) => [
	{ type: "PodEnqueued", pod: `shop/${name}`, queue: "active", event: "", timestamp: 0, sequence: 0 },
	{ type: "CycleStarted", pod: `shop/${name}`, attempt: 1, pod_attempts: 1 },
	{ type: "PodAssumed", pod: `shop/${name}`, node: "n" },
	{ type: "PodBound", pod: `shop/${name}`, node: "n" },
];
const START = [
	{
		type: "RunStarted",
		title: "",
		profiles: [],
		nodes: [{ name: "n", allocatable: { cpu: 9 } }],
		order: [0],
		pods: [],
	},
	created("Deployment", "web", { size: 3 }),
	created("ReplicaSet", "web-1", { size: 3, owner: "Deployment/web", revision: 1 }),
];

function after(...events) {
	const state = emptyState();
	for (const event of [...START, ...events].flat(Number.POSITIVE_INFINITY)) apply(state, event);
	return state;
}

const kinds = (row) => row.pips.map(({ kind }) => kind).join(" ");

test("a pod waits, starts, is ready, is ready no more, stops, and is missing", () => {
	const [a, b, c] = ["web-1-a", "web-1-b", "web-1-c"];
	const three = [a, b, c].map((name) => made(name, "ReplicaSet/web-1"));
	assert.equal(workloadRows(after())[0].missing, 3);
	assert.equal(kinds(workloadRows(after(three))[0]), "waiting waiting waiting");
	const started = [three, bound(a), bound(b)];
	assert.equal(kinds(workloadRows(after(started))[0]), "starting starting waiting");
	const ready = [started, { type: "PodReadinessChanged", pod: `shop/${a}`, ready: true }];
	assert.equal(kinds(workloadRows(after(ready))[0]), "ready starting waiting");
	const lost = [ready, { type: "PodReadinessChanged", pod: `shop/${a}`, ready: false }];
	assert.equal(kinds(workloadRows(after(lost))[0]), "unready starting waiting");
	const stops = after(ready, { type: "PodDeletionRequested", pod: `shop/${a}`, grace: 10, by: "x", because: {} });
	assert.equal(kinds(workloadRows(stops)[0]), "leaving starting waiting");
	assert.equal(workloadRows(stops)[0].missing, 1);
	assert.equal(stops.pods.get(`shop/${a}`).grace, 10);
	const gone = after(ready, { type: "ObjectDeleted", kind: "Pod", name: a, namespace: "shop" });
	assert.equal(kinds(workloadRows(gone)[0]), "starting waiting");
	assert.equal(workloadRows(gone)[0].missing, 1);
});

test("a rollout has its two revisions, the new one first; a Deployment is one row", () => {
	const state = after(
		made("web-1-a", "ReplicaSet/web-1"),
		created("ReplicaSet", "web-2", { size: 1, owner: "Deployment/web", revision: 2 }),
		made("web-2-a", "ReplicaSet/web-2"),
	);
	const [row, ...others] = workloadRows(state);
	assert.deepEqual(others, []);
	assert.deepEqual(
		row.revisions.map(({ key }) => key),
		["ReplicaSet shop/web-2", "ReplicaSet shop/web-1"],
	);
	assert.equal(isAtRest(row), false);
});

test("pods that were there from the start are ready: no kubelet told otherwise", () => {
	const state = after(["a", "b", "c"].map((name) => made(`web-1-${name}`, "ReplicaSet/web-1", { node: "n" })));
	assert.equal(kinds(workloadRows(state)[0]), "ready ready ready");
	assert.equal(isAtRest(workloadRows(state)[0]), true);
});

test("pods of a StatefulSet stand in the order of their numbers", () => {
	const numbers = [10, 2, 0].map((n) => made(`db-${n}`, "StatefulSet/db"));
	const state = after(created("StatefulSet", "db", { size: 3 }), numbers);
	const row = workloadRows(state).find(({ name }) => name === "db");
	assert.deepEqual(
		row.pips.map(({ pod }) => pod),
		["shop/db-0", "shop/db-2", "shop/db-10"],
	);
});

test("an event about a pod or a ReplicaSet belongs to the row of its Deployment", () => {
	const pod = made("web-1-a", "ReplicaSet/web-1");
	const state = after(pod);
	assert.equal(workloadOf(pod, state), "Deployment shop/web");
	assert.equal(workloadOf({ type: "PodStarted", pod: "shop/web-1-a" }, state), "Deployment shop/web");
	assert.equal(
		workloadOf({ type: "WorkloadStatusWritten", kind: "ReplicaSet", name: "web-1", namespace: "shop" }, state),
		"Deployment shop/web",
	);
	assert.equal(workloadOf({ type: "ClockAdvanced", time: 1 }, state), "");
});

test("an actor's event names its pod in one of three ways, or none", () => {
	assert.equal(podAbout({ type: "ObjectApplied", pod: { pod: "default/web-1" } }), "default/web-1");
	assert.equal(podAbout({ type: "PodDeletionRequested", pod: "default/web-1" }), "default/web-1");
	assert.equal(
		podAbout({ type: "EvictionAnswered", kind: "Pod", namespace: "default", name: "web-1" }),
		"default/web-1",
	);
	assert.equal(podAbout({ type: "WorkloadStatusWritten", kind: "Job", namespace: "default", name: "sum" }), "");
});

test("a controller that the page knows has its usual name, any other the name in the trace", () => {
	useCatalogue({ language: "en", "actor.job-controller": "Job controller" });
	assert.equal(actorName("job-controller"), "Job controller");
	assert.equal(actorName("acme-operator"), "acme-operator");
});

test("a status without numbers has its conditions, in the explanation and in the caption", () => {
	const condition = { type: "ReplicaFailure", status: "True", reason: "FailedCreate" };
	const status = { replicas: 0 };
	const about = { kind: "ReplicaSet", name: "web-1", namespace: "shop" };
	const event = { type: "WorkloadStatusWritten", ...about, status, conditions: [condition] };
	const state = after(event);
	const shown = explain({ state }, null, "ReplicaSet shop/web-1");
	assert.match(JSON.stringify(shown), /ReplicaFailure=True \(FailedCreate\)/);
	assert.equal(plain(CAPTIONS.WorkloadStatusWritten({ event }).why).trim(), "ReplicaFailure=True (FailedCreate)");
});

test("the start of a run counts the zones of the nodes that have one", () => {
	useCatalogue({ language: "en", "run.started.empty": "{n} in {zones}", "run.started.empty.nozone": "{n}" });
	const started = (...zones) => {
		const labels = zones.map((zone) => (zone ? { "topology.kubernetes.io/zone": zone } : {}));
		const nodes = labels.map((own, i) => ({ name: `n${i}`, allocatable: {}, labels: own }));
		const event = { ...START[0], nodes, order: nodes.map((_, i) => i) };
		const state = emptyState();
		apply(state, event);
		return plain(captionOf({ state, event, frame: 0, order: "plugin" }).sentence);
	};
	assert.equal(started("a", "b", "b"), "3 in 2");
	assert.equal(started("a", undefined), "2 in 1");
	assert.equal(started(undefined), "1");
});
