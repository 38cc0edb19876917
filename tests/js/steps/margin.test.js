// @ts-nocheck
// The margin: where a number comes from, and the button that closes it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { drawMargin } from "../../../static/js/chrome/stage.js";
import { useCatalogue } from "../../../static/js/shared/i18n.js";
import { apply, emptyState } from "../../../static/js/trace/state.js";
import { drawn, SILENT } from "../drawn.js";

useCatalogue(JSON.parse(readFileSync(new URL("../../../static/i18n/en.json", import.meta.url))));

const NODE = { name: "n1", allocatable: { cpu: 32000, memory: 2 ** 30, pods: 110 } };
const START = [
	{ type: "RunStarted", title: "", profiles: [], nodes: [NODE], order: [0], pods: [] },
	{
		type: "ObjectApplied",
		action: "create",
		kind: "Pod",
		name: "web",
		namespace: "default",
		pod: { pod: "default/web", requests: { cpu: 1000 } },
	},
];

/** The margin after these events, with the number `pin` selected. */
function margin(events, { pin = null, ...more } = {}) {
	const state = emptyState();
	for (const event of [...START, ...events]) apply(state, event);
	const event = events.at(-1);
	const view = { event, state, subject: "default/web", scene: "cluster", frame: 0, order: "plugin", pin, ...more };
	const page = { boot: {}, options: {}, act: {}, selection: null, explainer: SILENT, moment: () => state };
	return drawn(drawMargin, { ...page, ...view });
}

test("a backoff is told as its beginning, its length and its end", () => {
	const queued = { type: "PodEnqueued", pod: "default/web", queue: "backoff", event: "ScheduleAttemptFailure" };
	const panel = margin([{ ...queued, timestamp: 10, backoff_until: 14, sequence: 1 }], { pin: "backoff:default/web" });
	assert.equal(panel.all("formula")[0].text, "10.0 s + 4 s = 14.0 s");
});

test("a document is shown from its spec on, or from a few lines before the deciding one if that is further down", () => {
	const fields = Array.from({ length: 20 }, (_, i) => `  field${i + 1}: x`);
	const lines = ["apiVersion: resource.k8s.io/v1", "kind: ResourceClaim", "spec:", ...fields];
	const shown = (line) => {
		const attempt = { kind: "selector", request: "gpu", devices: ["d/p/gpu-0"], document: 0, line };
		const search = { type: "DevicesSearched", pod: "default/web", claims: ["default/gpu"], requests: [] };
		search.nodes = [{ node: "n1", outcome: "none", tries: [attempt] }];
		search.documents = [{ kind: "ResourceClaim", name: "gpu", lines }];
		const started = { type: "CycleStarted", pod: "default/web", attempt: 1, pod_attempts: 1 };
		const [list] = margin([started, search], { pin: "search", frame: 1 }).all("yaml-lines");
		return [list.childNodes[0].text, list.all("marked")[0].text];
	};
	const spec = lines.indexOf("spec:");
	assert.deepEqual(shown(spec + 9), ["spec:", "  field9: x"]);
	assert.deepEqual(shown(spec + 10), ["⋮", "  field10: x"]);
});

test("a share that lies between two numbers of four decimals is rounded as the engine rounds it", () => {
	const plugin = "NodeResourcesBalancedAllocation";
	const scored = { type: "ScoresComputed", pod: "default/web", rows: 0, count: 1, total: 98 };
	scored.plugins = [{ plugin, weight: 1, normalized: 98 }];
	const sum = (requested) => {
		const values = { request: 1000, requested, allocatable: 32000 };
		const compared = { left: "", op: "≤", right: "", holds: true, values };
		const facts = [{ key: `${plugin}.share`, field: "spec.containers[0].resources.requests.cpu", ...compared }];
		const explainer = { ...SILENT, score: () => ({ arithmetic: [`cpu ${requested} / 32000 = 0.0`], facts }) };
		const started = { type: "CycleStarted", pod: "default/web", attempt: 1, pod_attempts: 1 };
		const panel = margin([started, scored], { pin: `score:n1:${plugin}`, scene: "score", explainer });
		return panel.all("formula")[0].text.replace("\u00a0", " ");
	};
	assert.equal(sum(1000), "cpu 1000 / 32000 = 0.0312", "1/32 = 0.03125");
	assert.equal(sum(3000), "cpu 3000 / 32000 = 0.0938", "3/32 = 0.09375");
	assert.equal(sum(2000), "cpu 2000 / 32000 = 0.0625");
});

test("closing the margin ends the selection of a number and of an object, and folds the panel of a narrow page", () => {
	const calls = [];
	const act = Object.fromEntries(["pin", "select", "set"].map((name) => [name, (value) => calls.push([name, value])]));
	margin([START[1]], { act, pin: "request:default/web", options: { margin: true } })
		.all("margin-close")[0]
		.click();
	assert.deepEqual(calls, [
		["pin", null],
		["select", null],
		["set", { margin: false }],
	]);
});
