// @ts-nocheck
// The edits of a number that is dragged in place: a limit that must equal the request moves with it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { editsOf } from "../../../static/js/what_if/tried.js";

/** The values by list of resources after a request is dragged from 2 units to 4. */
function dragged(name, resources, unit = 1) {
	const about = { pod: "default/web", manifest: { spec: { containers: [{ resources }] } } };
	const edits = editsOf({ of: "request", name, value: 2 * unit, to: 4 * unit }, about);
	return Object.fromEntries(edits.map(({ path, value }) => [path.at(-2), value]));
}

test("the limit of huge pages and of extended resources follows the request", () => {
	const both = (amount, name) => ({ requests: { [name]: amount }, limits: { [name]: amount } });
	const pages = dragged("hugepages-2Mi", both("2Mi", "hugepages-2Mi"), 2 ** 20);
	assert.deepEqual(pages, { requests: "4Mi", limits: "4Mi" });
	assert.deepEqual(dragged("example.com/gpu", both("2", "example.com/gpu")), { requests: "4", limits: "4" });
	const less = editsOf(
		{ of: "request", name: "hugepages-2Mi", value: 4 * 2 ** 20, to: 2 * 2 ** 20 },
		{ pod: "default/web", manifest: { spec: { containers: [{ resources: both("4Mi", "hugepages-2Mi") }] } } },
	);
	assert.deepEqual(
		less.map(({ value }) => value),
		["2Mi", "2Mi"],
	);
});

test("another limit moves only if the request exceeds it", () => {
	const memory = (limit) => dragged("memory", { requests: { memory: "2Mi" }, limits: { memory: limit } }, 2 ** 20);
	assert.deepEqual(memory("8Mi"), { requests: "4Mi" });
	assert.deepEqual(memory("3Mi"), { requests: "4Mi", limits: "4Mi" });
});
