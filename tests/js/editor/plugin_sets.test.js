// @ts-check
/** The builder shows the weights with which kube-scheduler scores, and writes no more than a change needs. */
import assert from "node:assert/strict";
import test from "node:test";
import { setWithWeight, weightAt } from "../../../static/js/editor/form/plugin_sets.js";

const NAME = "NodeAffinity";
const NORMAL = 2;
const weightOf = (plugins) => weightAt(plugins, "score", NAME, NORMAL);
const ALL_OFF = { score: { disabled: [{ name: "*" }] } };

test("a plugin that the profile does not mention has the weight of the default profile", () => {
	assert.equal(weightOf(undefined), NORMAL);
	assert.equal(weightOf({ score: null, multiPoint: { enabled: null } }), NORMAL);
	assert.equal(weightOf({ score: { disabled: [{ name: "ImageLocality" }] } }), NORMAL);
});

test("a plugin that is enabled without a weight has 1", () => {
	assert.equal(weightOf({ score: { enabled: [{ name: NAME }] } }), 1);
	assert.equal(weightOf({ multiPoint: { enabled: [{ name: NAME, weight: 0 }] } }), 1);
});

test("an asterisk disables all plugins but those that are enabled at the same place or a narrower one", () => {
	assert.equal(weightOf(ALL_OFF), 0);
	assert.equal(weightOf({ multiPoint: { disabled: [{ name: "*" }] } }), 0);
	assert.equal(weightOf({ multiPoint: { disabled: [{ name: "*" }], enabled: [{ name: NAME, weight: 4 }] } }), 4);
	assert.equal(weightOf({ ...ALL_OFF, multiPoint: { enabled: [{ name: NAME, weight: 4 }] } }), 0);
	assert.equal(
		weightOf({ score: { enabled: [{ name: NAME, weight: 3 }] }, multiPoint: { disabled: [{ name: "*" }] } }),
		3,
	);
});

test("after every change the plugin has the weight that was chosen, and the others stay", () => {
	const profiles = [
		undefined,
		ALL_OFF,
		{ multiPoint: { disabled: [{ name: "*" }] } },
		{ score: { enabled: [{ name: NAME }] } },
	];
	for (const plugins of profiles)
		for (const weight of [0, 1, NORMAL, 5]) {
			const changed = { ...plugins, score: setWithWeight(plugins, "score", NAME, NORMAL, weight) };
			assert.equal(weightOf(changed), weight, JSON.stringify(changed));
			const off = (sets) => weightAt(sets, "score", "ImageLocality", 1);
			assert.equal(off(changed), off(plugins));
		}
});

test("a plugin with its weight of before is not mentioned", () => {
	const plugins = { score: { disabled: [{ name: NAME }], enabled: [{ name: NAME, weight: 5 }] } };
	assert.deepEqual(setWithWeight(plugins, "score", NAME, NORMAL, NORMAL), { enabled: [], disabled: [] });
	assert.deepEqual(setWithWeight(ALL_OFF, "score", NAME, NORMAL, 0), { enabled: [], ...ALL_OFF.score });
});

test("a filter that is switched on again has no weight", () => {
	const filter = { disabled: [{ name: "*" }] };
	const on = setWithWeight({ filter }, "filter", "NodeName", 1, 1);
	assert.deepEqual(on, { enabled: [{ name: "NodeName" }], ...filter });
});
