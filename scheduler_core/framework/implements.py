"""Which of the extension points' protocols (`interface.py`) a plugin implements."""

from __future__ import annotations

from typing import TypeGuard, TypeVar

P = TypeVar("P")

_known: dict[tuple[type, type], bool] = {}


def implements(plugin: object, protocol: type[P]) -> TypeGuard[P]:
    """isinstance, asked once for each class: it goes through all names of a protocol each time."""
    key = type(plugin), protocol
    found = _known.get(key)
    if found is None:
        found = _known[key] = isinstance(plugin, protocol)
    return found
