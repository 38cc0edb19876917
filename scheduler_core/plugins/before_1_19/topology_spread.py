"""PodTopologySpread in 1.18 (podtopologyspread/{filtering,scoring}.go).

A missing label is the same kind of rejection as too much skew, and no node is rejected if none is counted. The score is
the number of matching pods, without weights: (total - count) / (total - least) * 100 over the scored nodes.
"""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from scheduler_core.apis.config import PluginArgs, PodTopologySpreadArgs
from scheduler_core.apis.constraints import TopologySpreadConstraint
from scheduler_core.apis.core import Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.facts import ScoreExplanation
from scheduler_core.framework.interface import (
    MAX_NODE_SCORE,
    PASS,
    Change,
    Handle,
    Rows,
    Scores,
    Verdicts,
)
from scheduler_core.plugins.pod_topology_spread import scoring
from scheduler_core.plugins.pod_topology_spread.counting import CountedConstraint, Plans
from scheduler_core.plugins.pod_topology_spread.plugin import CONSTRAINTS_NOT_MATCH, SpreadState
from scheduler_core.plugins.pod_topology_spread.plugin import PodTopologySpread as PodTopologySpreadToday


class PodTopologySpread(PodTopologySpreadToday):
    """PodTopologySpread with the current counting and the verdicts and scores of 1.18.

    There are no default constraints.
    """

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        own = args if isinstance(args, PodTopologySpreadArgs) and args.defaulting_type == "List" else None
        super().__init__(own or PodTopologySpreadArgs("List"), handle)
        self._plans = PlansBefore119(self._constraints, handle.cluster, handle.release.rules)

    def filter(self, pod: Pod, state: SpreadState, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        if not any(len(hard.topology.eligible) for hard in state.plan.hard):
            return PASS
        verdicts = super().filter(pod, state, nodes, rows, change)
        return replace(verdicts, statuses=(CONSTRAINTS_NOT_MATCH, CONSTRAINTS_NOT_MATCH))

    def score(self, pod: Pod, state: scoring.ScoreState, nodes: NodeTable, rows: NDArray[np.intp]) -> Scores:
        total = np.zeros(len(rows), np.int64)
        for soft in state.soft:
            total += soft.counts
        if state.ignored is not None:
            total[state.ignored] = 0
        return total

    def normalize(
        self, pod: Pod, state: scoring.ScoreState, nodes: NodeTable, rows: NDArray[np.intp], scores: Scores
    ) -> Scores:
        counted = scores if state.ignored is None else scores[~state.ignored]
        if not state.soft or not len(counted):
            return np.zeros(len(scores), np.int64)
        total, least = int(counted.sum()), int(counted.min())
        if total == least:
            return np.full(len(scores), MAX_NODE_SCORE, np.int64)
        scaled: Scores = (float(MAX_NODE_SCORE) * ((total - scores) / float(total - least))).astype(np.int64)
        if state.ignored is not None:
            scaled[state.ignored] = 0
        return scaled

    def explain_score(
        self, pod: Pod, state: scoring.ScoreState, cluster: Cluster, rows: NDArray[np.intp], raw: Scores, index: int
    ) -> ScoreExplanation:
        lines = [
            f"{soft.constraint.topology_key}: {int(soft.counts[index])} matching pods in the node's domain"
            for soft in state.soft
        ]
        return ScoreExplanation([*lines, f"sum = {int(raw[index])}"], [])


class PlansBefore119(Plans):
    """Plans in which soft constraints on the hostname are counted like those on any other label."""

    def _count(
        self, pod: Pod, constraint: TopologySpreadConstraint, keys: tuple[str, ...], *, by_host: bool = False
    ) -> CountedConstraint:
        return super()._count(pod, constraint, keys)
