"""Edits as a short phrase such as "n3 cordoned": the title of a fork with these edits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scheduler_core.apis.messages import Message
from scheduler_core.ask.editing.edits import (
    AddNodes,
    DisablePlugin,
    Edit,
    Path,
    Remove,
    SetField,
    SetFlag,
    SetStrategy,
    SetWeight,
)

CORDON: Path = ("spec", "unschedulable")
LONGEST_VALUE = 60  # characters


def edits_words(edits: Sequence[Edit]) -> Message:
    """Return a phrase for one or two edits, or for the first and the number of the others. `edits` is not empty.

    Of several edits of a field, the last one counts.
    """
    last = {_edited_field(edit): edit for edit in edits}
    first, *more = [_edit_words(edit) for edit in last.values()]
    if not more:
        return first
    if len(more) == 1:
        return Message("{before}, {after}", before=first, after=more[0])
    return Message("{change} and {n} more changes", change=first, n=len(more))


def _edited_field(edit: Edit) -> object:
    """Return a key that is equal for edits of the same field; other edits are their own key."""
    match edit:
        case SetField():
            return edit.kind, edit.namespace, edit.name, edit.path
        case SetFlag():
            return SetFlag, edit.actor, edit.flag
        case SetWeight() | SetStrategy():
            return type(edit), edit.profile, getattr(edit, "plugin", "")
        case _:
            return edit


def _edit_words(edit: Edit) -> Message:
    match edit:
        case SetField(kind="Node", path=path) if path == CORDON:
            return (
                Message("{node} cordoned", node=edit.name)
                if edit.value
                else Message("{node} uncordoned", node=edit.name)
            )
        case SetField():
            return _field_words(edit)
        case AddNodes(count=1, zone=str(zone)) if zone:
            return Message("1 more node like {node} in zone {zone}", node=edit.like, zone=zone)
        case AddNodes(count=1):
            return Message("1 more node like {node}", node=edit.like)
        case AddNodes():
            return Message("{n} more nodes like {node}", n=edit.count, node=edit.like)
        case Remove():
            return Message("without {name}", name=edit.name)
        case SetWeight():
            return Message("{plugin} with weight {weight}", plugin=edit.plugin, weight=edit.weight)
        case DisablePlugin():
            return Message("without {name}", name=edit.plugin)
        case SetFlag():
            return Message("--{flag}={value}", flag=edit.flag, value=edit.value)
        case SetStrategy():
            return Message("scored by {strategy}", strategy=edit.strategy)


def _field_words(edit: SetField) -> Message:
    name, path, value = edit.name, edit.path, edit.value
    named = {"name": name, "field": _field(path), "value": _value_text(value)}
    if edit.add or isinstance(value, list | dict) or path[:2] == ("spec", "affinity"):
        return Message("{field} of {name} changed", **named)
    if value is None:
        return Message("{name} without {field}", **named)
    if path[:2] == ("metadata", "labels"):
        return Message("{name} labelled {field}={value}", **named)
    if "requests" in path:
        return Message("{name} requests {value} {field}", **named)
    return Message("{name} with {field} {value}", **named)


def _field(path: Path) -> str:
    """Return the last name in a path, "" without one; in an affinity, the kind of affinity."""
    if path[:2] == ("spec", "affinity") and len(path) > 2:
        return str(path[2])
    return next((part for part in reversed(path) if isinstance(part, str)), "")


def _value_text(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"
