"""Answers about a moment of a run: what-if, smallest changes, weights, capacity, and the text with edits applied.

Each raises NotHere if the moment is not cached and the text is None (moments.find_moment).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from kschedui.ask import moments
from kschedui.ask.decision_step import decision_step
from kschedui.ask.edit_rows import edits_of
from kschedui.ask.edit_words import edits_words
from kschedui.ask.moments import Name
from kschedui.ask.words import change_words, contradiction_messages, missing_words
from kschedui.language import in_language
from kschedui.scenarios import engine, yaml_text
from scheduler_core.apis.core import PodDisruptionBudget
from scheduler_core.apis.messages import Message
from scheduler_core.ask.capacity import Capacity, capacity
from scheduler_core.ask.editing.edits import Edit, NotPossible
from scheduler_core.ask.happening import apply_as_events
from scheduler_core.ask.moments.judge import judge
from scheduler_core.ask.operations.operation import zone_of
from scheduler_core.ask.smallest.smallest_change import Change, ChangeSearch
from scheduler_core.ask.smallest.weights import weight_changes

MAX_BUDGETS = 50
MAX_PODS = 500  # to choose from
PIECE_SECONDS = 0.5  # of the search for the smallest change, in one answer


class FoundChange(msgspec.Struct):
    """A smallest change and its description. `others`: further nodes on which the pod fits with the same change.

    `untrue`: reasons why it would contradict facts, such as the zone of a cloud node; [] if it contradicts none.
    """

    words: str
    node: str
    others: list[str]
    edits: list[Edit]
    victims: list[str]
    size: float
    untrue: list[str] = []


class Changes(msgspec.Struct):
    """The changes found so far, the smallest first; ask again until `done` equals `pieces`.

    `missing`: sentences about objects and resources that the pod requires and that no edit of pods or nodes provides.
    """

    done: int
    pieces: int
    changes: list[FoundChange]
    missing: list[str] = []


class Weight(msgspec.Struct):
    """A Score plugin of the pod's profile, and its weight."""

    plugin: str
    weight: int


class About(msgspec.Struct):
    """The data for changes at a moment: the pod's manifest, its profile's plugins, at most MAX_BUDGETS budgets."""

    pod: str
    manifest: dict[str, Any]
    profile: str
    scores: list[Weight]
    filters: list[str]
    budgets: list[dict[str, Any]]
    time: float


def about(name: Name, text: str | None) -> About:
    """Return the data that a panel needs to offer changes. Raises NotPossible at the end of the run."""
    moment = moments.find_moment(name, text).moment
    if moment.pod is None:
        raise NotPossible(Message("no scheduling attempt happens at this step"))
    world = moment.world()
    framework = world.frameworks.get(moment.pod.scheduler_name)
    points = framework.points if framework else {}
    budgets = [
        budget for budget in world.cluster.objects("PodDisruptionBudget") if isinstance(budget, PodDisruptionBudget)
    ]
    return About(
        moment.pod.key,
        dict(moment.pod.manifest),
        moment.pod.scheduler_name,
        [Weight(plugin.name, weight) for plugin, weight in points.get("score", ())],
        [plugin.name for plugin, _ in points.get("filter", ())],
        [dict(budget.manifest) for budget in budgets[:MAX_BUDGETS]],
        moment.time,
    )


def what_if(name: Name, text: str | None, rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return the JSON of the Judgement of these edits. Raises NotPossible if they are invalid."""
    edits = edits_of(rows)
    cached = moments.find_moment(name, text)
    with cached.turn:
        return msgspec.json.encode(judge(cached.moment, edits, moments.list_plugins()))


def smallest(name: Name, text: str | None) -> Changes:
    """Continue the search for PIECE_SECONDS and return the changes found so far."""
    cached = moments.find_moment(name, text)
    with cached.turn:
        search = cached.search = cached.search or ChangeSearch(cached.moment)
        until = time.perf_counter() + PIECE_SECONDS
        for _ in search.work:
            if time.perf_counter() > until:
                break
        return changes_of(search)


def changes_of(search: ChangeSearch) -> Changes:
    """Return the changes that a search has found, in the visitor's language."""
    lacking = [in_language(missing_words(missing)) for missing in search.missing()]
    return Changes(search.done, search.pieces, [_found_change(*same) for same in _alike(search.ranked())], lacking)


def _alike(changes: Sequence[Change]) -> list[list[Change]]:
    """Group changes that make the same edits, in the order of each group's first change."""
    groups: dict[bytes, list[Change]] = {}
    for change in changes:
        groups.setdefault(msgspec.json.encode((change.edits, change.victims)), []).append(change)
    return list(groups.values())


def _found_change(change: Change, *same: Change) -> FoundChange:
    others = dict.fromkeys([*change.others, *(other.node for other in same)])
    untrue = [in_language(reason) for reason in contradiction_messages(change.changed)]
    return FoundChange(
        in_language(change_words(change)), change.node, list(others), change.edits, change.victims, change.size, untrue
    )


def weights(name: Name, text: str | None, node: str) -> bytes:
    """Return the JSON of a list of WeightChange."""
    cached = moments.find_moment(name, text)
    with cached.turn:
        return msgspec.json.encode(weight_changes(cached.moment, node))


def how_many(name: Name, text: str | None, pod: str, wanted: int | None) -> Capacity:
    """Return the number of copies of the pod that fit, and where. `wanted`: the number of copies that should fit."""
    cached = moments.find_moment(name, text)
    with cached.turn:
        return capacity(cached.moment, pod, wanted)


def pods(name: Name, text: str | None) -> list[str]:
    """Return at most MAX_PODS pods that exist at the moment, pending ones first."""
    cached = moments.find_moment(name, text)
    table = cached.moment.world().cluster.pods
    pods_by_state = sorted(table.all(), key=lambda pod: (bool(table.node_name[table.slot_of[pod.key]]), pod.key))
    return [pod.key for pod in pods_by_state[:MAX_PODS]]


def nodes(name: Name, text: str | None) -> list[tuple[str, str]]:
    """Return the name and zone ("" without one) of each node at the moment."""
    cached = moments.find_moment(name, text)
    return [(node.name, zone_of(node)) for node in cached.moment.world().cluster.all_nodes()]


class Kept(NamedTuple):
    """A text with edits applied, a summary of the edits, and the step that shows their effect."""

    text: str
    step: int
    words: str


def keep_edits(name: Name, text: str, rows: Sequence[Mapping[str, Any]]) -> Kept:
    """Return the text whose run continues from the moment with the edits, the step of the attempt's decision, and a
    summary of the edits in the visitor's language, "" without edits.
    """
    edits = edits_of(rows)
    cached = moments.find_moment(name, text)
    with cached.turn:
        moment = cached.moment
        judge(moment, edits, moments.list_plugins())  # refused here as it would be in the panel
        continuation = apply_as_events(moment, text, edits, yaml_text.write)
    pod = moment.pod
    assert pod is not None
    events = engine.simulate(engine.read(continuation, name.kubernetes))
    return Kept(
        continuation, decision_step(events, pod.key, moment.number), in_language(edits_words(edits)) if edits else ""
    )
