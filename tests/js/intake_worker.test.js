// @ts-nocheck
// The worker that reads a dump answers every job, so that the dialog never waits in vain.
import assert from "node:assert/strict";
import { test } from "node:test";

let work;
const posted = [];
globalThis.self = { addEventListener: (_, listen) => (work = listen), postMessage: (message) => posted.push(message) };
await import("../../static/js/intake/worker.js");

const EMPTY = { kinds: {}, types: { Scenario: {} }, export: "Scenario" };
const TABLE = "NAME   STATUS   ROLES\nn1     Ready    none\n";

test("kubectl's table with a part that is no text is refused", async () => {
	const file = new Blob([TABLE, "n2     Ready    none\n".repeat(20000), "\u0000"]);
	await work({ data: { file, table: EMPTY, naming: null, most: 10_000_000 } });
	assert.equal(posted.at(-1).refused, "binary");
});
