// @ts-nocheck
// The stage for pod groups, for recorded lessons: the state of each member, the quorum, placements, the queue.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { plain, useCatalogue } from "../../../static/js/shared/i18n.js";
import { frame, items, quorumWords } from "../../../static/js/steps/group/around.js";
import { gangOf } from "../../../static/js/steps/group/model.js";
import { columns, nodeBox, placements, victims } from "../../../static/js/steps/group/view.js";
import { messageWords } from "../../../static/js/steps/group/words.js";
import { captionOf, sceneOf } from "../../../static/js/steps/registry.js";
import { unpack } from "../../../static/js/trace/feed.js";
import { stations, subjectOf } from "../../../static/js/trace/phase.js";
import { apply, emptyState, fork } from "../../../static/js/trace/state.js";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
const PYTHON = process.env.PYTHON ?? join(ROOT, ".venv", "bin", "python");
const LESSONS = ["fits", "too-big", "one-zone", "preempts", "waits"].map((name) =>
	join(ROOT, "kschedui", "scenarios", "lessons", `gang-${name}.yaml`),
);
const GANGS = join(ROOT, "tests", "conformance", "gang");
const RECORDED = readdirSync(GANGS).flatMap((name) => (name.endsWith(".yaml") ? [join(GANGS, name)] : []));
const catalogue = (language) => JSON.parse(readFileSync(join(ROOT, "static", "i18n", `${language}.json`)));

/** The events of each file, and the state after each. */
function played(files) {
	const output = execFileSync(PYTHON, [join(ROOT, "tests", "js", "trace", "chunks.py"), ...files], {
		cwd: ROOT,
		env: { ...process.env, PYTHONPATH: ROOT },
		maxBuffer: 1 << 29,
	});
	const out = new Map();
	const states = new Map();
	for (const line of output.toString().split("\n").filter(Boolean)) {
		const { file, chunk } = JSON.parse(line);
		unpack(chunk);
		const state = states.get(file) ?? states.set(file, emptyState()).get(file);
		const steps = out.get(file) ?? out.set(file, []).get(file);
		for (const event of chunk.events) {
			apply(state, event);
			steps.push({ event, state: fork(state) });
		}
	}
	return out;
}

const runs = new Map([...played(LESSONS)].map(([file, steps]) => [/gang-(.*)\.yaml/.exec(file)[1], steps]));
useCatalogue(catalogue("en"));

/** The steps of a lesson with events of this type for which `more` returns true. */
function stepsOf(name, type, more = () => true) {
	return runs.get(name).filter(({ event }) => event.type === type && more(event));
}
const standings = ({ event, state }) => gangOf(event, state).members.map(({ standing }) => standing);
const nextOf = (name, step) => runs.get(name)[runs.get(name).indexOf(step) + 1]?.event;
const caption = (name, step) =>
	captionOf({ ...step, frame: 0, order: "plugin", following: nextOf(name, step), explainer: undefined });

test("members are tried one after another, and the quorum fills", () => {
	const [first, second, third] = stepsOf("fits", "PermitEvaluated");
	assert.deepEqual(standings(first), ["fits", "waits", "waits"]);
	assert.deepEqual(standings(second), ["fits", "fits", "waits"]);
	assert.deepEqual(standings(third), ["fits", "fits", "fits"]);
	const have = [first, second, third].map(({ event, state }) => gangOf(event, state).have);
	assert.deepEqual(have, [1, 2, 3]);
	assert.equal(quorumWords(gangOf(second.event, second.state)), "2 of 3 (minCount) have a node");
	const [started] = stepsOf("fits", "CycleStarted", ({ attempt }) => attempt === 2);
	assert.deepEqual(standings(started), ["fits", "tried", "waits"]);
	assert.match(plain(caption("fits", started).why), /^Members that were tried before it/);
	const [begun] = stepsOf("fits", "CycleStarted", ({ attempt }) => attempt === 1);
	assert.equal(plain(caption("fits", begun).why), "", "there is none before the first");
});

test("while a group is only tried, nobody waits on Permit or is in flight", () => {
	for (const name of runs.keys()) {
		for (const { event, state } of runs.get(name)) {
			if (!state.group || state.group.decided) continue;
			for (const key of state.group.started.pods)
				assert.equal(state.pods.get(key).place, "scheduling", `${name} ${event.type} ${key}`);
		}
	}
});

test("the one that fits nowhere sends all back: places are given back one by one, with the reason", () => {
	const [evaluated] = stepsOf("too-big", "PodGroupEvaluated");
	assert.deepEqual(standings(evaluated), ["fits", "fits", "left"]);
	assert.equal(gangOf(evaluated.event, evaluated.state).enough, false);
	const [one, other] = stepsOf("too-big", "PodUnreserved");
	assert.deepEqual(standings(one), ["fits", "back", "left"]);
	assert.deepEqual(standings(other), ["back", "back", "left"]);
	assert.equal(
		plain(caption("too-big", one).why),
		"train-2 finds no node, and 2 of 3 are too few: no member keeps its node.",
	);
	const [decided] = stepsOf("too-big", "PodGroupDecided");
	assert.deepEqual(standings(decided), ["returns", "returns", "returns"]);
	assert.match(plain(caption("too-big", decided).why), /^2 of 3 had a node; train-2 had none/);
});

