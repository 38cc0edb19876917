"""The edits of a change without one of them: they must not be enough."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_core.ask.editing.edits import Edit, Remove, SetField
from scheduler_core.ask.smallest.smallest_change import Change


def without_one_edit(change: Change) -> Iterator[list[Edit]]:
    """Yield the edits of the change without one of them, for each edit that does not depend on the others."""
    depends = any(part.kind == "priority" for part in change.changed)  # the edits of a priority depend on each other
    if depends or len(change.edits) < 2:
        return
    for index, edit in enumerate(change.edits):
        if not _releases(edit):
            yield [other for at, other in enumerate(change.edits) if at != index]


def _releases(edit: Edit) -> bool:
    """Return whether the edit is a part of the release of a claim's devices."""
    return isinstance(edit, Remove) or (isinstance(edit, SetField) and edit.path == ("status",))
