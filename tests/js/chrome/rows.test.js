// @ts-nocheck
// Which row of the page stands for an option; the page is searched once for all of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rowsOf } from "../../../static/js/chrome/rows.js";

/** An element with the attributes `data-node`, `data-pod` and `data-fly`. `width` 0: it is not shown. */
const element = (dataset, width = 10, victim = false) => ({
	dataset,
	classList: { contains: (name) => victim && name === "victim" },
	getBoundingClientRect: () => ({ width, height: 10, dataset }),
});

/** A page whose searches are counted. */
function page(...elements) {
	const root = { searches: 0, querySelectorAll: () => ++root.searches && elements };
	return root;
}

const found = (root, ...options) => rowsOf(root, options).map((box) => box?.dataset ?? null);

test("a node's row is found; what is not shown is passed over", () => {
	const root = page(element({ node: "n1" }, 0), element({ node: "n1", pod: "default/p" }), element({ node: "n2" }));
	const of = (key, kind = "node") => ({ key, kind });
	assert.deepEqual(found(root, of("n2"), of("n1"), of("n3")), [{ node: "n2" }, { node: "n1", pod: "default/p" }, null]);
	assert.deepEqual(found(root, of("yes", "text"), of("n1", "pod")), [null, null]);
});

test("a pod is found as a victim before it is found elsewhere", () => {
	const root = page(element({ fly: "p" }), element({ pod: "p" }), element({ pod: "p", node: "n" }, 10, true));
	assert.deepEqual(found(root, { key: "p", kind: "pod" }), [{ pod: "p", node: "n" }]);
	assert.deepEqual(found(page(element({ fly: "p" })), { key: "p", kind: "pod" }), [{ fly: "p" }]);
});

test("a hundred rows are found in one search", () => {
	const root = page(...Array.from({ length: 100 }, (_, i) => element({ node: `n${i}` })));
	assert.equal(found(root, ...Array.from({ length: 100 }, (_, i) => ({ key: `n${i}`, kind: "node" }))).length, 100);
	assert.equal(root.searches, 1);
});