test("what is decided all members go to at once, then each is bound", () => {
	const [decided] = stepsOf("fits", "PodGroupDecided");
	assert.deepEqual(standings(decided), ["goes", "goes", "goes"]);
	assert.deepEqual(
		gangOf(decided.event, decided.state).members.map(({ node }) => node),
		["n1", "n1", "n2"],
	);
	const [bound] = stepsOf("fits", "PodBound");
	assert.deepEqual(standings(bound), ["bound", "permit", "assumed"]);
	const [over] = stepsOf("fits", "PodGroupCycleFinished");
	assert.deepEqual(standings(over), ["bound", "bound", "bound"]);
});

test("a group that waits for its members has a place for those to come", () => {
	const [, second] = stepsOf("waits", "PodGated");
	assert.deepEqual(standings(second), ["here", "here", "absent"]);
	assert.equal(quorumWords(gangOf(second.event, second.state)), "2 of 3 (minCount) are in the queue");
	assert.equal(sceneOf(second.event, second.state), "group");
	const basic = { ...gangOf(second.event, second.state), min: null };
	assert.equal(quorumWords(basic), "2 of 3 are in the queue");
});

test("placements stand beside each other, one is tried at a time, one is taken", () => {
	const at = (step) =>
		placements(gangOf(step.event, step.state), step.state).map(({ name, standing, chosen, score }) =>
			[name, standing, chosen ? "chosen" : "", score?.total ?? ""].join(" ").trim(),
		);
	const [started] = stepsOf("one-zone", "PodGroupCycleStarted");
	assert.deepEqual(at(started), ["a ahead", "b ahead", "c ahead"]);
	const [, second] = stepsOf("one-zone", "PlacementStarted");
	assert.deepEqual(at(second), ["a few", "b now", "c ahead"]);
	const [scored] = stepsOf("one-zone", "PlacementsScored");
	assert.deepEqual(at(scored), ["a few", "b holds chosen 139", "c holds  126"]);
	assert.deepEqual(
		gangOf(scored.event, scored.state).members.map(({ node }) => node),
		["b1", "b2", "b1"],
		"the best one's nodes are told",
	);
});

test("a link into a run of groups has the same pictures: lanes for what a plugin says, the group for the rest", () => {
	const [filtered] = stepsOf("fits", "NodesFiltered");
	assert.equal(sceneOf(filtered.event, filtered.state), "filter");
	const [evicted] = stepsOf("preempts", "VictimEvicted");
	assert.equal(sceneOf(evicted.event, evicted.state), "group");
	const [alone] = stepsOf("too-big", "PodBound", ({ pod }) => pod === "default/solo");
	assert.equal(sceneOf(alone.event, alone.state), "cluster");
});

test("in the queue a group is one item with its members inside, and leaves it as one", () => {
	const single = (_view, _section, pod) => ({ tag: "div", key: pod.summary.pod, props: {}, children: ["", ""] });
	const drawn = ({ event, state }, section) => {
		const pods = [...state.pods.values()].filter(({ place }) => place === section);
		const view = { event, state, act: {}, subject: subjectOf(event, state) };
		return items(view, section, pods, single)?.filter(Boolean);
	};
	const [, , , solo] = stepsOf("too-big", "PodEnqueued");
	const [group, alone, ...rest] = drawn(solo, "active");
	assert.equal(group.key, "groupdefault/train");
	assert.deepEqual([alone.key, rest], ["default/solo", []]);
	const [started] = stepsOf("too-big", "PodGroupCycleStarted");
	assert.deepEqual(
		drawn(started, "active").map(({ key }) => key),
		["leftdefault/train", "default/solo"],
	);
	const [bound] = stepsOf("too-big", "PodBound", ({ pod }) => pod === "default/solo");
	assert.equal(drawn(bound, "unschedulable"), undefined, "nobody there: the ordinary section");
});

test("what is told of the group as a whole is no member's story", () => {
	for (const type of ["PodGroupDecided", "PodGroupConditionWritten", "PodGroupCycleFinished"]) {
		const [step] = stepsOf("fits", type);
		assert.equal(subjectOf(step.event, step.state), "", type);
	}
	const [deleted] = stepsOf("preempts", "ObjectDeleted");
	assert.equal(subjectOf(deleted.event, deleted.state), "");
});

test("a member that is taken back had come as far as Permit", () => {
	const [undone] = stepsOf("too-big", "PodUnreserved");
	assert.equal(stations(undone.event, undone.state).get("Permit"), "current");
});

