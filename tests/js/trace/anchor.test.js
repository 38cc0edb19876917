// @ts-nocheck
// The step of a caption or question in the text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isAt } from "../../../static/js/trace/anchor.js";
import { apply, emptyState } from "../../../static/js/trace/state.js";

const STATE = [
	{
		type: "ObjectApplied",
		action: "create",
		kind: "Deployment",
		namespace: "default",
		name: "web",
		workload: { called: "web", size: 2 },
	},
	{
		type: "ObjectApplied",
		action: "create",
		kind: "ReplicaSet",
		namespace: "default",
		name: "web-abc",
		workload: { called: "web@1", size: 2, owner: "Deployment/web" },
	},
	{
		type: "ObjectApplied",
		action: "create",
		kind: "Pod",
		namespace: "default",
		name: "web-abc-x",
		called: "web@1/0",
		pod: { pod: "default/web-abc-x", owner: "ReplicaSet/web-abc" },
	},
].reduce(apply, emptyState());

const CASES = [
	["a pod by its name", { type: "PodFinished", pod: "default/web-abc-x" }, ["web-abc-x", "default/web-abc-x"]],
	["a pod by its workloads", { type: "PodDeletionRequested", pod: "default/web-abc-x" }, ["web", "web@1", "web-abc"]],
	[
		"a pod that is created",
		{ type: "ObjectApplied", kind: "Pod", namespace: "default", name: "web-abc-x", called: "web@1/0", pod: {} },
		["web@1/0", "web-abc-x", "web"],
	],
	[
		"a workload",
		{
			type: "ObjectApplied",
			kind: "ReplicaSet",
			namespace: "default",
			name: "web-abc",
			workload: { called: "web@1", owner: "Deployment/web" },
		},
		["web@1", "web-abc", "web"],
	],
	["a node", { type: "NodeConditionChanged", kind: "Node", name: "n1", status: "Unknown" }, ["n1"]],
	["a node group", { type: "NodeGroupResized", group: "small", delta: 1, target: 2 }, ["small"]],
	["what a request is about", { type: "RequestMade", verb: "patch", about: ["Pod/web@1/0", "n1"] }, ["web@1/0", "n1"]],
];

for (const [what, event, names] of CASES)
	test(`an anchor names ${what}`, () => {
		const at = (about, attempt = 3) => isAt({ attempt, event: event.type, about }, event, 3, STATE);
		for (const name of ["", ...names]) assert.ok(at(name), name);
		assert.ok(!at("api"));
		assert.ok(!at("", 2), "another attempt");
		assert.ok(!isAt({ attempt: 3, event: "PodBound", about: "" }, event, 3, STATE), "another event");
	});

test("where an event has no object, what the question is about does not narrow it", () => {
	const event = { type: "NodesFiltered", plugins: ["TaintToleration"] };
	assert.ok(isAt({ attempt: 1, event: "NodesFiltered", about: "n2" }, event, 1, STATE));
});
