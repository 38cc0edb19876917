"""Edits: typed changes of a scenario, as data that travels.

An edit of an object or of the configuration comes down to *steps*, each a path in its document and the value that
stands there afterwards. `objects.py` takes the steps to the objects of a cluster, `text.py` to the scenario's text;
both end up with the same data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from scheduler_core.apis.messages import Message

CONFIGURATION = "KubeSchedulerConfiguration"
MOST_NODES_ADDED = 1000
MOST_WEIGHT = 1_000_000

Path = tuple[str | int, ...]
Strategy = Literal["LeastAllocated", "MostAllocated"]


class NotPossible(Exception):
    """The edit cannot be made; the sentence says why."""

    def __init__(self, sentence: Message) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class SetField(msgspec.Struct, frozen=True, tag="set"):
    """A field of an object gets a value; None takes it away. `add`: the value becomes the first item of a list."""

    kind: str
    name: str
    path: tuple[str | int, ...]
    value: Any = None
    namespace: str = ""
    add: bool = False


class AddNodes(msgspec.Struct, frozen=True, tag="add-nodes"):
    """More nodes like one that there is, without its pods; named after it."""

    like: str
    count: int = 1


class Remove(msgspec.Struct, frozen=True, tag="remove"):
    """An object is not there."""

    kind: str
    name: str
    namespace: str = ""


class SetWeight(msgspec.Struct, frozen=True, tag="weight"):
    """A Score plugin counts so many times, in one profile."""

    plugin: str
    weight: int
    profile: str = "default-scheduler"


class DisablePlugin(msgspec.Struct, frozen=True, tag="disable"):
    """A profile runs without a plugin."""

    plugin: str
    profile: str = "default-scheduler"


class SetStrategy(msgspec.Struct, frozen=True, tag="strategy"):
    """How NodeResourcesFit scores, in one profile."""

    strategy: Strategy
    profile: str = "default-scheduler"


ObjectEdit = SetField | AddNodes | Remove
ConfigurationEdit = SetWeight | DisablePlugin | SetStrategy
Edit = ObjectEdit | ConfigurationEdit


class Step(NamedTuple):
    """A value at a path; `add`: it becomes the first item of the list there. None: nothing is there any more."""

    path: Path
    value: Any
    add: bool = False


def cordon(node: str, *, on: bool = True) -> SetField:
    """`kubectl cordon`, or uncordon."""
    return SetField("Node", node, ("spec", "unschedulable"), on or None)


def patched(data: Mapping[str, Any], steps: Sequence[Step]) -> dict[str, Any]:
    """A copy of a document's data with the steps taken."""
    found: dict[str, Any] = _copied(data)
    for step in steps:
        _take(found, step)
    return found


def _copied(value: Any) -> Any:
    """Not `deepcopy`, after which what an alias shared would still be one."""
    if isinstance(value, Mapping):
        return {key: _copied(one) for key, one in value.items()}
    return [_copied(one) for one in value] if isinstance(value, list) else value


def _take(data: dict[str, Any], step: Step) -> None:
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
    """What stands there; something empty if nothing does."""
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
