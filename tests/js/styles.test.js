// @ts-nocheck
// Style sheets: every media query uses a breakpoint of tokens.css, and every custom property that is read is set
// somewhere.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { PHONE } from "../../static/js/shared/dom.js";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "static");
const SHEETS = new Map(
	readdirSync(join(ROOT, "css")).map((name) => [name, readFileSync(join(ROOT, "css", name), "utf8")]),
);
const scripts = everyText(join(ROOT, "js"), ".js");

/** The texts of all files of a folder with this ending, joined. */
function everyText(folder, ending) {
	const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(ending));
	return names.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
}

/** The numbers of pixels in a row of the list in tokens.css. */
function listed(name) {
	const [, row] = new RegExp(`\\* {3}${name}: (.*)`).exec(SHEETS.get("tokens.css"));
	return [...row.matchAll(/(\d+)px/g)].map(([, pixels]) => Number(pixels));
}

const BREAKPOINTS = { width: listed("widths"), height: listed("heights") };

test("every media query is at a breakpoint", () => {
	assert.ok(BREAKPOINTS.width.length <= 8 && BREAKPOINTS.height.length <= 4);
	assert.equal(PHONE, BREAKPOINTS.width[0]);
	for (const [name, text] of SHEETS) {
		for (const [media] of text.matchAll(/@media [^{]+/g)) {
			for (const [, side, of, pixels] of media.matchAll(/\((min|max)-(width|height): (\d+)px\)/g)) {
				const breakpoint = side === "min" ? pixels - 1 : Number(pixels);
				assert.ok(BREAKPOINTS[of].includes(breakpoint), `${name}: ${media}`);
			}
		}
	}
});

test("no line of a style sheet is longer than 120", () => {
	for (const [name, text] of SHEETS)
		for (const line of text.split("\n")) assert.ok(line.length <= 120, `${name}: ${line}`);
});

test("every custom property that a style sheet reads without a default is set", () => {
	const all = [...SHEETS.values()].join("\n");
	const set = new Set([...all.matchAll(/(--[\w-]+)\s*:/g)].map(([, name]) => name));
	for (const [name, text] of SHEETS) {
		for (const [, property] of text.matchAll(/var\((--[\w-]+)\)/g)) {
			const known = set.has(property) || scripts.includes(`"${property}"`);
			assert.ok(known, `${name} reads ${property}`);
		}
	}
});

test("every class of a style sheet is written somewhere", () => {
	const sources =
		scripts + everyText(join(ROOT, "..", "templates"), ".html") + everyText(join(ROOT, "..", "kschedui"), ".py");
	const words = new Set(sources.match(/[\w-]+/g));
	for (const [name, text] of SHEETS) {
		const selectors = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\{[^{}]*\}/g, "{}");
		for (const [, one] of selectors.matchAll(/\.([a-z][\w-]*)/gi)) {
			const made = `${one.slice(0, one.indexOf("-") + 1)}\${`; // "on-${picture}"
			assert.ok(words.has(one) || (made.length > 2 && sources.includes(made)), `${name}: .${one}`);
		}
	}
});
