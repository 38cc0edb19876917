"""The members of pod groups and their nodes (framework.PodGroupManager).

During a pod group cycle, members that are only tried on a node count as scheduled, as in the cycle's snapshot.
"""

from __future__ import annotations

from collections.abc import Container

from scheduler_core.apis.core import Pod, PodGroup, PodGroupKey
from scheduler_core.cluster.cluster import Cluster


class PodGroupManager:
    """The pod groups and their known members: pods on nodes, and pending pods of the profiles named in `schedulers`."""

    def __init__(self, cluster: Cluster, schedulers: Container[str]) -> None:
        self._cluster = cluster
        self._schedulers = schedulers

    def get(self, group: PodGroupKey) -> PodGroup | None:
        """Return the PodGroup object, None if there is none."""
        pod_group = self._cluster.get("PodGroup", group)
        return pod_group if isinstance(pod_group, PodGroup) else None

    def all_pods(self, group: PodGroupKey) -> list[Pod]:
        """Return all known members, in order of creation."""
        pods = self._cluster.pods
        members = (pods.pods[pods.slot_of[key]] for key in self._cluster.members.of(group))
        return [pod for pod in members if pod.node_name or pod.scheduler_name in self._schedulers]

    def scheduled(self, group: PodGroupKey) -> list[tuple[Pod, str]]:
        """Return (pod, node name) of each member that is assumed or bound."""
        pods = ((pod, self._node_of(pod)) for pod in self.all_pods(group))
        return [(pod, node_name) for pod, node_name in pods if node_name]

    def unscheduled(self, group: PodGroupKey) -> list[Pod]:
        """Return the members without a node."""
        return [pod for pod in self.all_pods(group) if not self._node_of(pod)]

    def _node_of(self, pod: Pod) -> str:
        return pod.node_name or self._cluster.pods.node_name[self._cluster.pods.slot_of[pod.key]]


def not_found(group: PodGroupKey) -> str:
    """Return the lister's error for a PodGroup that does not exist."""
    return f'podgroup.scheduling.k8s.io "{group.partition("/")[2]}" not found'
