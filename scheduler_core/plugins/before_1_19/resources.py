"""The resource scorers before 1.19: the share that is left (or used), and the balance of cpu and memory.

kube-scheduler 1.18: noderesources/{least_allocated,most_allocated,balanced_allocation,resource_allocation}.go; 1.15 and
1.16: algorithm/priorities/{least_requested,most_requested,balanced_resource_allocation,resource_allocation}.go. All of
them use 100m and 200 MiB for containers without a request. A resource that the node lacks scores 0.
RequestedToCapacityRatio, which only a Policy enables, counts such a resource as fully used.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.config import (
    DEFAULT_RESOURCES,
    OutsidePluginArgs,
    PluginArgs,
    ResourceSpec,
    UtilizationShapePoint,
)
from scheduler_core.apis.core import Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import CPU, MEMORY, NodeTable
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.facts import ScoreExplanation
from scheduler_core.framework.interface import MAX_NODE_SCORE, ExplainsScore, Handle, Reads, ScorePlugin, Scores
from scheduler_core.plugins.node_resources.allocation import Amounts, pod_request
from scheduler_core.plugins.node_resources.strategies import broken_linear, rounded_weighted_mean

RESOURCES = (("cpu", CPU), ("memory", MEMORY))
MAX_PRIORITY = 10
DEFAULT_SHAPE = (UtilizationShapePoint(0, 10), UtilizationShapePoint(100, 0))


class ResourceScorer(ScorePlugin, ExplainsScore):
    """Scores nodes by their requested and allocatable cpu and memory, from 0 to `scale`."""

    reads = Reads(pod=("non_zero_cpu", "non_zero_memory", "scoring_requests"), node=("allocatable", "non_zero"))
    scale = MAX_NODE_SCORE

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
        """Return the scores, given the requested and the allocatable amounts of each resource."""
        raise NotImplementedError


class NodeResourcesLeastAllocated(ResourceScorer):
    """Scores the mean of max(allocatable - requested, 0) * scale / allocatable; every step truncates."""

    name = "NodeResourcesLeastAllocated"
    about = AboutFile("about/least_allocated.yaml")

    def _score(self, amounts: list[tuple[Amounts, Amounts]]) -> Scores:
        scores = [
            np.maximum(allocatable - requested, 0) * self.scale // np.maximum(allocatable, 1)
            for requested, allocatable in amounts
        ]
        mean: Scores = np.add(*scores) // len(scores)
        return mean


class NodeResourcesMostAllocated(ResourceScorer):
    """Scores the mean of requested * scale / allocatable; a resource counts 0 if more is requested than allocatable."""

    name = "NodeResourcesMostAllocated"
    about = AboutFile("about/most_allocated.yaml")

    def _score(self, amounts: list[tuple[Amounts, Amounts]]) -> Scores:
        scores = [
            np.where(requested > allocatable, 0, requested) * self.scale // np.maximum(allocatable, 1)
            for requested, allocatable in amounts
        ]
        mean: Scores = np.add(*scores) // len(scores)
        return mean


class NodeResourcesBalancedAllocation(ResourceScorer):
    """Scores (1 - |share of cpu - share of memory|) * scale, truncated; 0 if a share is 1 or more."""

    name = "NodeResourcesBalancedAllocation"
    about = AboutFile("../node_resources/balanced_allocation.yaml")

    def _score(self, amounts: list[tuple[Amounts, Amounts]]) -> Scores:
        cpu, memory = (
            np.where(allocatable > 0, requested / np.maximum(allocatable, 1), 1.0) for requested, allocatable in amounts
        )
        score = ((1.0 - np.abs(cpu - memory)) * float(self.scale)).astype(np.int64)
        return np.where((cpu >= 1) | (memory >= 1), 0, score)


class RequestedToCapacityRatio(ScorePlugin, ExplainsScore):
    """Scores the utilization of each resource by the function `shape`. Arguments: `shape` and `resources`."""

    name = "RequestedToCapacityRatio"
    about = AboutFile("about/requested_to_capacity_ratio.yaml")
    scale = MAX_NODE_SCORE

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        values = args.values if isinstance(args, OutsidePluginArgs) else {}
        points = [
            UtilizationShapePoint(point.get("utilization") or 0, point.get("score") or 0)
            for point in values.get("shape") or ()
        ]
        self._shape = tuple(points) or DEFAULT_SHAPE
        self._weighs = handle.release.rules.capacity_ratio_weighs_resources
        own = [
            ResourceSpec(resource.get("name") or "", resource.get("weight") or 1)
            for resource in values.get("resources") or ()
        ]
        self._resources = tuple(own) if own and self._weighs else DEFAULT_RESOURCES

    def score(self, pod: Pod, state: None, nodes: NodeTable, rows: NDArray[np.intp]) -> Scores:
        scores = [
            broken_linear(self._shape, self._utilization(pod, nodes, rows, resource.name), self.scale // MAX_PRIORITY)
            for resource in self._resources
        ]
        if not self._weighs:
            mean: Scores = np.add(*scores) // len(scores)
            return mean
        parts = [(score, None, resource.weight) for score, resource in zip(scores, self._resources, strict=True)]
        return rounded_weighted_mean(parts, len(rows))

    def explain_score(
        self, pod: Pod, state: None, cluster: Cluster, rows: NDArray[np.intp], raw: Scores, index: int
    ) -> ScoreExplanation:
        lines = []
        for resource in self._resources:
            used = int(self._utilization(pod, cluster.nodes, rows, resource.name)[index])
            score = int(broken_linear(self._shape, np.array([used]), self.scale // MAX_PRIORITY)[0])
            lines.append(f"{resource.name}: {used}% → {score}")
        return ScoreExplanation([*lines, f"{self.name} = {int(raw[index])}"], [])

    @staticmethod
    def _utilization(pod: Pod, nodes: NodeTable, rows: NDArray[np.intp], name: str) -> Amounts:
        """Return 100 - (capacity - requested) * 100 / capacity for each row, with truncating division.

        The utilization is 100 if more is requested than the capacity, or if the node lacks the resource.
        """
        number = nodes.resources.get(name)
        if number is None or number >= len(nodes.allocatable):
            return np.full(len(rows), 100, np.int64)
        used = nodes.non_zero[number] if number in (CPU, MEMORY) else nodes.requested[number]
        requested, capacity = used[rows] + pod_request(pod, name, non_zero=True), nodes.allocatable[number][rows]
        utilization = 100 - (capacity - requested) * 100 // np.maximum(capacity, 1)
        return np.where((capacity == 0) | (requested > capacity), 100, utilization)


class RequestedToCapacityRatioPriority(RequestedToCapacityRatio):
    """RequestedToCapacityRatio as a priority. By default, less utilized nodes score higher."""

    name = "RequestedToCapacityRatioPriority"
    scale = MAX_PRIORITY
