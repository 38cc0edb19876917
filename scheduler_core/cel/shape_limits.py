"""Limits for the number of parts of an expression, its depth, and the nesting of its macros."""

from __future__ import annotations

import msgspec

from scheduler_core.cel.check import Checked
from scheduler_core.cel.reads import is_bind
from scheduler_core.cel.source import Position
from scheduler_core.cel.syntax import Comprehension, children


class FormLimits(msgspec.Struct, frozen=True):
    """Limits of an expression.

    `parts`: nodes of the tree, with macros expanded; `depth`: nodes within nodes; `nesting`: loops within loops.
    """

    parts: int
    depth: int
    nesting: int


def find_excess(checked: Checked, limits: FormLimits) -> tuple[Position, str, int] | None:
    """Return the position where an expression exceeds a limit, the limit's name and value; None if it exceeds none."""
    waiting = [(checked.tree.root, 1, 1)]
    parts = 0
    while waiting:
        expr, depth, nesting = waiting.pop()
        node = expr.node
        parts += 1
        loops = isinstance(node, Comprehension) and not is_bind(node)
        for name, value, limit in (
            ("parts", parts, limits.parts),
            ("depth", depth, limits.depth),
            ("nesting", nesting if loops else 0, limits.nesting),
        ):
            if value > limit:
                return checked.position(expr.id), name, limit
        for part in reversed(children(expr)):
            inside = loops and isinstance(node, Comprehension) and part is not node.range
            waiting.append((part, depth + 1, nesting + inside))
    return None
