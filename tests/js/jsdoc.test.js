// @ts-nocheck
/** The comment of a function says when it returns null or undefined. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const SCRIPTS = fileURLToPath(new URL("../../static/js", import.meta.url));
const OTHER = /@returns \{(?:Child|Promise<void>)\}/; // a child of a drawing is always optional
const TYPES = /\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g; // of tags; what is left of a comment is prose
const TOLD = /\b(?:null|undefined)\b|""/i;

/** The functions of a file whose comment does not mention that they may return null or undefined. */
function silentFunctions(text) {
	const file = ts.createSourceFile("a.js", text, ts.ScriptTarget.Latest, true);
	const silent = [];
	const visit = (node) => {
		const declared = functionOf(node);
		const comment = ts
			.getJSDocCommentsAndTags(node)
			.map((part) => part.getText())
			.join("\n");
		if (declared && comment && !OTHER.test(comment) && !TOLD.test(comment.replace(TYPES, ""))) {
			const type = ts.getJSDocReturnType(declared);
			const isOptional = (type && mayBeEmpty(type)) || returnedBy(declared).some(mayBeNull);
			if (isOptional) silent.push((node.name ?? node.declarationList.declarations[0].name).getText());
		}
		ts.forEachChild(node, visit);
	};
	visit(file);
	return silent;
}

/** The function that a node declares: a function, a method, a getter, or a constant arrow function; null for others. */
function functionOf(node) {
	if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isGetAccessor(node)) return node;
	const first = ts.isVariableStatement(node) && node.declarationList.declarations[0].initializer;
	return first && ts.isArrowFunction(first) ? first : null;
}

/** The expressions that a function returns, without those of functions inside it. */
function returnedBy({ body }) {
	if (!body || !ts.isBlock(body)) return body ? [body] : [];
	const out = [];
	const visit = (node) => {
		if (ts.isReturnStatement(node) && node.expression) out.push(node.expression);
		if (!ts.isFunctionLike(node)) ts.forEachChild(node, visit);
	};
	visit(body);
	return out;
}

/** Whether null or undefined is a member of a type. */
function mayBeEmpty(type) {
	if (ts.isParenthesizedTypeNode(type)) return mayBeEmpty(type.type);
	if (ts.isUnionTypeNode(type)) return type.types.some(mayBeEmpty);
	return ["null", "undefined"].includes(type.getText());
}

/** Whether an expression is null or undefined in one of its branches. */
function mayBeNull(node) {
	if (ts.isParenthesizedExpression(node)) return mayBeNull(node.expression);
	if (ts.isConditionalExpression(node)) return mayBeNull(node.whenTrue) || mayBeNull(node.whenFalse);
	if (ts.isBinaryExpression(node) && ["??", "||"].includes(node.operatorToken.getText())) return mayBeNull(node.right);
	return node.kind === ts.SyntaxKind.NullKeyword || (ts.isIdentifier(node) && node.text === "undefined");
}

test("comments say when null or undefined is returned", () => {
	const files = readdirSync(SCRIPTS, { recursive: true }).filter((name) => name.endsWith(".js"));
	assert.ok(files.length > 100);
	const silent = files.flatMap((name) =>
		silentFunctions(readFileSync(join(SCRIPTS, name), "utf-8")).map((own) => `${name}: ${own}`),
	);
	assert.deepEqual(silent, []);
});

test("the check sees comments that are silent", () => {
	const text = `
		/** The row. */ function a(n) { return n ? 1 : null; }
		/** The row, or null. */ function b(n) { return n ? 1 : null; }
		/** The row. */ const c = (n) => n ?? undefined;
		/** The row. @returns {number | null} */ function d(n) { return n; }
		/** The row. @returns {Child} */ function e(n) { return n || null; }
		/** The rows. */ function f(n) { return n.filter((one) => (one ? one : null)); }
	`;
	assert.deepEqual(silentFunctions(text), ["a", "c", "d"]);
});
