// @ts-nocheck
// The question of What if: edits that replace each other, undo, and the values of sliders.
import assert from "node:assert/strict";
import { test } from "node:test";
import { apply, askedValue, currentList, listEdits, nothingAsked } from "../../static/js/what_if/edits.js";
import { amountText, parseAmount } from "../../static/js/what_if/fields/parts.js";
import { commonKey, requirementsOf, selectorOf, selectorText } from "../../static/js/what_if/fields/terms.js";
import { marksOf } from "../../static/js/what_if/result.js";
import { triedState } from "../../static/js/what_if/tried.js";

const cpu = (value) => ({ type: "set", kind: "Pod", namespace: "default", name: "web", path: ["spec", "cpu"], value });
const cordon = { type: "set", kind: "Node", name: "n1", path: ["spec", "unschedulable"], value: true };
const put = (asked, ...edits) => apply(asked, { type: "put", edits });

test("an edit takes the place of the one about the same, and one undo takes back a whole drag", () => {
	const first = put(nothingAsked(3), cordon);
	const dragged = put(put(put(first, cpu("1")), cpu("2")), cpu("3"));
	assert.deepEqual(dragged.edits, [cordon, cpu("3")]);
	assert.equal(askedValue(dragged, cpu()), "3");
	assert.deepEqual(apply(dragged, { type: "undo" }).edits, [cordon]);
	assert.deepEqual(apply(apply(dragged, { type: "undo" }), { type: "undo" }).edits, []);
});

test("reset can be undone, and nothing is undone where nothing was done", () => {
	const asked = put(nothingAsked(1), cordon);
	const reset = apply(asked, { type: "reset" });
	assert.deepEqual(reset.edits, []);
	assert.deepEqual(apply(reset, { type: "undo" }).edits, [cordon]);
	const empty = nothingAsked(1);
	assert.equal(apply(empty, { type: "undo" }), empty);
	assert.equal(apply(empty, { type: "reset" }), empty);
	assert.equal(apply(empty, { type: "drop", keys: ["nobody"] }), empty);
});

test("quantities go to a slider and back", () => {
	for (const [resource, text, number] of [
		["cpu", "1500m", 1500],
		["cpu", "2", 2000],
		["memory", "512Mi", 512],
		["memory", "2Gi", 2048],
		["nvidia.com/gpu", "3", 3],
	]) {
		assert.equal(parseAmount(resource, text), number);
		assert.equal(amountText(resource, number), text);
	}
	assert.equal(parseAmount("memory", "1073741824"), 1024);
	assert.ok(Number.isNaN(parseAmount("cpu", "many")));
});

test("a selector goes to its text and back", () => {
	for (const [text, selector] of [
		["app=web", { matchLabels: { app: "web" } }],
		["app=web, example.com/tier=", { matchLabels: { app: "web", "example.com/tier": "" } }],
		[
			"tier in (a, b), !legacy",
			{
				matchExpressions: [
					{ key: "tier", operator: "In", values: ["a", "b"] },
					{ key: "legacy", operator: "DoesNotExist" },
				],
			},
		],
		[
			"app=web, tier notin (c), cores>4, zone",
			{
				matchLabels: { app: "web" },
				matchExpressions: [
					{ key: "tier", operator: "NotIn", values: ["c"] },
					{ key: "cores", operator: "Gt", values: ["4"] },
					{ key: "zone", operator: "Exists" },
				],
			},
		],
		["", {}],
	]) {
		assert.deepEqual(selectorOf(text), selector, text);
		assert.equal(selectorText(selector), text);
	}
	assert.deepEqual(selectorOf("app==web,tier!=db"), {
		matchLabels: { app: "web" },
		matchExpressions: [{ key: "tier", operator: "NotIn", values: ["db"] }],
	});
	for (const wrong of ["=web", "app in web", "app=web tier=db", "a, (b)", "!"])
		assert.equal(selectorOf(wrong), null, wrong);
	assert.deepEqual(requirementsOf("disk=ssd"), [{ key: "disk", operator: "In", values: ["ssd"] }]);
	assert.equal(requirementsOf("disk ssd"), null);
});

