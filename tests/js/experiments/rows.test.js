// @ts-nocheck
import assert from "node:assert/strict";
import { test } from "node:test";
import {
	dotPlaces,
	firstChoice,
	isSingle,
	levelsOf,
	pointsOf,
	reasonsOf,
	summaryOf,
} from "../../../static/js/experiments/rows.js";

const FACTORS = [
	{ name: "priority", labels: ["0", "1000"] },
	{ name: "seed", labels: ["1", "2", "3"] },
];
const results = new Map(
	[
		[1, [6, 0]],
		[2, [6, 0]],
		[3, [6, 0]],
		[4, [4, 2]],
		[5, [4, 4]],
		[6, null],
	].map(([run, measures]) => [run, { run, measures, error: measures ? "" : "too large" }]),
);

test("a run's levels count the last factor first, as the engine numbers them", () => {
	assert.deepEqual(
		[1, 2, 3, 4, 6].map((run) => levelsOf(FACTORS, run)),
		[
			[0, 0],
			[0, 1],
			[0, 2],
			[1, 0],
			[1, 2],
		],
	);
});

test("points are the runs that have the measure, and a summary is of each level", () => {
	const points = pointsOf(results, FACTORS, 0, 1);
	assert.deepEqual(
		points.map((one) => [one.run, one.level, one.value]),
		[
			[1, 0, 0],
			[2, 0, 0],
			[3, 0, 0],
			[4, 1, 2],
			[5, 1, 4],
		],
	);
	assert.deepEqual(summaryOf(points, FACTORS[0].labels), [
		{ level: "0", count: 3, least: 0, median: 0, mean: 0, most: 0 },
		{ level: "1000", count: 2, least: 2, median: 3, mean: 3, most: 4 },
	]);
});

test("a level without results has no row", () => {
	assert.deepEqual(summaryOf([], ["a", "b"]), []);
});

test("dots of one value stand side by side within their level, and one alone in the middle", () => {
	const points = [...Array(40).keys()].map((at) => ({ run: at + 1, level: 0, value: at === 39 ? 9 : 1 }));
	const found = dotPlaces(points);
	assert.equal(found[39], 0);
	assert.equal(new Set(found.slice(0, 39)).size, 39);
	assert.ok(found.every((x) => Math.abs(x) <= 0.9));
	assert.deepEqual(dotPlaces([]), []);
});

test("why some runs have no measures, the most frequent reason first", () => {
	const many = new Map(results);
	for (const run of [7, 8]) many.set(run, { run, measures: null, error: "gone" });
	assert.deepEqual(reasonsOf(many), [
		["gone", 2],
		["too large", 1],
	]);
});

test("at first a measure is chosen that differs between runs, by a factor that varies", () => {
	const factors = [{ name: "release", labels: ["1.36"] }, ...FACTORS];
	assert.deepEqual(firstChoice(factors, results, ["placed", "evicted"]), { factor: 1, measure: 1, sure: true });
	const same = new Map([[1, { run: 1, measures: [6, 0], error: "" }]]);
	assert.equal(firstChoice(factors, same, ["placed", "evicted"]).sure, false);
});

test("one run for each value is a bar, several are a distribution", () => {
	const points = (...levels) => levels.map((level, run) => ({ level, value: 1, run }));
	assert.ok(isSingle(points(0, 1)));
	assert.ok(!isSingle(points(0, 1, 1)));
	assert.ok(!isSingle(points(...Array(40).keys())));
});