test("Next speaks of the group where a member is gated or tried, and of no scheduling gate", () => {
	const [created] = runs.get("waits");
	assert.equal(plain(caption("waits", created).next), "Are enough members of train-0's group here?");
	const [started] = stepsOf("fits", "PodGroupCycleStarted");
	assert.equal(plain(caption("fits", started).next), "train-0 is tried, with the members before it on their nodes.");
});

test("kube-scheduler's sentences about groups are told in the reader's language", () => {
	useCatalogue(catalogue("zh-hans"));
	for (const [name, steps] of runs) {
		for (const step of steps) {
			if (!/^PodGroup|^SchedulingFailed/.test(step.event.type)) continue;
			const { sentence, why } = caption(name, step);
			assert.doesNotMatch(plain([...sentence, ...why]), /pod group is|waiting for minCount/, step.event.type);
		}
	}
	assert.equal(
		messageWords("0/3 placements are available, first placement status: x"),
		"3 个放置方案中 0 个放得下整个组。",
	);
	useCatalogue(catalogue("en"));
});

/** The texts of a description. */
function textsOf(drawn) {
	if (Array.isArray(drawn)) return drawn.flatMap(textsOf);
	if (drawn && typeof drawn === "object") return textsOf(drawn.children);
	return typeof drawn === "string" ? [drawn] : [];
}

/** The elements of a description for whose props `wanted` returns true. */
function elementsIn(drawn, wanted) {
	if (Array.isArray(drawn)) return drawn.flatMap((part) => elementsIn(part, wanted));
	if (!drawn || typeof drawn !== "object") return [];
	return [...(wanted(drawn.props) ? [drawn] : []), ...elementsIn(drawn.children, wanted)];
}

test("pods that are evicted as a whole are in one box, which is struck out when the last of them is gone", () => {
	const boxes = ({ event, state }, kind) => {
		const view = { event, state, subject: "", width: 1280, act: {} };
		const drawn = elementsIn(victims(view, gangOf(event, state)), ({ class: names = "" }) => {
			const own = names.split(" ");
			return own.includes("victim-unit") && own.includes(kind);
		});
		return drawn.map((box) => elementsIn(box, (props) => props["data-pod"]).map(({ key }) => key));
	};
	const old = ["default/old-0", "default/old-1"];
	const [evaluated] = stepsOf("preempts", "PodGroupPreemptionEvaluated");
	assert.deepEqual(boxes(evaluated, "victim-unit"), [old, ["default/web"]]);
	assert.deepEqual(boxes(evaluated, "whole"), [old]);
	const [first, last] = stepsOf("preempts", "ObjectDeleted");
	const gone = [evaluated, first, last].map((step) => boxes(step, "gone"));
	assert.deepEqual(gone, [[], [], [old]]);
});

test("a member moves from its node, or from the group's frame while it has none; in the queue it moves from there", () => {
	for (const [name, steps] of runs) {
		for (const { event, state } of steps) {
			const gang = gangOf(event, state);
			if (!gang) continue;
			const view = { event, state, subject: subjectOf(event, state), width: 1280, act: {} };
			const beside = placements(gang, state);
			const drawn = [
				frame(view, gang),
				beside.length ? columns(view, gang, beside) : [...state.nodes.keys()].map((node) => nodeBox(view, gang, node)),
			];
			const places = elementsIn(drawn, (props) => props["data-fly"]).map(({ props }) => props["data-fly"]);
			for (const { pod, standing } of gang.members) {
				const inStage = standing === "here" || standing === "absent" ? 0 : 1;
				const where = `${name} ${state.step} ${event.type} ${pod} ${standing}`;
				assert.equal(places.filter((key) => key === pod).length, inStage, where);
			}
		}
	}
});

test("whatever a group comes to in the recorded runs can be drawn, each member once, and as many as there are", () => {
	for (const [file, steps] of played(RECORDED)) {
		for (const { event, state } of steps) {
			const gang = gangOf(event, state);
			if (!gang) continue;
			const where = `${file} ${state.step} ${event.type}`;
			const view = { event, state, subject: subjectOf(event, state), width: 1280, act: {} };
			const beside = placements(gang, state);
			const drawn = [
				frame(view, gang),
				victims(view, gang),
				beside.length ? columns(view, gang, beside) : [...state.nodes.keys()].map((name) => nodeBox(view, gang, name)),
			];
			assert.doesNotMatch(textsOf(drawn).join(" "), /undefined|NaN|\bgang\.|\{/, where);
			const names = gang.members.map(({ pod }) => pod).filter(Boolean);
			assert.equal(new Set(names).size, names.length, where);
			assert.ok(gang.have >= 0 && gang.have <= gang.whole, where);
			const on = gang.members.filter(({ standing }) => /^(fits|bound|permit|assumed|goes)$/.test(standing));
			if (gang.phase === "tried") assert.equal(gang.have, on.length, where);
			for (const { pod, standing, node } of on)
				assert.ok(standing === "goes" || gang.cycle?.scored || state.pods.get(pod).node === node, where);
		}
	}
});
