"""Places in Python code for a mutant: expressions and calls inside functions, with their replacements."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "+",
    ast.FloorDiv: "*",
    ast.Div: "*",
    ast.Mod: "+",
    ast.BitAnd: "|",
    ast.BitOr: "&",
}
NOT_MUTATED = (ast.JoinedStr, ast.Assert, ast.Raise, ast.Match, ast.AnnAssign)


class Place(NamedTuple):
    """Bytes `start` to `end` of a file, and their replacement. `whole`: it is a statement, which is removed."""

    start: int
    end: int
    line: int
    mutant: str
    whole: bool = False


def places(source: bytes) -> Iterator[Place]:
    """Yield the places in the functions of a file."""
    offsets = [0]
    for line in source.splitlines(keepends=True):
        offsets.append(offsets[-1] + len(line))

    def text(node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return offsets[node.lineno - 1] + node.col_offset, offsets[node.end_lineno - 1] + node.end_col_offset

    def between(left: ast.expr, operator: str, right: ast.expr) -> str:
        return f"({part(left)}) {operator} ({part(right)})"

    def part(node: ast.expr) -> str:
        start, end = text(node)
        return source[start:end].decode()

    def mutant_of(node: ast.AST) -> str | None:
        match node:
            case ast.Compare(ops=[op], comparators=[right]) if type(op) in COMPARISONS:
                return between(node.left, COMPARISONS[type(op)], right)
            case ast.BoolOp(op=op, values=[first, *rest]):
                word = "or" if isinstance(op, ast.And) else "and"
                return f" {word} ".join(f"({part(value)})" for value in (first, *rest))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return part(operand)
            case ast.BinOp(op=op) if type(op) in ARITHMETIC:
                return between(node.left, ARITHMETIC[type(op)], node.right)
            case ast.Constant(value=bool() as value):
                return str(not value)
            case ast.Constant(value=int() as value):
                return str(value + 1)
            case ast.IfExp():
                return f"({part(node.orelse)}) if ({part(node.test)}) else ({part(node.body)})"
        return None

    def walk(node: ast.AST) -> Iterator[Place]:
        if isinstance(node, NOT_MUTATED):
            return
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield Place(*text(node), node.lineno, "", whole=True)
        elif isinstance(node, ast.expr) and (mutant := mutant_of(node)) is not None:
            yield Place(*text(node), node.lineno, mutant)
        for child in ast.iter_child_nodes(node):
            yield from walk(child)

    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for statement in function.body:
                if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    yield from walk(statement)
