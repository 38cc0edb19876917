"""Edits as plain data, from a browser, a program, or `kschedui what-if --edits`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from scheduler_core.apis.messages import Message
from scheduler_core.ask.editing.edits import AddNodes, Edit, NotPossible, Remove, SetField
from scheduler_core.scenario.objects.kinds import KINDS

MAX_EDITS = 32
MAX_ADDED = 1000
EDITABLE = (("metadata", "labels"), ("metadata", "annotations"), ("spec",), ("status",))


def edits_of(rows: Sequence[Mapping[str, Any]]) -> list[Edit]:
    """Parse edits from plain data. Raises NotPossible with the error."""
    if len(rows) > MAX_EDITS:
        raise NotPossible(Message("at most {most} changes at a time", most=MAX_EDITS))
    try:
        edits: list[Edit] = msgspec.convert(list(rows), list[Edit])
    except msgspec.ValidationError as error:
        raise NotPossible(Message("this is not a valid change: {problem}", problem=str(error))) from None
    for edit in edits:
        if isinstance(edit, SetField | Remove) and edit.kind not in KINDS:
            raise NotPossible(Message("objects of kind {value} cannot be changed here", value=edit.kind[:40]))
        if isinstance(edit, SetField) and not any(edit.path[: len(prefix)] == prefix for prefix in EDITABLE):
            raise NotPossible(Message("only labels, annotations, spec and status can be changed"))
    if sum(edit.count for edit in edits if isinstance(edit, AddNodes)) > MAX_ADDED:
        raise NotPossible(Message("add 1 to {most} nodes", most=MAX_ADDED))
    return edits
