"""Checks which extension points (`interface.py`) a plugin implements."""

from __future__ import annotations

from typing import TypeGuard, TypeVar

P = TypeVar("P")

_known: dict[tuple[type, type], bool] = {}


def implements(plugin: object, protocol: type[P]) -> TypeGuard[P]:
    """Return whether the plugin implements the protocol. Results are cached by class, since isinstance is slow."""
    key = type(plugin), protocol
    found = _known.get(key)
    if found is None:
        found = _known[key] = isinstance(plugin, protocol)
    return found
