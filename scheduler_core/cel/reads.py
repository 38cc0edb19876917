"""The parts of its variables that an expression reads, determined from its syntax tree.

A path is a tuple of names: ("node", "metadata", "labels", "price"). `EACH` stands for all elements of a list or map.
Everything below the end of a path may be read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import msgspec

from scheduler_core.cel.check import Checked
from scheduler_core.cel.syntax import Call, Comprehension, Expr, Ident, ListOf, Literal, Select, children
from scheduler_core.cel.types import Kind

EACH = "*"
Path: TypeAlias = "tuple[str, ...]"
Tree: TypeAlias = "dict[str, Tree | None]"
"""The paths as a tree by name; None: everything below is read."""

_INDEXING = ("_[_]", "_[?_]", "_?._")


def read_paths(checked: Checked) -> list[Path]:
    """Return the paths that an evaluation may read, without duplicates, in the order in which they are found."""
    reader = _Reader(checked)
    reader.visit(checked.tree.root)
    return list(reader.paths)


Attributes: TypeAlias = "frozenset[tuple[str, str]] | None"
"""(domain, id) of attributes; None: any."""


def attributes_read(checked: Checked) -> Attributes:
    """Return the attributes of `device` that the expression reads by name; None if it may read others too.

    Devices that differ only in other attributes, such as a UUID, can share results.
    """
    read: set[tuple[str, str]] = set()
    for path in read_paths(checked):
        if path == ("device",):
            return None
        if path[:2] == ("device", "attributes"):
            if len(path) < 4 or EACH in path[2:4]:
                return None
            read.add((path[2], path[3]))
    return frozenset(read)


def tree_of(paths: Iterable[Path]) -> Tree:
    """Return the paths as a tree, without those that lie below others."""
    tree: Tree = {}
    for path in paths:
        at: Tree | None = tree
        for name in path[:-1]:
            assert at is not None
            if name in at and at[name] is None:
                at = None
                break
            at = at.setdefault(name, {})
        if at is not None:
            at[path[-1]] = None
    return tree


class _Reader(msgspec.Struct):
    checked: Checked
    paths: dict[Path, None] = {}
    # The names in scope, innermost last, each with the path that it stands for; None: no part of a variable.
    _local: list[tuple[str, Path | None]] = []

    def visit(self, expr: Expr) -> None:
        """Record the paths that the expression reads."""
        path = self._path(expr)
        if path is not None:
            self.paths[path] = None

    def _path(self, expr: Expr) -> Path | None:
        """Return the path that the expression denotes, after visiting the parts of that path.

        None if it denotes none.
        """
        node = expr.node
        if isinstance(node, Ident):
            for name, path in reversed(self._local):
                if name == node.name:
                    return path
            return (node.name,) if self.checked.types[expr.id].kind is not Kind.TYPE else None
        if isinstance(node, Select):
            return self._below(node.operand, node.field)
        if isinstance(node, Call) and node.function in _INDEXING:
            return self._index(*node.arguments)
        if isinstance(node, Call) and node.function == "@in":
            return self._membership(*node.arguments)
        if isinstance(node, Call) and node.function == "size":
            self._size(node.target or node.arguments[0])
            return None
        if isinstance(node, Comprehension):
            return self._comprehension(node)
        for part in children(expr):
            self.visit(part)
        return None

    def _below(self, expr: Expr, name: str) -> Path | None:
        path = self._path(expr)
        return None if path is None else (*path, name)

    def _index(self, target: Expr, index: Expr) -> Path | None:
        if isinstance(index.node, Literal) and isinstance(index.node.value, str):
            return self._below(target, index.node.value)
        self.visit(index)
        return self._below(target, EACH)

    def _membership(self, element: Expr, container: Expr) -> Path | None:
        """Record an `in` operator. Return the path of the entry if the container is a map (`'key' in map`), else None.

        In a list, the element is compared with all elements, so all of them are read.
        """
        if self.checked.types[container.id].kind is Kind.MAP:
            return self._index(container, element)
        self.visit(element)
        self.visit(container)
        return None

    def _size(self, container: Expr) -> None:
        """Record a `size()` call. Of a list, only the number of elements is read ("" below EACH stands for none of
        their values); a map or a string is read entirely.
        """
        path = self._path(container)
        if path is not None:
            is_list = self.checked.types[container.id].kind is Kind.LIST
            self.paths[(*path, EACH, "") if is_list else path] = None

    def _comprehension(self, node: Comprehension) -> Path | None:
        path, initial = self._path(node.range), self._path(node.initial)
        each = None if path is None else (*path, EACH)
        if path is not None and (self.checked.types[node.range.id].kind is not Kind.LIST or node.second_variable):
            self.paths[path] = None  # keys and indices depend on the number of elements
        elif path is not None:
            self.paths[(*path, EACH, "")] = None  # the number of elements, which counts even if none is read
        before = len(self._local)
        self._local.append((node.accumulator, initial))
        if node.second_variable:
            self._local += [(node.variable, None), (node.second_variable, each)]
        else:
            is_list = self.checked.types[node.range.id].kind is Kind.LIST
            self._local.append((node.variable, each if is_list else None))
        condition = _filter_condition(node)
        if condition is not None:
            self.visit(condition)
        elif not is_bind(node):
            self.visit(node.condition)
            self.visit(node.step)
        self._local[before + 1 :] = []
        result = self._path(node.result)
        self._local[before:] = []
        return result if condition is None else path


def is_bind(node: Comprehension) -> bool:
    """Return whether the comprehension only binds a value to a name: its condition is never true."""
    return isinstance(node.condition.node, Literal) and node.condition.node.value is False


def _filter_condition(node: Comprehension) -> Expr | None:
    """Return the condition of `list.filter(element, condition)`; None for other comprehensions."""
    step = node.step.node
    if not isinstance(step, Call) or step.function != "_?_:_":
        return None
    condition, added, _ = step.arguments
    if not isinstance(added.node, Call) or added.node.function != "_+_":
        return None
    element = added.node.arguments[1].node
    if not isinstance(element, ListOf) or len(element.elements) != 1:
        return None
    name = element.elements[0].node
    return condition if isinstance(name, Ident) and name.name == node.variable else None
