"""Sample clusters in which nodes are rejected by GangScheduling."""

from __future__ import annotations

from scheduler_core.framework.starter import Manifest, StarterCluster, manifest


def leave_gang_incomplete(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Make the pod a member of a gang of two."""
    cluster.feature_gates |= {"GenericWorkload": True, "GangScheduling": True}
    policy = {"schedulingPolicy": {"gang": {"minCount": 2}}}
    cluster.objects.append(manifest("scheduling.k8s.io/v1alpha2", "PodGroup", "group", spec=policy))
    cluster.spec["schedulingGroup"] = {"podGroupName": "group"}
