"""Raises the recursion limit for expressions as deep as cel-go allows: 250 levels are thousands of Python calls."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

_FRAMES = 20_000
_usual = 0
_users = 0


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Raise Python's recursion limit within the block; the last of several blocks to end restores it."""
    global _users, _usual
    if _users == 0:
        _usual = sys.getrecursionlimit()
        sys.setrecursionlimit(max(_usual, _FRAMES))
    _users += 1
    try:
        yield
    finally:
        _users -= 1
        if _users == 0:
            sys.setrecursionlimit(_usual)
