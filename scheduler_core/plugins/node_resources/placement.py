"""NodeResourcesFit for a whole placement (resource_allocation.go: scorePlacement)."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.apis.config import ResourceSpec
from scheduler_core.apis.core import Pod
from scheduler_core.cluster.nodes import CPU, MEMORY, NodeTable
from scheduler_core.framework.interface import MAX_NODE_SCORE, Placement
from scheduler_core.plugins.node_resources.allocation import is_scalar_resource, pod_request


def placement_utilization(
    resources: Sequence[ResourceSpec], placement: Placement, assigned: Sequence[Pod], nodes: NodeTable
) -> int:
    """Return the weighted mean of the requested percentage of each resource on all nodes of the placement together.

    The requests of the `assigned` members of the group are added. 0 if no resource counts.
    """
    total = weights = 0
    for spec in resources:
        number = nodes.resources.get(spec.name)
        by_members = sum(pod_request(pod, spec.name, non_zero=True) for pod in assigned)
        if number is None or number >= len(nodes.allocatable) or (by_members == 0 and is_scalar_resource(spec.name)):
            continue
        allocatable = nodes.allocatable[number][placement.rows]
        if not allocatable.any():
            continue
        used = (nodes.non_zero if number in (CPU, MEMORY) else nodes.requested)[number][placement.rows]
        capacity, requested = int(allocatable.sum()), by_members + int(used[allocatable != 0].sum())
        total += min(requested, capacity) * MAX_NODE_SCORE // capacity * spec.weight
        weights += spec.weight
    return total // weights if weights else 0
