"""The two scorers of resources before 1.19: how much is left, and how evenly cpu and memory fill.

kube-scheduler 1.18: noderesources/{least_allocated,most_allocated,balanced_allocation,resource_allocation}.go; 1.15 and
1.16: algorithm/priorities/{least_requested,most_requested,balanced_resource_allocation,resource_allocation}.go. All of
them count 100m and 200 MiB for containers without a request. A resource that the node does not have scores 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.config import PluginArgs
from scheduler_core.apis.core import Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import CPU, MEMORY, NodeTable
from scheduler_core.framework.facts import ScoreExplanation
from scheduler_core.framework.interface import MAX_NODE_SCORE, ExplainsScore, Handle, Reads, ScorePlugin, Scores
from scheduler_core.plugins.before_1_19.abouts import LEAST_ALLOCATED, MOST_ALLOCATED
from scheduler_core.plugins.node_resources.allocation import Amounts, pod_request
from scheduler_core.plugins.node_resources.balanced_allocation_about import ABOUT as BALANCE

RESOURCES = (("cpu", CPU), ("memory", MEMORY))


class ResourceScorer(ScorePlugin, ExplainsScore):
    """A scorer of the requested and the allocatable cpu and memory, from 0 to `scale`."""

    reads = Reads(pod=("non_zero_cpu", "non_zero_memory", "scoring_requests"), node=("allocatable", "non_zero"))
    scale = MAX_NODE_SCORE

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        pass

    def score(self, pod: Pod, state: None, nodes: NodeTable, rows: NDArray[np.intp]) -> Scores:
        return self._score(
            [
                (nodes.non_zero[number][rows] + pod_request(pod, name, non_zero=True), nodes.allocatable[number][rows])
                for name, number in RESOURCES
            ]
        )

    def explain_score(
        self, pod: Pod, state: None, cluster: Cluster, rows: NDArray[np.intp], raw: Scores, index: int
    ) -> ScoreExplanation:
        nodes, row, lines = cluster.nodes, int(rows[index]), []
        for name, number in RESOURCES:
            requested = int(nodes.non_zero[number][row]) + pod_request(pod, name, non_zero=True)
            lines.append(f"{name}: {requested} of {int(nodes.allocatable[number][row])}")
        return ScoreExplanation([*lines, f"{self.name} = {int(raw[index])}"], [])

    def _score(self, amounts: list[tuple[Amounts, Amounts]]) -> Scores:
        raise NotImplementedError


class NodeResourcesLeastAllocated(ResourceScorer):
    """The mean of (allocatable - requested) * scale / allocatable; every step truncates."""

    name = "NodeResourcesLeastAllocated"
    about = LEAST_ALLOCATED

    def _score(self, amounts: list[tuple[Amounts, Amounts]]) -> Scores:
        parts = [
            np.maximum(allocatable - requested, 0) * self.scale // np.maximum(allocatable, 1)
            for requested, allocatable in amounts
        ]
        mean: Scores = np.add(*parts) // len(parts)
        return mean


class NodeResourcesMostAllocated(ResourceScorer):
    """The mean of requested * scale / allocatable, 0 where more is requested than there is."""

    name = "NodeResourcesMostAllocated"
    about = MOST_ALLOCATED

    def _score(self, amounts: list[tuple[Amounts, Amounts]]) -> Scores:
        parts = [
            np.where(requested > allocatable, 0, requested) * self.scale // np.maximum(allocatable, 1)
            for requested, allocatable in amounts
        ]
        mean: Scores = np.add(*parts) // len(parts)
        return mean


class NodeResourcesBalancedAllocation(ResourceScorer):
    """(1 - |share of cpu - share of memory|) * scale, truncated; 0 where a share is 1 or more."""

    name = "NodeResourcesBalancedAllocation"
    about = BALANCE

    def _score(self, amounts: list[tuple[Amounts, Amounts]]) -> Scores:
        cpu, memory = (
            np.where(allocatable > 0, requested / np.maximum(allocatable, 1), 1.0) for requested, allocatable in amounts
        )
        score = ((1.0 - np.abs(cpu - memory)) * float(self.scale)).astype(np.int64)
        return np.where((cpu >= 1) | (memory >= 1), 0, score)
