// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";
import { releaseOf, withRelease } from "../../../static/js/editor/release.js";

const NODE = "apiVersion: v1\nkind: Node # comment\nmetadata: {name: n1}\n";
const OURS = "apiVersion: kschedui.io/v1alpha1\nkind: Scenario\nspec:\n  seed: 3 # mine\n";

test("a text that names no release gets a Scenario document that does", () => {
	const made = withRelease(NODE, "1.30");
	assert.equal(releaseOf(made ?? ""), "1.30");
	assert.ok(made?.startsWith(NODE));
});

test("a release is a string in YAML too, so that 1.30 does not become 1.3", () => {
	assert.match(withRelease(`${NODE}---\n${OURS}`, "1.30") ?? "", /kubernetesVersion: "1\.30"/);
});

test("the newest release is none in the text, and the rest stays as it was typed", () => {
	const text = `${NODE}---\n${OURS}`;
	assert.equal(releaseOf(text), "");
	const there = withRelease(text, "1.28") ?? "";
	assert.ok(there.includes("seed: 3 # mine") && there.includes("# comment"));
	assert.equal(withRelease(there, ""), text);
	assert.equal(withRelease(NODE, ""), NODE);
});

test("a Scenario document that is no YAML is left alone", () => {
	assert.equal(withRelease(`${NODE}---\nkind: Scenario\nspec: {`, "1.30"), null);
});
