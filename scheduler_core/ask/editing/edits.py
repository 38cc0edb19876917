"""Edits: typed changes of a scenario.

An edit of an object or of the configuration consists of *steps*: a path in its document and the new value there.
`objects.py` applies the steps to the objects of a cluster, `text.py` to the scenario's text; both result in the same
data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from scheduler_core.apis.messages import Message, WithSentence

CONFIGURATION = "KubeSchedulerConfiguration"
MAX_NODES_ADDED = 1000
MAX_WEIGHT = 1_000_000

Path = tuple[str | int, ...]
Strategy = Literal["LeastAllocated", "MostAllocated"]


class NotPossible(WithSentence):
    """The edit is not possible."""


class SetField(msgspec.Struct, frozen=True, tag="set"):
    """Set a field of an object; None removes it. `add`: insert the value as the first item of a list."""

    kind: str
    name: str
    path: tuple[str | int, ...]
    value: Any = None
    namespace: str = ""
    add: bool = False


class AddNodes(msgspec.Struct, frozen=True, tag="add-nodes"):
    """Add nodes like an existing one, named after it and without its pods. `zone` "": in the same zone."""

    like: str
    count: int = 1
    zone: str = ""


class Remove(msgspec.Struct, frozen=True, tag="remove"):
    """Remove an object."""

    kind: str
    name: str
    namespace: str = ""


class SetWeight(msgspec.Struct, frozen=True, tag="weight"):
    """Set the weight of a Score plugin in one profile."""

    plugin: str
    weight: int
    profile: str = "default-scheduler"


class DisablePlugin(msgspec.Struct, frozen=True, tag="disable"):
    """Disable a plugin in one profile."""

    plugin: str
    profile: str = "default-scheduler"


class SetStrategy(msgspec.Struct, frozen=True, tag="strategy"):
    """Set the scoring strategy of NodeResourcesFit in one profile."""

    strategy: Strategy
    profile: str = "default-scheduler"


class SetFlag(msgspec.Struct, frozen=True, tag="flag"):
    """Set a flag of an autoscaler's command line. `actor`: ClusterAutoscaler, Karpenter or Descheduler."""

    actor: str
    flag: str
    value: str


ObjectEdit = SetField | AddNodes | Remove
ConfigurationEdit = SetWeight | DisablePlugin | SetStrategy
Edit = ObjectEdit | ConfigurationEdit | SetFlag  # the last only in a text: a run cannot change its flags


class Step(NamedTuple):
    """Set the value at a path; None removes it. `add`: insert it as the first item of the list there."""

    path: Path
    value: Any
    add: bool = False


def cordon(node: str, *, on: bool = True) -> SetField:
    """Return the edit for `kubectl cordon` or `uncordon`."""
    return SetField("Node", node, ("spec", "unschedulable"), on or None)


def apply_steps(data: Mapping[str, Any], steps: Sequence[Step]) -> dict[str, Any]:
    """Return a copy of a document's data with the steps applied."""
    document: dict[str, Any] = _copied(data)
    for step in steps:
        _apply_step(document, step)
    return document


def _copied(value: Any) -> Any:
    """Return a deep copy without shared parts. (`deepcopy` would keep parts that YAML aliases share.)"""
    if isinstance(value, Mapping):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value


def _apply_step(data: dict[str, Any], step: Step) -> None:
    here: Any = data
    for depth, part in enumerate(step.path):
        last = depth == len(step.path) - 1
        if last and not step.add:
            _put(here, part, step)
            return
        empty: Any = [] if last or isinstance(step.path[depth + 1], int) else {}
        here = _below(here, part, empty, step)
    if not isinstance(here, list):
        raise _no_place(step)
    here.insert(0, step.value)


def _below(here: Any, part: str | int, empty: Any, step: Step) -> Any:
    """Return the value at `part`; a missing one is set to `empty`. Raises NotPossible."""
    if isinstance(part, int):
        if not (isinstance(here, list) and part < len(here)):
            raise _no_place(step)
        return here[part]
    if not isinstance(here, dict):
        raise _no_place(step)
    if here.get(part) is None:
        here[part] = empty
    return here[part]


def _put(here: Any, part: str | int, step: Step) -> None:
    fits = part < len(here) if isinstance(here, list) and isinstance(part, int) else isinstance(here, dict)
    if fits and isinstance(part, str) == isinstance(here, dict):
        here[part] = step.value
    else:
        raise _no_place(step)


def _no_place(step: Step) -> NotPossible:
    path = ".".join(map(str, step.path))
    return NotPossible(Message("there is no {path} in this object", path=path))