const PATH = ["spec", "topologySpreadConstraints"];
const spreading = { type: "set", kind: "Pod", namespace: "default", name: "web", path: PATH, value: null };
const zones = { maxSkew: 1, topologyKey: "zone" };
const hosts = { maxSkew: 2, topologyKey: "host" };
const listed = (asked, was, now) => apply(asked, { type: "put", ...listEdits(asked, spreading, { was, now }) });

test("a field of an item is an edit of its own, an item more or less one of the list", () => {
	const was = [zones, hosts];
	const wider = listed(nothingAsked(1), was, [{ ...zones, maxSkew: 3 }, hosts]);
	assert.deepEqual(wider.edits, [{ ...spreading, path: [...PATH, 0, "maxSkew"], value: 3 }]);
	assert.deepEqual(currentList(wider, spreading, was), [{ ...zones, maxSkew: 3 }, hosts]);
	const less = listed(wider, was, [hosts]);
	assert.deepEqual(less.edits, [{ ...spreading, value: [hosts] }]);
	assert.deepEqual(currentList(less, spreading, was), [hosts]);
	assert.deepEqual(listed(less, was, was).edits, [], "as it was: nothing is asked");
	assert.deepEqual(listed(less, was, []).edits, [spreading]);
});

test("a list that went with what it stood in is empty, and comes back without it", () => {
	const terms = ["spec", "affinity", "nodeAffinity", "required", "nodeSelectorTerms"];
	const list = { ...spreading, path: terms };
	const gone = put(nothingAsked(1), { ...list, path: terms.slice(0, 4), value: null });
	assert.deepEqual(currentList(gone, list, [zones]), []);
	const back = apply(gone, { type: "put", ...listEdits(gone, list, { was: [zones], now: [hosts, zones] }) });
	assert.deepEqual(back.edits, [{ ...list, value: [hosts, zones] }]);
});

test("every node that changes sides is marked on the stage, those beyond the list too", () => {
	const side = (node) => ({ node, nominated: "", victims: [], message: "", feasible: 1 });
	const answer = {
		before: side("n1"),
		after: side("n2"),
		gained: [{ node: "n2" }],
		lost: [{ node: "n1" }],
		more: [["n3"], ["n4"]],
	};
	assert.deepEqual(Object.fromEntries(marksOf(answer)), { n1: "lost", n2: "winner", n3: "gained", n4: "lost" });
	assert.equal(marksOf(null).size, 0);
});

test("a new term is about zones if nodes have them, however many other labels they have", () => {
	const zone = "topology.kubernetes.io/zone";
	const labels = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`example.com/${i}`, ""]));
	const nodes = (own) => ({ view: { state: { nodes: new Map([["n1", { summary: { labels: own } }]]) } } });
	assert.equal(commonKey(nodes({ ...labels, [zone]: "a" })), zone);
	assert.equal(commonKey(nodes(labels)), "kubernetes.io/hostname");
});

test("the picture of a tried number has whole reasons", () => {
	const event = { plugins: ["NodeResourcesFit", "TaintToleration"], verdicts: [], feasible: 1, nodes: 1 };
	const state = {
		order: ["n1"],
		pods: new Map(),
		nodes: new Map(),
		cycle: { NodesFiltered: { ...event, verdict: `i4:${btoa("\0\0\0\0")}` } },
	};
	const lost = [{ node: "n1", before: "", after: "TaintToleration: node(s) had taint {a: b}, Too many: 3" }];
	const change = { of: "room", id: "", name: "cpu", node: "n1", value: 2, to: 1 };
	const { cycle } = triedState(state, "default/web", [change], { gained: [], lost });
	assert.deepEqual(cycle.NodesFiltered.verdicts, [
		{ plugin: "TaintToleration", code: "Unschedulable", reasons: ["node(s) had taint {a: b}", "Too many: 3"] },
	]);
});
