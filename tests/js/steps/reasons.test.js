// @ts-nocheck
// Every reason of the engine's plugins has a plain text in both languages.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { useCatalogue } from "../../../static/js/shared/i18n.js";
import { modeOf } from "../../../static/js/steps/filter/lanes.js";
import { keyOf, passWords, plainReason, stopWords } from "../../../static/js/steps/parts/words.js";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
const PLUGINS = join(ROOT, "scheduler_core", "plugins");

/** Texts beginning with "node(s)" in the plugins' sources. */
const reasons = new Set(
	readdirSync(PLUGINS, { recursive: true })
		.filter((name) => name.endsWith(".py") && !name.endsWith("starters.py"))
		.flatMap((name) => readFileSync(join(PLUGINS, name), "utf8").match(/node\(s\) [^"]+/g) ?? []),
);

for (const language of ["en", "zh-hans"]) {
	test(`reasons are told in plain words: ${language}`, () => {
		useCatalogue(JSON.parse(readFileSync(join(ROOT, "static", "i18n", `${language}.json`))));
		assert.ok(reasons.size >= 15, `${reasons.size}`);
		for (const reason of reasons) {
			const words = plainReason(reason.replace("{{{taint.key}: {taint.value}}}", "{gpu: true}"));
			assert.doesNotMatch(words, /node\(s\)|^reason\./, reason);
		}
	});
}

test("a comparison is told in words, with what it compared", () => {
	useCatalogue(JSON.parse(readFileSync(join(ROOT, "static", "i18n", "en.json"))));
	const required = (operator, wanted, node) => ({
		key: "NodeAffinity.required",
		left: "n1",
		op: "∉",
		right: "…",
		holds: false,
		values: { terms: 1, key: "disk", operator, wanted, node },
	});
	assert.deepEqual(stopWords(required("In", "ssd, nvme", "hdd"), "default/web"), [
		"disk is hdd",
		"web requires ssd or nvme",
	]);
	assert.deepEqual(stopWords(required("In", "ssd", ""), "default/web"), ["no label disk", "web requires ssd"]);
	assert.deepEqual(stopWords(required("NotIn", "hdd", "hdd"), "default/web"), ["disk is hdd", "web excludes that"]);
	assert.deepEqual(stopWords(required("Gt", "4", "2"), "default/web"), ["disk is 2", "web requires more than 4"]);
	const skew = {
		key: "PodTopologySpread.skew",
		left: "",
		op: "≤",
		right: "",
		holds: false,
		values: {
			topologyKey: "topology.kubernetes.io/zone",
			domain: "a",
			matching: 2,
			self: 1,
			least: 1,
			skew: 2,
			maxSkew: 1,
		},
	};
	assert.deepEqual(stopWords(skew, "default/web"), ["skew 2 > 1", "3 in a, fewest: 1"]);
	assert.equal(
		passWords([
			{
				key: "PodTopologySpread.label",
				holds: true,
				values: { topologyKey: "topology.kubernetes.io/zone", domain: "a" },
			},
			{ ...skew, holds: true, values: { ...skew.values, skew: 1 } },
		]),
		"skew 1 ≤ 1",
	);
	assert.equal(passWords([{ key: "NodePorts.skip", holds: true }]), "nothing to check");
	assert.equal(stopWords({ key: "Something.else", values: {} }, "default/web"), null);
	assert.equal(keyOf({ key: "NodePorts.port" }), "NodePorts.port");
});

test("reasons are written on lanes where they have room, and grouped where not", () => {
	const at = (width, height) => [15, 40, 41].map((count) => modeOf({ width, sizes: { height } }, count));
	assert.deepEqual(at(1280, 400), ["middle", "thin", "thin"]);
	assert.deepEqual(at(1920, 900), ["middle", "middle", "thin"]);
	assert.deepEqual(at(390, 340), ["middle", "middle", "thin"]); // there they scroll
});

test("a cordon is not said to make room, and the end of one is", async () => {
	const { CAPTIONS } = await import("../../../static/js/steps/cluster/words.js");
	const { plain } = await import("../../../static/js/shared/i18n.js");
	const why = (unschedulable) => {
		const node = { name: "n1", allocatable: { cpu: 1000 }, unschedulable };
		const changes = [{ field: "unschedulable", name: "", after: "" }];
		const event = { type: "ObjectApplied", action: "update", kind: "Node", name: "n1", node, changes };
		return plain(CAPTIONS.ObjectApplied({ event, state: { pods: new Map() }, subject: "" }).why);
	};
	assert.notEqual(why(true), why(false));
	assert.match(why(true), /pods stay|cordon/);
});
