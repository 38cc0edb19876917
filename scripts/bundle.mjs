// What production serves: each page's module and all that it imports in a few files, with what is loaded later apart.
// `npm run bundle` writes them to build/static, where collectstatic finds them before static/; `npm run bundle -- DIR`
// writes them elsewhere, for KSCHEDUI_BUNDLE to name.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const WORKERS = ["js/intake/worker.js"];

/** The modules that templates name. */
export function entries() {
	const templates = readdirSync(join(ROOT, "templates"), { recursive: true }).filter((name) => name.endsWith(".html"));
	const texts = templates.map((name) => readFileSync(join(ROOT, "templates", name), "utf8"));
	const named = texts.flatMap((text) => [...text.matchAll(/\{% module_script "([^"]+)"/g)].map(([, name]) => name));
	return [...new Set([...named, ...WORKERS])].sort();
}

/** Bundle one module; pages share nothing, so that each loads few files. @param {string} entry @param {object} more */
export function bundle(entry, more = {}) {
	return build({
		absWorkingDir: ROOT,
		entryPoints: [join("static", entry)],
		bundle: true,
		splitting: true,
		format: "esm",
		target: "es2022",
		minify: true,
		outbase: "static",
		outdir: join("build", "static"),
		chunkNames: "js/chunks/[name]-[hash]",
		...more,
	});
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const outdir = resolve(process.argv[2] ?? join(ROOT, "build", "static"));
	rmSync(outdir, { recursive: true, force: true });
	for (const entry of entries()) await bundle(entry, { outdir });
}
