// @ts-nocheck
// The editor's picture after a run: resources held for nominated pods, victims that are still ending, and pods that do
// not fit.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Ending } from "../../../static/js/editor/outcome/ending.js";
import { unpack } from "../../../static/js/trace/feed.js";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
const PYTHON = process.env.PYTHON ?? join(ROOT, ".venv", "bin", "python");

const node = (name, cpu, spec = {}) => ({
	apiVersion: "v1",
	kind: "Node",
	metadata: { name },
	spec,
	status: { allocatable: { cpu, memory: "8Gi", pods: "110" } },
});
const pod = (name, cpu, spec = {}, annotations = {}) => ({
	apiVersion: "v1",
	kind: "Pod",
	metadata: { name, annotations },
	spec: { ...spec, containers: [{ name: "main", image: "pause", resources: { requests: { cpu } } }] },
});

/** The end of a run of these objects. */
function ended(...objects) {
	const folder = mkdtempSync(join(tmpdir(), "ending-"));
	const file = join(folder, "scenario.yaml");
	writeFileSync(file, objects.map((object) => JSON.stringify(object)).join("\n---\n"));
	const out = execFileSync(PYTHON, [join(ROOT, "tests", "js", "trace", "chunks.py"), file], {
		cwd: ROOT,
		env: { ...process.env, PYTHONPATH: ROOT },
	});
	rmSync(folder, { recursive: true });
	const ending = new Ending();
	const steps = [];
	for (const line of out.toString().split("\n").filter(Boolean)) {
		const { chunk } = JSON.parse(line);
		unpack(chunk);
		ending.take(chunk, (_, step) => steps.push(step));
	}
	assert.deepEqual(
		steps,
		steps.map((_, i) => i),
	);
	return ending;
}

const names = (pods) => pods.map((one) => one.pod);
const slow = { "kschedui.io/termination-seconds": "500" };
const scenario = {
	apiVersion: "kschedui.io/v1alpha1",
	kind: "Scenario",
	metadata: { name: "a" },
	spec: { untilSeconds: 20 },
};

test("a nominated pod holds room where its victim still ends, and the next pod does not fit there", () => {
	const tainted = node("n2", "4", { taints: [{ key: "gpu", value: "true", effect: "NoSchedule" }] });
	const ending = ended(
		scenario,
		node("n1", "2"),
		tainted,
		pod("low", "1500m", { nodeName: "n1", priority: 10 }, slow),
		pod("high", "1800m", { priority: 1000 }),
		pod("small", "400m", { priority: 1000 }),
	);
	assert.deepEqual(names(ending.waiting()), ["default/high", "default/small"]);

	const [first, second] = ending.rows("default/small");
	assert.deepEqual(names(first.held), ["default/high"]);
	assert.deepEqual([...first.leaving], ["default/low"]);
	assert.deepEqual([...first.placed], []);
	assert.equal(first.misfit.pod, "default/small"); // 0.5 would be free, were it not for the room that is held
	assert.deepEqual(first.reasons, ["Insufficient cpu"]);
	assert.equal(second.misfit, undefined); // it is the taint there, not the cpu
	assert.match(second.reasons[0], /untolerated taint/);

	const [own] = ending.rows("default/high");
	assert.equal(own.misfit, undefined); // the room is held for itself
});

test("what was placed is marked, and a pod that would fit by now is not drawn as one that does not", () => {
	const gone = {
		apiVersion: "kschedui.io/v1alpha1",
		kind: "Scenario",
		metadata: { name: "a" },
		spec: {
			untilSeconds: 5,
			events: [
				{ at: 3, create: pod("late", "1", { priority: 5, schedulingGates: [{ name: "wait" }] }) },
				{ at: 4, update: node("n1", "8", { unschedulable: true }) },
			],
		},
	};
	const ending = ended(gone, node("n1", "2"), pod("a", "1"), pod("big", "5"));
	const [row] = ending.rows("default/big");
	assert.deepEqual([...row.placed], ["default/a"]);
	assert.deepEqual(names(ending.waiting()), ["default/late", "default/big"]);
	assert.equal(row.misfit, undefined);
	assert.notDeepEqual(row.reasons, []);
	assert.equal(ending.refusals.get("default/late"), undefined); // gated: no node was asked
});
