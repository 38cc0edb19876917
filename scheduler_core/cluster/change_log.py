"""A log of changed objects, for readers that need the changes since their last read."""

from __future__ import annotations

from collections.abc import Sequence


class ChangeLog:
    """Keys of objects in the order of their last change, each once. `version` is the number of changes so far."""

    def __init__(self) -> None:
        self.version = 0
        self._changed_at: dict[str, int] = {}

    def note(self, key: str) -> None:
        """Record that the object was written or deleted."""
        self.version += 1
        self._changed_at.pop(key, None)
        self._changed_at[key] = self.version

    def since(self, version: int) -> Sequence[str]:
        """Return the keys of the objects that changed after that version, in the order of their last change."""
        keys = []
        for key in reversed(self._changed_at):
            if self._changed_at[key] <= version:
                break
            keys.append(key)
        return keys[::-1]
