// @ts-nocheck
// Changed fields and storage in captions: nothing that is shown is empty, and what is not shown is counted.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { plain, useCatalogue } from "../../../static/js/shared/i18n.js";
import { CAPTIONS, firstChanges, storageWords } from "../../../static/js/steps/cluster/words.js";

useCatalogue(JSON.parse(readFileSync(new URL("../../../static/i18n/en.json", import.meta.url))));

/** Yields all lists of up to `most` changes, each of one of these lengths. */
function* listsOf(lengths, most = 4, changes = []) {
	if (changes.length) yield changes;
	if (changes.length === most) return;
	for (const length of lengths) yield* listsOf(lengths, most, [...changes, `${changes.length}`.padEnd(length, "x")]);
}

test("at least one change is shown, and the others are counted", () => {
	for (const changes of listsOf([5, 40, 100])) {
		const shown = plain(firstChanges(changes));
		const whole = changes.filter((change) => shown.includes(change)).length;
		const more = Number(shown.match(/(\d+)\s+more/)?.[1] ?? 0);
		assert.ok(whole >= 1, shown);
		assert.equal(whole + more, changes.length, shown);
	}
});

test("storage without a class, a size or a partner has no empty parts", () => {
	for (const size of [0, 2 ** 30])
		for (const storage_class of ["", "fast"])
			for (const bound of ["", "default/data"])
				for (const kind of ["claim", "volume"])
					for (const part of storageWords({ kind, size, storage_class, bound })) assert.ok(part);
});

test("a gated pod is created with its requests; an update of it is about the gates that remain", () => {
	const told = (action, gates) => {
		const pod = { pod: "default/web", requests: { cpu: 1000 }, gates };
		const event = { type: "ObjectApplied", action, kind: "Pod", name: "web", namespace: "default", pod };
		const state = { pods: new Map([["default/web", { summary: pod, place: "gated" }]]) };
		return plain(CAPTIONS.ObjectApplied({ event, state, subject: "" }).sentence);
	};
	assert.equal(told("create", ["quota"]), "web is created with priority 0 and requests 1 cpu.");
	assert.equal(told("update", ["quota", "budget"]), "web is changed: its gates quota and budget remain.");
	assert.equal(told("update", []), "web is changed: its last scheduling gate is removed.");
});
