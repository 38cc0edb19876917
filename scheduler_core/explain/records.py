"""What `explain` answers: an attempt, its nodes, and for each plugin its verdict or score with facts."""

from __future__ import annotations

import msgspec

from scheduler_core.framework.facts import Fact
from scheduler_core.trace.records import NodeName, PodKey, PreFilterResult, StatusCode


class FilterExplanation(msgspec.Struct, frozen=True):
    """One Filter plugin (or, with its url, an extender) on one node.

    Code "Skip": PreFilter found nothing for it to check in this pod. `evaluated` False: the scheduler did not ask this
    plugin about this node, since an earlier one had rejected it, or the node was never looked at.
    """

    plugin: str
    code: StatusCode
    reasons: list[str]
    evaluated: bool
    facts: list[Fact] = []


class ScoreOnNode(msgspec.Struct, frozen=True):
    """One Score plugin (or extender) on one feasible node: what counts is `weighted` = `normalized` * `weight`."""

    plugin: str
    raw: int
    normalized: int
    weight: int
    weighted: int
    arithmetic: list[str] = []
    facts: list[Fact] = []


class NodeExplanation(msgspec.Struct, frozen=True):
    """`scores` is empty for a node that is not feasible, and where a single feasible node made scoring needless."""

    node: NodeName
    filters: list[FilterExplanation]
    scores: list[ScoreOnNode] = []


class AttemptExplanation(msgspec.Struct, frozen=True):
    """`pre_filter` is what PreFilter said before any node was looked at."""

    attempt: int
    pod: PodKey
    nodes: list[NodeExplanation]
    pre_filter: list[PreFilterResult] = []
