"""PodGroupPodsCount: the more members a placement holds, the better (plugins/podgrouppodscount).

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
    """Members that have a node already count too, so that the shares lie closer together."""

    name = "PodGroupPodsCount"

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        self._groups = handle.pod_groups

    def score_placement(self, pod_group: str, placement: Placement, assigned: Sequence[Pod], nodes: NodeTable) -> int:
        return len(self._groups.scheduled(pod_group)) + len(assigned)

    def normalize_placement_scores(self, scores: Sequence[int]) -> list[int]:
        """Return the share of the largest; each placement that is compared holds a member."""
        largest = max(scores)
        return [score * MAX_NODE_SCORE // largest for score in scores]
