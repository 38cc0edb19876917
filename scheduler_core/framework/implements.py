"""Checks which extension points (`interface.py`) a plugin implements."""

from __future__ import annotations

from typing import TypeGuard, TypeVar

P = TypeVar("P")

_results: dict[tuple[type, type], bool] = {}


def implements(plugin: object, protocol: type[P]) -> TypeGuard[P]:
    """Return whether the plugin implements the protocol. Results are cached by class, since isinstance is slow."""
    key = type(plugin), protocol
    result = _results.get(key)
    if result is None:
        result = _results[key] = isinstance(plugin, protocol)
    return result
