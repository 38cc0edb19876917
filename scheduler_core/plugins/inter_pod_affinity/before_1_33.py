"""InterPodAffinity's hint for nodes, before 1.33 (interpodaffinity/plugin.go: isSchedulableAfterNodeChange)."""

from __future__ import annotations

from scheduler_core.apis.core import Node, Pod
from scheduler_core.framework.interface import QueueingHint


def after_node_change_before_1_33(pod: Pod, old: Node | None, new: Node) -> QueueingHint:
    """The node has the topology key of any required term, whether or not it had it before."""
    keys = {term.topology_key for term in (*pod.required_affinity, *pod.required_anti_affinity)}
    return QueueingHint.SKIP if keys.isdisjoint(new.labels) else QueueingHint.QUEUE
