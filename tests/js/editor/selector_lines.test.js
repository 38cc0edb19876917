import assert from "node:assert/strict";
import test from "node:test";
import { matchesByLine } from "../../../static/js/editor/text/selector_lines.js";

const matches = (/** @type {string} */ expression) => ({
	expression,
	matching: 1,
	devices: 2,
	names: ["n1/a"],
	error: "",
});
const LONG = 'device.driver == "gpu.example.com" && true';
const FOUND = [matches('device.driver == "gpu.example.com"'), matches(LONG), matches("device.driver == 'nic'")];

test("the number stands under each place where a selector is written", () => {
	const lines = [
		"- cel: {expression: 'device.driver == \"gpu.example.com\"'}",
		'- cel: {expression: "device.driver == \\"gpu.example.com\\""}',
		"- cel:",
		"    expression: 'device.driver == ''nic'''",
		"- cel:",
		"    expression: >-",
		'      device.driver == "gpu.example.com"',
		"      && true",
		"- name: other",
		"  expression: true",
	];
	const found = matchesByLine(lines, FOUND);
	assert.deepEqual(
		[...found].map(([line, { expression }]) => [line, FOUND.findIndex((one) => one.expression === expression)]),
		[
			[1, 0],
			[2, 0],
			[4, 2],
			[8, 1],
		],
	);
});
