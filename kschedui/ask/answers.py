"""Answers about a moment of a run: what if, the smallest change, weights, how many fit, the text that keeps an edit."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from kschedui.ask import moments
from kschedui.ask.decision_step import decision_step
from kschedui.ask.edit_words import edits_words
from kschedui.ask.moments import Asked, Name
from kschedui.ask.words import change_words
from kschedui.language import spoken
from kschedui.scenarios import engine, yaml_text
from scheduler_core.apis.core import PodDisruptionBudget
from scheduler_core.apis.messages import Message
from scheduler_core.ask.capacity import Capacity, capacity
from scheduler_core.ask.editing.edits import AddNodes, Edit, NotPossible, Remove, SetField
from scheduler_core.ask.happening import continued
from scheduler_core.ask.moments.judge import judge
from scheduler_core.ask.smallest.smallest_change import Change, Search
from scheduler_core.ask.smallest.weights import weight_changes
from scheduler_core.scenario.objects.kinds import KINDS

MOST_EDITS = 32
MOST_ADDED = 1000
EDITABLE = (("metadata", "labels"), ("metadata", "annotations"), ("spec",), ("status",))
MOST_BUDGETS = 50
MOST_PODS = 500  # to choose from
PIECE_SECONDS = 0.5  # of the search for the smallest change, in one answer


class FoundChange(msgspec.Struct):
    """A smallest change, and what it is in words. `others`: the very same makes the pod fit there too."""

    words: str
    node: str
    others: list[str]
    edits: list[Edit]
    victims: list[str]
    size: float


class Changes(msgspec.Struct):
    """What is found so far, the smallest first; whoever wants all asks again until `done` is `pieces`."""

    done: int
    pieces: int
    changes: list[FoundChange]


class Weight(msgspec.Struct):
    """A Score plugin of the pod's profile."""

    plugin: str
    weight: int


class About(msgspec.Struct):
    """What can be changed at a moment: the pod as it is written, its profile's plugins, the budgets."""

    pod: str
    manifest: dict[str, Any]
    profile: str
    scores: list[Weight]
    filters: list[str]
    budgets: list[dict[str, Any]]
    time: float


def edits_of(rows: Sequence[Mapping[str, Any]]) -> list[Edit]:
    """Typed edits from plain data; raises NotPossible with what is wrong."""
    if len(rows) > MOST_EDITS:
        raise NotPossible(Message("at most {most} edits at once", most=MOST_EDITS))
    try:
        edits: list[Edit] = msgspec.convert(list(rows), list[Edit])
    except msgspec.ValidationError as error:
        raise NotPossible(Message("this is no edit: {problem}", problem=str(error))) from None
    for edit in edits:
        if isinstance(edit, SetField | Remove) and edit.kind not in KINDS:
            raise NotPossible(Message("no kind {value} can be changed here", value=edit.kind[:40]))
        if isinstance(edit, SetField) and not any(edit.path[: len(one)] == one for one in EDITABLE):
            raise NotPossible(Message("only labels, annotations, spec and status can be changed"))
    if sum(edit.count for edit in edits if isinstance(edit, AddNodes)) > MOST_ADDED:
        raise NotPossible(Message("add from 1 to {most} nodes", most=MOST_ADDED))
    return edits


def about(name: Name, text: str | None) -> About:
    """What a panel needs to offer changes."""
    moment = moments.asked(name, text).moment
    if moment.pod is None:
        raise NotPossible(Message("no attempt comes at this moment"))
    world = moment.world()
    framework = world.frameworks.get(moment.pod.scheduler_name)
    points = framework.points if framework else {}
    budgets = [one for one in world.cluster.objects("PodDisruptionBudget") if isinstance(one, PodDisruptionBudget)]
    return About(
        moment.pod.key,
        dict(moment.pod.manifest),
        moment.pod.scheduler_name,
        [Weight(plugin.name, weight) for plugin, weight in points.get("score", ())],
        [plugin.name for plugin, _ in points.get("filter", ())],
        [dict(one.manifest) for one in budgets[:MOST_BUDGETS]],
        moment.time,
    )


def what_if(name: Name, text: str | None, rows: Sequence[Mapping[str, Any]]) -> bytes:
    """The JSON of a Judgement."""
    edits = edits_of(rows)
    asked = moments.asked(name, text)
    with asked.turn:
        return msgspec.json.encode(judge(asked.moment, edits, moments.known()))


def smallest(name: Name, text: str | None) -> Changes:
    """The search, gone on with for a while."""
    asked = moments.asked(name, text)
    with asked.turn:
        search = asked.search = asked.search or Search(asked.moment)
        until = time.perf_counter() + PIECE_SECONDS
        for _ in search.work:
            if time.perf_counter() > until:
                break
        return Changes(search.done, search.pieces, [_found(*same) for same in _alike(search.ranked())])


def _alike(changes: Sequence[Change]) -> list[list[Change]]:
    """Those that make the same edits together, in the order of the first."""
    found: dict[bytes, list[Change]] = {}
    for one in changes:
        found.setdefault(msgspec.json.encode((one.edits, one.victims)), []).append(one)
    return list(found.values())


def _found(one: Change, *same: Change) -> FoundChange:
    words = spoken(change_words(one, len(same)))
    return FoundChange(words, one.node, [other.node for other in same], one.edits, one.victims, one.size)


def weights(name: Name, text: str | None, node: str) -> bytes:
    """The JSON of a list of WeightChange."""
    asked = moments.asked(name, text)
    with asked.turn:
        return msgspec.json.encode(weight_changes(asked.moment, node))


def how_many(name: Name, text: str | None, pod: str, wanted: int | None) -> Capacity:
    """How many copies of the pod fit."""
    asked: Asked = moments.asked(name, text)
    with asked.turn:
        return capacity(asked.moment, pod, wanted)


def pods(name: Name, text: str | None) -> list[str]:
    """Some pods that are there at the moment, those that wait first."""
    asked = moments.asked(name, text)
    there = asked.moment.world().cluster.pods
    found = sorted(there.all(), key=lambda pod: (bool(there.node_name[there.slot_of[pod.key]]), pod.key))
    return [pod.key for pod in found[:MOST_PODS]]


class Kept(NamedTuple):
    """A text that keeps edits: what they are in one phrase, and the step that shows what they lead to."""

    text: str
    step: int
    words: str


def kept(name: Name, text: str, rows: Sequence[Mapping[str, Any]]) -> Kept:
    """The text whose run goes on from the moment with the edits, and the step of the same attempt's decision in it."""
    edits = edits_of(rows)
    asked = moments.asked(name, text)
    with asked.turn:
        moment = asked.moment
        judge(moment, edits, moments.known())  # refused here as it would be in the panel
        made = continued(moment, text, edits, yaml_text.write)
    pod = moment.pod
    assert pod is not None
    events = engine.simulate(engine.read(made, name.kubernetes))
    return Kept(made, decision_step(events, pod.key, moment.number), spoken(edits_words(edits)) if edits else "")
