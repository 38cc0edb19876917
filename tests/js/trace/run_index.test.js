// @ts-nocheck
// The timeline: what is written on the columns, and where each pod is from which step on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RunIndex } from "../../../static/js/trace/run_index.js";

/** The index of a run with these events. */
function indexOf(...events) {
	const index = new RunIndex();
	events.forEach((event, step) => index.take(event, step));
	return index;
}
const object = (type, kind, name, more) => ({ type, kind, name, namespace: "default", ...more });

test("a pod's lane ends where it is deleted; creating it, changing it or deleting something else of its name ends none", () => {
	const pod = { pod: "default/web" };
	const index = indexOf(
		object("ObjectApplied", "Pod", "web", { action: "create", pod }),
		{ type: "PodEnqueued", ...pod, queue: "active" },
		object("ObjectApplied", "Pod", "web", { action: "update", pod }),
		object("ObjectDeleted", "PersistentVolumeClaim", "web"),
		object("ObjectDeleted", "Pod", "web"),
	);
	assert.deepEqual(
		index.moves.get("default/web").map(({ step, place }) => [step, place]),
		[
			[1, "active"],
			[4, "gone"],
		],
	);
	assert.deepEqual(
		index.columns[0].changes.map(({ text }) => text),
		["+ web", "~ web", "− web", "− web"],
	);
});
