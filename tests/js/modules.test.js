// @ts-nocheck
// The player's page names every module that its first step needs, so that they load side by side and not one after another.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const SCRIPTS = join(ROOT, "static", "js");

/** Modules that `file` imports statically, and theirs. */
function graph(file, seen = new Set()) {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, path] of readFileSync(file, "utf8").matchAll(/^(?:import|export)[^;]*? from "(\.[^"]+)";/gm)) graph(join(dirname(file), path), seen);
  return seen;
}

const needed = [...graph(join(SCRIPTS, "main.js"))].map((file) => relative(SCRIPTS, file)).sort();

test("player_modules.html preloads exactly the modules that main.js imports", () => {
  const named = [...readFileSync(join(ROOT, "templates", "player_modules.html"), "utf8").matchAll(/js\/([\w/]+\.js)/g)].map(([, name]) => name).sort();
  assert.deepEqual(named, needed.filter((name) => name !== "main.js"));
});

test("what a link loads before its first step stays small", () => {
  const bytes = [...needed, "theme.js", "early.js"].reduce((sum, name) => sum + statSync(join(SCRIPTS, name)).size, 0);
  assert.ok(bytes < 200_000, `${bytes} bytes`);
});
