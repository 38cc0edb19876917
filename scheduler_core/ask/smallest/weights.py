"""The smallest change of a weight that makes a node win.

Scores do not depend on weights, so a node's total is a linear function of each weight, and the weights for which no
other total is higher are an interval. Totals can be equal at its ends, and a node with the same scores is always tied;
ties are broken at random. So weights of the interval are tried, those nearest to the current weight first, until the
node wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from scheduler_core.apis.messages import Message
from scheduler_core.ask.editing.edits import MAX_WEIGHT, NotPossible, SetWeight
from scheduler_core.ask.moments.moment import Moment
from scheduler_core.scheduler.decide import Decision
from scheduler_core.trace.records import NodeName

MAX_TRIED = 10  # the number of weights above and below the current one that are tried


class WeightChange(msgspec.Struct, frozen=True):
    """A change of a weight: the node wins with `after` instead of `before`.

    None: no weight of this plugin is sufficient.
    """

    plugin: str
    before: int
    after: int | None
    profile: str


class TotalByWeight(NamedTuple):
    """A node's total: the scores of the other plugins, and this plugin's score, which is multiplied by its weight."""

    rest: int
    slope: int


def weight_changes(moment: Moment, node: NodeName) -> list[WeightChange]:
    """Return the smallest change for each Score plugin, the smallest of all first.

    Raises NotPossible if no attempt happens at the moment, or the node was not scored.
    """
    if moment.pod is None:
        raise NotPossible(Message("no scheduling attempt happens at this step"))
    world = moment.world()
    decision = world.decide(moment.pod.key)
    if node not in decision.record["totals"]:
        raise NotPossible(Message("{node} was not scored in this attempt", node=node))
    profile = moment.pod.scheduler_name
    weights = {plugin.name: weight for plugin, weight in world.frameworks[profile].points["score"]}
    changes = [
        WeightChange(plugin, weights[plugin], _smallest(moment, decision, plugin, weights[plugin], node), profile)
        for plugin in decision.record["scores"]
    ]
    return sorted(changes, key=lambda change: (change.after is None, abs((change.after or 0) - change.before)))


def _smallest(moment: Moment, decision: Decision, plugin: str, now: int, node: NodeName) -> int | None:
    if decision.node == node:
        return now
    scores, totals = decision.record["scores"][plugin], decision.record["totals"]
    lines = {name: TotalByWeight(totals[name] - scores[name][2], scores[name][1]) for name in totals}
    low, high = interval(lines, node)
    assert moment.pod is not None
    profile = moment.pod.scheduler_name
    tried = (*range(now - MAX_TRIED, now + MAX_TRIED + 1), low, low + 1, high - 1, high)
    allowed: set[int] = {weight for weight in tried if low <= weight <= high and weight != now}
    for weight in sorted(allowed, key=lambda candidate: (abs(candidate - now), candidate)):
        world = moment.world()
        world.apply_edits([SetWeight(plugin, weight, profile)], {})
        if world.decide(decision.pod).node == node:
            return weight
    return None


def interval(lines: Mapping[NodeName, TotalByWeight], node: NodeName) -> tuple[int, int]:
    """Return the lowest and highest weight, from 1, for which no other node's total is higher than the node's.

    If there is none, the first number is larger than the second.
    """
    own = lines[node]
    low, high = 1, MAX_WEIGHT
    for other in lines.values():
        ahead, steeper = other.rest - own.rest, own.slope - other.slope
        if steeper > 0:
            low = max(low, -(-ahead // steeper))
        elif steeper < 0:
            high = min(high, ahead // steeper)
        elif ahead > 0:
            return 1, 0
    return low, high
