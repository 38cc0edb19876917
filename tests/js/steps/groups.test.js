// @ts-nocheck
// The members of a pod group in the queue and in an eviction.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { plain, useCatalogue } from "../../../static/js/shared/i18n.js";
import { CAPTIONS as PREEMPTION } from "../../../static/js/steps/preempt/words.js";
import { CAPTIONS as QUEUE } from "../../../static/js/steps/queue/words.js";
import { subjectOf } from "../../../static/js/trace/phase.js";
import { emptyState } from "../../../static/js/trace/state.js";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
useCatalogue(JSON.parse(readFileSync(join(ROOT, "static", "i18n", "en.json"))));

function stateOf(members, groups) {
	const state = emptyState();
	for (const [pod, pod_group] of members) state.pods.set(pod, { summary: { pod, pod_group, priority: 5 } });
	for (const summary of groups) state.pod_groups.set(summary.pod_group, { summary, condition: null });
	return state;
}

test("a gated member waits for its group, and no gate of its own", () => {
	const event = { type: "PodGated", pod: "default/train-0", plugin: "GangScheduling" };
	const told = (groups) =>
		plain(
			QUEUE.PodGated({ event, subject: "", state: stateOf([["default/train-0", "default/train"]], groups) }).sentence,
		);
	assert.equal(
		told([{ pod_group: "default/train", min_count: 3 }]),
		"train-0 is held back until its group has 3 members.",
	);
	assert.equal(told([]), "train-0 is held back until its PodGroup exists.");
});

test("a group evicts by its own priority, and by that of what goes as one", () => {
	const state = stateOf([["default/old-0", "default/old"]], [{ pod_group: "default/train", priority: 1000 }]);
	state.group = { preemption: { units: [{ pods: ["default/old-0", "default/old-1"], priority: 10 }] } };
	const event = { type: "VictimEvicted", pod: "default/old-0", node: "n1", preemptor: "default/train", gone_at: 0 };
	const subject = subjectOf(event, state);
	assert.equal(subject, "", "no pod's story");
	const { eyebrow, why } = PREEMPTION.VictimEvicted({ event, state, subject });
	assert.equal(plain(eyebrow), "WorkloadAwarePreemption");
	assert.equal(plain(why), "Its priority 10 is below the 1000 of train.");
});

test("a member in backoff may be taken along by its group", () => {
	const state = stateOf([["default/train-0", "default/train"]], []);
	const event = { type: "PodEnqueued", pod: "default/train-0", queue: "backoff", event: "ScheduleAttemptFailure" };
	Object.assign(event, { timestamp: 0, backoff_until: 1, error_backoff: true });
	assert.match(plain(QUEUE.PodEnqueued({ event, state, subject: "" }).sentence), /at the latest/);
});
