"""The records that `explain` returns: an attempt, its nodes, and the facts of each plugin."""

from __future__ import annotations

import msgspec

from scheduler_core.framework.facts import Fact
from scheduler_core.trace.records import NodeName, PodKey, PreFilterResult, StatusCode


class FilterExplanation(msgspec.Struct, frozen=True):
    """The result of a Filter plugin (or of an extender, with its url) on one node.

    Code "Skip": PreFilter has nothing to check for this pod. `evaluated` False: the scheduler did not run this plugin
    on this node, because an earlier one rejected the node or the search did not reach it.
    """

    plugin: str
    code: StatusCode
    reasons: list[str]
    evaluated: bool
    facts: list[Fact] = []


class ScoreOnNode(msgspec.Struct, frozen=True):
    """The score of a plugin (or extender) on a feasible node: `weighted` = `normalized` * `weight`."""

    plugin: str
    raw: int
    normalized: int
    weight: int
    weighted: int
    arithmetic: list[str] = []
    facts: list[Fact] = []


class NodeExplanation(msgspec.Struct, frozen=True):
    """The explanation of a node. `scores` is empty if the node is infeasible or the only feasible one."""

    node: NodeName
    filters: list[FilterExplanation]
    scores: list[ScoreOnNode] = []


class AttemptExplanation(msgspec.Struct, frozen=True):
    """The explanation of an attempt. `pre_filter` are the results of PreFilter."""

    attempt: int
    pod: PodKey
    nodes: list[NodeExplanation]
    pre_filter: list[PreFilterResult] = []
