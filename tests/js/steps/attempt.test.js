// @ts-nocheck
// An attempt whose verdicts are written here: the sentences, the lanes of the nodes, the candidates of a preemption.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { plain, useCatalogue } from "../../../static/js/shared/i18n.js";
import { draw } from "../../../static/js/steps/filter/lanes.js";
import { drawCells } from "../../../static/js/steps/many/view.js";
import { draw as drawPreemption } from "../../../static/js/steps/preempt/view.js";
import { captionOf, framesOf } from "../../../static/js/steps/registry.js";
import { apply, emptyState } from "../../../static/js/trace/state.js";
import { drawn, SILENT } from "../drawn.js";

useCatalogue(JSON.parse(readFileSync(new URL("../../../static/i18n/en.json", import.meta.url))));

const ZONE = "topology.kubernetes.io/zone";
const nodeOf = (name, more) => ({ name, allocatable: { cpu: 4000, memory: 2 ** 32, pods: 110 }, ...more });
const NODES = ["n1", "n2", "n3"].map((name) => nodeOf(name));
const RUNNING = { pod: "default/db", node: "n1", requests: { cpu: 3500 } };

/** The state in an attempt of default/web that has come to these events. */
function attempt(events, { nodes = NODES, pods = [] } = {}) {
	const state = emptyState();
	apply(state, { type: "RunStarted", title: "", profiles: [], nodes, order: [...nodes.keys()], pods });
	apply(state, {
		type: "ObjectApplied",
		action: "create",
		kind: "Pod",
		name: "web",
		namespace: "default",
		pod: { pod: "default/web", requests: { cpu: 1000 } },
	});
	apply(state, { type: "CycleStarted", pod: "default/web", attempt: 1, pod_attempts: 1 });
	for (const event of events) apply(state, event);
	return state;
}

/** Filter with these plugins; `rejected` says which one rejects a node, and why. */
function filtered(plugins, rejected = {}, { nodes = NODES, ...more } = {}) {
	const verdicts = Object.values(rejected).map(([plugin, reason]) => ({
		plugin,
		code: "Unschedulable",
		reasons: [reason],
	}));
	const at = nodes.map(({ name }) => Object.keys(rejected).indexOf(name) + 1);
	const event = { type: "NodesFiltered", pod: "default/web", plugins, verdicts, start: 0, nodes_to_find: nodes.length };
	const verdict = `u1:${Buffer.from(at).toString("base64")}`;
	const feasible = at.filter((k) => !k).length;
	return { ...event, verdict, feasible, evaluated: nodes.length, total: nodes.length, ...more };
}

const caption = (event, state, more) =>
	captionOf({ event, state, frame: 0, order: "plugin", following: undefined, explainer: SILENT, ...more });

test("if one node lacks room, the caption names the pods that hold it; if several do, only their number", () => {
	const short = (...names) => Object.fromEntries(names.map((name) => [name, ["NodeResourcesFit", "Insufficient cpu"]]));
	const why = (...names) => {
		const event = filtered(["NodeResourcesFit"], short(...names));
		const { sentence, why: because } = caption(event, attempt([event], { pods: [RUNNING] }));
		return plain([...sentence, " ", ...because]);
	};
	assert.equal(why("n1"), "web needs 1 cpu, but n1 has 0.5 of 4 free. db holds 3.5 cpu there. n2 and n3 are left.");
	assert.doesNotMatch(why("n1", "n2"), /holds/);
});

test("the skew of a spread constraint is in the sentence about one node, and in the reason if there are several", () => {
	const values = { topologyKey: ZONE, domain: "a", matching: 2, self: 1, least: 1, skew: 2, maxSkew: 1 };
	const facts = [{ key: "PodTopologySpread.skew", left: "", op: "≤", right: "", holds: false, values }];
	const explainer = { ...SILENT, filter: () => ({ code: "Unschedulable", facts }) };
	const told = (...names) => {
		const reason = "node(s) didn't match pod topology spread constraints";
		const event = filtered(
			["PodTopologySpread"],
			Object.fromEntries(names.map((name) => [name, ["PodTopologySpread", reason]])),
		);
		const { sentence, why } = caption(event, attempt([event]), { explainer });
		return [plain(sentence), plain(why)];
	};
	const skew = /zone a would hold 3 matching pods, 2 more than the domain with the fewest; the limit is 1/;
	const [one, rule] = told("n1");
	assert.match(one, skew);
	assert.equal(
		rule.split(". ")[0],
		"The difference to the domain with the fewest matching pods may not exceed maxSkew",
	);
	const [several, because] = told("n1", "n2");
	assert.equal(several, "On 2 nodes web would make the spread too uneven.");
	assert.match(because, skew);
});

test("a node is said to have been nominated only if it is the nominated one", () => {
	const sentence = (search, node) => {
		const event = { type: "HostSelected", pod: "default/web", node, evaluated: 1, feasible: 1 };
		return plain(caption(event, attempt([search, event])).sentence);
	};
	const taken = filtered(["NodeName"], {}, { nodes: [], nominated_first: "n1", feasible: 1, total: 3 });
	assert.equal(sentence(taken, "n1"), "web goes to n1, which was nominated and fits.");
	const other = filtered(["NodeName"], {}, { nodes: [NODES[1]], start: 1, total: 3 });
	assert.equal(sentence(other, "n2"), "web goes to n2: it fits, and the search stopped there.");
	const verdicts = [{ plugin: "NodeName", code: "Unschedulable", reasons: ["node(s) didn't match"] }];
	const passedOver = { ...other, verdicts, nominated_first: "n1", nominated_verdict: 1 };
	assert.equal(sentence(passedOver, "n2"), sentence(other, "n2"));
});

