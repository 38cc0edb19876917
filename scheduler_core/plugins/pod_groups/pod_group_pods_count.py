"""PodGroupPodsCount: prefers placements that can hold more members (plugins/podgrouppodscount).

On with the feature gate TopologyAwareWorkloadScheduling.
"""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.apis.config import PluginArgs
from scheduler_core.apis.core import Pod
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.interface import (
    MAX_NODE_SCORE,
    Handle,
    Placement,
    PlacementScoreExtensions,
    PlacementScorePlugin,
)


class PodGroupPodsCount(PlacementScorePlugin, PlacementScoreExtensions):
    """Scores placements by the number of members that would have a node, including those that already have one."""

    name = "PodGroupPodsCount"

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        self._groups = handle.pod_groups

    def score_placement(self, pod_group: str, placement: Placement, assigned: Sequence[Pod], nodes: NodeTable) -> int:
        return len(self._groups.scheduled(pod_group)) + len(assigned)

    def normalize_placement_scores(self, scores: Sequence[int]) -> list[int]:
        """Return the scores scaled so that the largest is 100; each compared placement holds at least one member."""
        largest = max(scores)
        return [score * MAX_NODE_SCORE // largest for score in scores]
