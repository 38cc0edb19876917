"""Checks of the event handlers before 1.32, which limit the pods that an event without hints retries.

kube-scheduler: eventhandlers.go (preCheckForNode, AdmissionCheck, onStorageClassAdd).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scheduler_core.apis.core import Node, Pod, StorageClass
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.plugins.node_affinity.rule import matches_required
from scheduler_core.plugins.node_resources.allocation import CORE_RESOURCES
from scheduler_core.plugins.small.node_ports import conflict
from scheduler_core.plugins.taint_toleration.rule import find_untolerated_taint
from scheduler_core.releases import Rules


class EventChecks:
    """Checks of changed nodes and StorageClasses. They read the cluster after the event."""

    def __init__(self, cluster: Cluster, rules: Rules) -> None:
        self._cluster = cluster
        self._compares_zero = rules.fit_compares_requests_of_zero

    def matters(self, new: Any) -> bool:
        """Return whether the event is handled. A StorageClass is ignored unless it waits for its first consumer."""
        return not isinstance(new, StorageClass) or new.volume_binding_mode == "WaitForFirstConsumer"

    def may_fit(self, node: Node) -> Callable[[Pod], bool]:
        """Return a function that checks whether a pod fits on the node now.

        It checks resources, affinity, host ports and NoSchedule taints.
        """
        pods = self._cluster.pods
        pods_on_node = [pods.pods[slot] for slot in pods.on_node(node.name)]
        used: dict[str, int] = {"pods": len(pods_on_node)}
        for pod in pods_on_node:
            for resource, amount in pod.requests.items():
                used[resource] = used.get(resource, 0) + (amount if resource != "pods" else 0)
        ports = pods.used_ports.get(node.name, set())

        def fits(pod: Pod) -> bool:
            return (
                self._has_room(pod, node, used)
                and matches_required(pod, node) is True
                and not conflict(pod.host_ports, ports)
                and find_untolerated_taint(node.taints, pod.tolerations, ("NoSchedule",)) is None
            )

        return fits

    def _has_room(self, pod: Pod, node: Node, used: Mapping[str, int]) -> bool:
        """Return whether the pod's requests fit in the free resources (noderesources.Fits); no resource is ignored."""
        if used["pods"] + 1 > node.allocatable.get("pods", 0):
            return False
        requests = {name: amount for name, amount in pod.requests.items() if amount and name != "pods"}
        if requests and self._compares_zero:
            requests = dict.fromkeys(CORE_RESOURCES, 0) | requests
        return all(n <= node.allocatable.get(name, 0) - used.get(name, 0) for name, n in requests.items())
