// Places in the browser's code where a mutant can stand. Reads paths as arguments; writes [{path, start, end, line, mutant, whole}].
import { readFileSync } from "node:fs";
import ts from "typescript";

const K = ts.SyntaxKind;
const OPERATORS = {
	[K.LessThanToken]: "<=",
	[K.LessThanEqualsToken]: "<",
	[K.GreaterThanToken]: ">=",
	[K.GreaterThanEqualsToken]: ">",
	[K.EqualsEqualsEqualsToken]: "!==",
	[K.ExclamationEqualsEqualsToken]: "===",
	[K.AmpersandAmpersandToken]: "||",
	[K.BarBarToken]: "&&",
	[K.PlusToken]: "-",
	[K.MinusToken]: "+",
	[K.AsteriskToken]: "+",
	[K.SlashToken]: "*",
};

/** @param {import("typescript").Node} node */
function mutantOf(node) {
	if (ts.isBinaryExpression(node) && node.operatorToken.kind in OPERATORS)
		return `(${node.left.getText()}) ${OPERATORS[node.operatorToken.kind]} (${node.right.getText()})`;
	if (ts.isPrefixUnaryExpression(node) && node.operator === K.ExclamationToken) return node.operand.getText();
	if (ts.isConditionalExpression(node))
		return `(${node.condition.getText()}) ? (${node.whenFalse.getText()}) : (${node.whenTrue.getText()})`;
	if (ts.isNumericLiteral(node) && !ts.isPropertyAssignment(node.parent)) return `${Number(node.text) + 1}`;
	if (node.kind === K.TrueKeyword) return "false";
	if (node.kind === K.FalseKeyword) return "true";
	return null;
}

const places = [];
for (const path of process.argv.slice(2)) {
	const file = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
	const visit = (/** @type {import("typescript").Node} */ node, inside = false) => {
		const here = { path, start: node.getStart(), end: node.getEnd() };
		const line = file.getLineAndCharacterOfPosition(here.start).line + 1;
		const bytes = (/** @type {number} */ at) => Buffer.byteLength(file.text.slice(0, at));
		const add = (/** @type {string} */ mutant, whole = false) =>
			places.push({ path, start: bytes(here.start), end: bytes(here.end), line, mutant, whole });
		if (inside && ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) add("", true);
		else if (inside && mutantOf(node) !== null) add(/** @type {string} */ (mutantOf(node)));
		if (ts.isTypeNode(node)) return;
		node.forEachChild((child) => visit(child, inside || (ts.isFunctionLike(node) && child === node.body)));
	};
	visit(file);
}
process.stdout.write(JSON.stringify(places));
