// @ts-nocheck
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatLink, linkedPlace, parseLink, sharedLink } from "../../../static/js/shared/link.js";

test("a link names step, frame, selection and order, and reads back as the same place", () => {
	const place = { step: 121, frame: 7, selection: { kind: "pod", name: "default/web-5" }, order: "node" };
	assert.equal(formatLink(place), "#121.7&sel=pod:default/web-5&by=node");
	assert.deepEqual(parseLink(formatLink(place)), place);
});

test("a plain step has no frame and no selection", () => {
	assert.equal(formatLink({ step: 4, frame: 0, selection: null, order: "plugin" }), "#4");
	assert.deepEqual(parseLink("#4"), { step: 4, frame: 0, selection: null, order: "plugin" });
});

test("rubbish in the fragment is nowhere in particular, not an error", () => {
	for (const text of ["", "#", "#x", "#-3", "#1.2.3", "#&sel=", "#&sel=thing:x", "#%"])
		assert.equal(parseLink(text).step, null, text);
	assert.equal(parseLink("#&sel=thing:x").selection, null);
});

test("?step= counts when the fragment names none, for links that are unfurled", () => {
	assert.equal(linkedPlace({ hash: "", search: "?step=12.3" }).frame, 3);
	assert.equal(linkedPlace({ hash: "#5", search: "?step=12" }).step, 5);
	assert.equal(linkedPlace({ hash: "", search: "?step=zz" }).step, null);
});

test("a shared link tells the step to servers, keeps what the page's address says, and opens at the same place", () => {
	const page = new URL("http://here/s/a/v/1/?kubernetes=1.30");
	const place = { step: 12, frame: 3, selection: null, order: "plugin" };
	assert.equal(sharedLink(page, place), "http://here/s/a/v/1/?kubernetes=1.30&step=12.3");
	const chosen = { ...place, selection: { kind: "node", name: "n 1" }, order: "node" };
	for (const asked of [place, chosen]) assert.deepEqual(linkedPlace(new URL(sharedLink(page, asked))), asked);
});

test("a link made by hand opens at its step, even if its selection cannot be decoded", () => {
	const { step, selection } = parseLink("#5&sel=pod:%");
	assert.deepEqual([step, selection], [5, null]);
	assert.equal(parseLink("#5&sel=pod:a%20b").selection.name, "a b");
});
