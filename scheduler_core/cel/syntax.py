"""The syntax tree of an expression: nodes with ids, and the position of each id in the text.

An expression keeps its id when the type checker replaces it (`a.b` by the variable of that name). Costs and positions
are stored by id, as in cel-go (`common/ast`).
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from scheduler_core.cel.source import Source


class Literal(msgspec.Struct):
    """A constant: None, bool, int, `Uint`, float, str or bytes."""

    value: object


class Ident(msgspec.Struct):
    """A name, possibly with a leading dot."""

    name: str


class Select(msgspec.Struct):
    """A selection: `operand.field`, or `has(operand.field)`."""

    operand: Expr
    field: str
    test_only: bool = False


class Call(msgspec.Struct):
    """A call of a function or operator; only a member function has a target."""

    function: str
    arguments: list[Expr]
    target: Expr | None = None


class ListOf(msgspec.Struct):
    """A list; the elements at `optional` indices are written with a question mark."""

    elements: list[Expr]
    optional: frozenset[int] = frozenset()


class Entry(msgspec.Struct):
    """One `key: value` of a map."""

    id: int
    key: Expr
    value: Expr
    optional: bool = False


class MapOf(msgspec.Struct):
    """A map."""

    entries: list[Entry]


class Field(msgspec.Struct):
    """One `name: value` of a message."""

    id: int
    name: str
    value: Expr
    optional: bool = False


class StructLiteral(msgspec.Struct):
    """A message literal: `Name{field: value}`."""

    type_name: str
    fields: list[Field]


class Comprehension(msgspec.Struct):
    """A fold over a list or map; `all`, `exists`, `map`, `filter`, `cel.bind` and others are expanded to it."""

    range: Expr
    variable: str
    second_variable: str
    accumulator: str
    initial: Expr
    condition: Expr
    step: Expr
    result: Expr


class Unspecified(msgspec.Struct):
    """A placeholder for text that cannot be parsed."""


Node: TypeAlias = Literal | Ident | Select | Call | ListOf | MapOf | StructLiteral | Comprehension | Unspecified


class Expr(msgspec.Struct):
    """A node of the tree and its id."""

    id: int
    node: Node


class Tree(msgspec.Struct):
    """A parsed expression and the offset in code points at which each id begins."""

    source: Source
    root: Expr
    offsets: dict[int, int] = {}


def children(expr: Expr) -> list[Expr]:
    """Return the direct children of an expression, in cel-go's traversal order."""
    node = expr.node
    if isinstance(node, Select):
        return [node.operand]
    if isinstance(node, Call):
        return [*([node.target] if node.target is not None else []), *node.arguments]
    if isinstance(node, ListOf):
        return list(node.elements)
    if isinstance(node, MapOf):
        return [each for entry in node.entries for each in (entry.key, entry.value)]
    if isinstance(node, StructLiteral):
        return [each.value for each in node.fields]
    if isinstance(node, Comprehension):
        return [node.range, node.initial, node.condition, node.step, node.result]
    return []


def descendants(root: Expr) -> list[Expr]:
    """Return the expression and all its descendants, parents first."""
    nodes = [root]
    for each in children(root):
        nodes.extend(descendants(each))
    return nodes


def qualified_name(expr: Expr) -> str | None:
    """Return `a.b.c` if the expression is only a qualified name, otherwise None."""
    node = expr.node
    if isinstance(node, Ident):
        return node.name
    if isinstance(node, Select) and not node.test_only:
        prefix = qualified_name(node.operand)
        return None if prefix is None else f"{prefix}.{node.field}"
    return None
