"""The decision of an attempt with edits, compared with the original decision.

    moment = before_attempt(scenario, 7)
    judge(moment, [SetField("Pod", "web", (...), "500m", "default")])

A moment can be used many times; each call costs one decision and a copy of the cluster's columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from scheduler_core.apis.core import PodKey
from scheduler_core.apis.messages import Message
from scheduler_core.ask.editing.edits import Edit, NotPossible
from scheduler_core.ask.editing.objects import KnownPlugins
from scheduler_core.ask.moments.moment import Moment
from scheduler_core.scheduler.decide import Decision
from scheduler_core.trace.records import NodeName

MAX_NODES = 200  # the length of each list in a judgement


class Side(msgspec.Struct, frozen=True):
    """A decision. If `node` and `nominated` are "", the pod stays pending and `message` says why."""

    node: NodeName
    nominated: NodeName
    victims: list[PodKey]
    message: str
    feasible: int


class NodeChange(msgspec.Struct, frozen=True):
    """A node that became feasible or infeasible, or whose scores changed. "" and None: not evaluated or not scored.

    `before` and `after` are the reasons for its rejection, "" if it was feasible. `scores` are the plugins whose
    weighted score changed: (plugin, before, after).
    """

    node: NodeName
    before: str
    after: str
    total_before: int | None = None
    total_after: int | None = None
    scores: list[tuple[str, int | None, int | None]] = []


class Judgement(msgspec.Struct, frozen=True):
    """A comparison of two decisions: `gained` and `lost` nodes became feasible or infeasible; `moved` nodes have other
    scores.

    Each list has the first 200 nodes; `counts` are the full numbers, and `more` the names of further gained and lost
    nodes.
    """

    pod: PodKey
    before: Side
    after: Side
    gained: list[NodeChange]
    lost: list[NodeChange]
    moved: list[NodeChange]
    counts: tuple[int, int, int]
    more: tuple[list[NodeName], list[NodeName]] = ([], [])

    @property
    def same(self) -> bool:
        """Return whether the edits leave the decision unchanged."""
        return self.before == self.after and not any(self.counts)


def judge(moment: Moment, edits: Sequence[Edit], plugins: KnownPlugins | None = None) -> Judgement:
    """Compare the decision without the edits and with them. Raises NotPossible."""
    if moment.pod is None:
        raise NotPossible(Message("no scheduling attempt happens at this step"))
    world = moment.world()
    world.apply_edits(edits, plugins or {})
    return compare_decisions(moment.decision, world.decide(moment.pod.key))


def compare_decisions(before: Decision, after: Decision) -> Judgement:
    """Compare two decisions about a pod."""
    feasible = [dict.fromkeys(decision.record["feasible"]) for decision in (before, after)]
    gained = [name for name in feasible[1] if name not in feasible[0]]
    lost = [name for name in feasible[0] if name not in feasible[1]]
    both = (name for name in feasible[0] if name in feasible[1])
    moved = [change for name in both if (change := _change(name, before, after)).scores]
    moved.sort(key=lambda change: -(change.total_after or 0))
    counts = (len(gained), len(lost), len(moved))
    changes, gone = ([_change(name, before, after) for name in names[:MAX_NODES]] for names in (gained, lost))
    more = (gained[MAX_NODES:], lost[MAX_NODES:])
    return Judgement(after.pod, side_of(before), side_of(after), changes, gone, moved[:MAX_NODES], counts, more)


def side_of(decision: Decision) -> Side:
    """Return a summary of a decision, without its nodes."""
    return Side(decision.node, decision.nominated, decision.victims, decision.message, len(decision.record["feasible"]))


def _change(name: NodeName, before: Decision, after: Decision) -> NodeChange:
    scores = []
    old, new = before.record["scores"], after.record["scores"]
    for plugin in dict.fromkeys((*old, *new)):
        pair = (_weighted(old, plugin, name), _weighted(new, plugin, name))
        if pair[0] != pair[1]:
            scores.append((plugin, *pair))
    totals = before.record["totals"].get(name), after.record["totals"].get(name)
    return NodeChange(name, rejection_of(before, name), rejection_of(after, name), *totals, scores)


def _weighted(scores: Mapping[str, Mapping[str, Sequence[int]]], plugin: str, node: NodeName) -> int | None:
    entry = scores.get(plugin, {}).get(node)
    return None if entry is None else entry[2]


def rejection_of(decision: Decision, node: NodeName) -> str:
    """Return the plugin that rejects a node, with its reasons; "" if none does."""
    status = decision.record["filter"].get(node)
    return "" if status is None else f"{status['plugin']}: {', '.join(status['reasons'])}"
