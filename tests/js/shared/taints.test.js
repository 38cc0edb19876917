// @ts-nocheck
import assert from "node:assert/strict";
import { test } from "node:test";
import { taintText, toTaint } from "../../../static/js/shared/taints.js";

for (const text of ["gpu=true:NoSchedule", "disk:NoExecute", "a.example/b=c:PreferNoSchedule"])
	test(`${text} is read and written alike`, () => assert.equal(taintText(toTaint(text)), text));

test("a taint without an effect gets NoSchedule, and spaces do not count", () =>
	assert.deepEqual(toTaint(" disk = ssd "), { key: "disk", value: "ssd", effect: "NoSchedule" }));
