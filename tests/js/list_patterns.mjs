// Print every regular expression of the browser's code as JSON: [{file, line, source, flags}]. Those that are put together
// while a module loads are taken from the loaded module.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

function modules(folder) {
	return readdirSync(folder).flatMap((name) => {
		const path = join(folder, name);
		return statSync(path).isDirectory() ? modules(path) : path.endsWith(".js") ? [path] : [];
	});
}

const patterns = [];
const made = new Set();
for (const path of modules(join(ROOT, "static", "js")).sort()) {
	const tree = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
	const file = relative(ROOT, path);
	(function visit(node) {
		if (ts.isRegularExpressionLiteral(node)) {
			const end = node.text.lastIndexOf("/");
			const line = tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;
			patterns.push({ file, line, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
		} else if (ts.isNewExpression(node) && node.expression.getText() === "RegExp") made.add(path);
		ts.forEachChild(node, visit);
	})(tree);
}

for (const path of made) {
	const before = globalThis.RegExp;
	globalThis.RegExp = class extends before {
		constructor(source, flags = "") {
			super(source, flags);
			patterns.push({ file: relative(ROOT, path), line: 0, source: String(source), flags });
		}
	};
	await import(pathToFileURL(path));
	globalThis.RegExp = before;
}
console.log(JSON.stringify(patterns));
