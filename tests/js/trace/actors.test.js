// @ts-nocheck
// The actor of a step, and the changes of nodes up to it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { actorOf, NodeLog } from "../../../static/js/trace/actors.js";
import { subjectOf } from "../../../static/js/trace/phase.js";
import { emptyState } from "../../../static/js/trace/state.js";

test("what the scheduler does is nobody else's; what a controller does leaves no pod amber", () => {
	const pod = "default/a";
	assert.equal(actorOf({ type: "PodBound", pod }), "");
	assert.equal(actorOf({ type: "PodDeletionRequested", pod, by: "default-scheduler" }), "");
	assert.equal(
		actorOf({ type: "PodDeletionRequested", pod, by: "taint-eviction-controller" }),
		"taint-eviction-controller",
	);
	assert.equal(actorOf({ type: "PodActivated", pod, by: "default/b" }), "");
	assert.equal(actorOf({ type: "EventRecorded", source: "default-scheduler" }), "");
	assert.equal(actorOf({ type: "WorkloadStatusWritten", kind: "Job" }), "job-controller");
	assert.equal(actorOf({ type: "NodeConditionChanged", status: "Unknown" }), "node-lifecycle-controller");
	assert.equal(subjectOf({ type: "PodStarted", pod }, emptyState()), "");
});

test("a node is silent, not ready and ready again, each since when it became so", () => {
	const log = new NodeLog();
	log.take({ type: "RequestMade", verb: "failNode", about: ["Node/n1"] }, 3, 60);
	log.take({ type: "NodeConditionChanged", name: "n1", status: "Unknown" }, 7, 110);
	log.take({ type: "RequestMade", verb: "failNode", about: ["n2"], error: "there is no such node" }, 8, 110);
	assert.equal(log.last("n1", 2, "failNode"), undefined);
	assert.equal(log.last("n1", 5, "failNode").time, 60);
	assert.equal(log.last("n1", 9, "True", "False", "Unknown").time, 110);
	assert.equal(log.last("n2", 9, "failNode"), undefined);
});

test("machines are on their way until their nodes are there", () => {
	const log = new NodeLog();
	const came = (name) => ({
		type: "ObjectApplied",
		kind: "Node",
		action: "create",
		name,
		because: { name: "instance-started", values: { group: "general" } },
	});
	log.take({ type: "NodeGroupResized", group: "general", delta: 3, target: 5 }, 1, 10);
	log.take(came("a"), 2, 60);
	log.take({ type: "NodeGroupResized", group: "general", delta: -1, target: 4 }, 3, 70);
	log.take({ type: "NodeGroupResized", group: "gpu", delta: 2, target: 2, error: "out of stock" }, 3, 70);
	log.take(came("b"), 4, 80);
	assert.deepEqual(log.upcoming(0), []);
	assert.deepEqual(log.upcoming(1), [{ group: "general", n: 3, since: 10 }]);
	assert.equal(log.upcoming(2)[0].n, 2);
	assert.equal(log.upcoming(3)[0].n, 1);
	assert.deepEqual(log.upcoming(4), []);
});