/** The lanes of a step. */
function lanes(event, state, more) {
	const view = { event, state, subject: "default/web", scene: "filter", frame: 0, order: "plugin", step: 0 };
	const page = { width: 1280, sizes: { stage: 1000, height: 600 }, boot: {}, options: {}, act: {}, explainer: SILENT };
	return drawn(draw, { ...view, ...page, selection: null, ...more });
}

test("a line stands between zones, not above the first nor between the nodes of one", () => {
	const nodes = ["a", "a", "b", "b"].map((zone, i) => nodeOf(`${zone}${i}`, { labels: { [ZONE]: zone } }));
	const event = filtered(["NodeName", "NodeResourcesFit"], {}, { nodes });
	const divided = (of) =>
		lanes(event, attempt([event], { nodes: of }))
			.all("lane")
			.filter((row) => row.is("newzone"))
			.map(({ props }) => props["data-node"]);
	assert.deepEqual(divided(nodes), ["b2"]);
	assert.deepEqual(divided(nodes.slice(0, 2)), []);
});

test("before Filter its plugins share the room that there is for columns, however many they are", () => {
	const widths = (plugins) => {
		const event = { type: "PreFilterFinished", pod: "default/web" };
		return lanes(event, attempt([event]), { following: filtered(plugins) })
			.all("column-head")
			.map(({ props }) => Number.parseFloat(props.style["--column"]));
	};
	const names = ["NodeName", "NodeResourcesFit", "TaintToleration", "NodePorts"];
	const [two, four] = [2, 4].map((n) => widths(names.slice(0, n)));
	assert.equal(new Set(two).size, 1);
	assert.equal(new Set(four).size, 1);
	assert.equal(two[0] * 2, four[0] * 4);
});

test("beside a node's name is what it has free, unless tags are there", () => {
	const nodes = [
		nodeOf("n1"),
		nodeOf("n2", { taints: [["gpu", "", "NoSchedule"]] }),
		nodeOf("n3", { unschedulable: true }),
	];
	const event = filtered(["NodeResourcesFit"], {}, { nodes });
	const shown = lanes(event, attempt([event], { nodes, pods: [RUNNING] }))
		.all("lane-head")
		.map((head) => head.all("lane-free").map(({ text }) => text.trim()));
	assert.deepEqual(shown, [["0.5 of 4  free"], [], []]);
});

test("in a large cluster the funnel begins with all nodes that were checked, even if that is only the nominated one", () => {
	const nodes = Array.from({ length: 300 }, (_, i) => nodeOf(`n${i}`));
	const bars = (event) => {
		const view = { event, state: attempt([event], { nodes }), scene: "filter", frame: 0, order: "plugin", options: {} };
		return drawn(drawCells, view)
			.all("funnel-track")
			.map(({ childNodes: [bar] }) => bar.props.style.width);
	};
	const whole = bars(filtered(["NodeName"], {}, { nodes }));
	const only = filtered(["NodeName"], {}, { nodes: [], nominated_first: "n0", feasible: 1, total: 300 });
	assert.deepEqual(bars(only), whole);
});

test("a bar of the funnel seeks its plugin's frame where a frame is a plugin, and else pins its column", () => {
	const nodes = Array.from({ length: 300 }, (_, i) => nodeOf(`n${i}`));
	const event = filtered(["NodeName", "NodePorts"], {}, { nodes });
	const done = (order) => {
		const calls = [];
		const act = { seek: (...place) => calls.push(place), pin: (what) => calls.push(what) };
		const view = {
			event,
			state: attempt([event], { nodes }),
			scene: "filter",
			frame: 0,
			step: 7,
			order,
			act,
			options: {},
		};
		drawn(drawCells, view).all("funnel-bar")[1].props.on.click();
		return calls;
	};
	assert.deepEqual(done("plugin"), [[7, 1]]);
	assert.deepEqual(done("node"), ["column:NodePorts"]);
});

test("candidates of a preemption: columns as high as their nodes, a star where one wins, a cross where one falls", () => {
	const nodes = [nodeOf("n1"), nodeOf("n2", { allocatable: { cpu: 1000, memory: 2 ** 32, pods: 110 } })];
	const candidate = (node, victim, priority, rung) => ({
		node,
		victims: [victim],
		removed: [victim],
		reprieve: [{ pod: victim, reprieved: false }],
		pdb_violations: 0,
		highest_priority: priority,
		priority_sum: priority,
		rung,
	});
	const candidates = [candidate("n1", "default/a", 1, 0), candidate("n2", "default/b", 5, 2)];
	const event = { type: "PreemptionEvaluated", pod: "default/web", eligible: true, reason: "", candidates };
	const pods = candidates.map(({ node, victims: [pod], highest_priority: priority }) => ({
		...{ pod, node, priority },
		requests: { cpu: 1000 },
	}));
	const view = { event, state: attempt([event], { nodes, pods }), subject: "default/web", scene: "preempt", act: {} };
	const stage = (frame) => drawn(drawPreemption, { ...view, frame, width: 1280, sizes: { stage: 1000, height: 700 } });
	const heights = stage(0)
		.all("candidate-inside")
		.map(({ props }) => props.style.height);
	assert.deepEqual(heights, ["100%", "25%"]);
	const values = (frame, criterion) =>
		stage(frame)
			.all("criterion")
			[criterion - 1].all("criterion-value")
			.map(({ text }) => text);
	const [budgets, priorities] = [framesOf(event) - 2, framesOf(event) - 1];
	assert.deepEqual(values(budgets, 1), ["0", "0"]);
	assert.deepEqual(values(budgets, 2), ["", ""], "not compared yet");
	assert.deepEqual(values(priorities, 1), ["0", "0"]);
	assert.deepEqual(values(priorities, 2), ["★ 1", "✕ 5"]);
});
