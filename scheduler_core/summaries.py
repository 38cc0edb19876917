"""Objects as the trace shows them."""

from __future__ import annotations

from scheduler_core.objects import Node, Pod
from scheduler_core.records import NodeSummary, PodSummary


def node_summary(node: Node) -> NodeSummary:
    """A node for the player."""
    return NodeSummary(
        name=node.name,
        allocatable=dict(node.allocatable),
        labels=dict(node.labels),
        taints=[(taint.key, taint.value, taint.effect) for taint in node.taints],
        unschedulable=node.unschedulable,
        images=dict(node.images),
    )


def pod_summary(pod: Pod) -> PodSummary:
    """A pod for the player."""
    return PodSummary(
        pod=pod.key,
        priority=pod.priority,
        requests=dict(pod.requests),
        labels=dict(pod.labels),
        node=pod.node_name,
        start_time=pod.start_time,
        gates=list(pod.scheduling_gates),
        nominated_node=pod.nominated_node_name,
        scheduler=pod.scheduler_name,
        never_preempts=pod.preemption_policy == "Never",
        owner=f"{pod.owner.kind}/{pod.owner.name}" if pod.owner else "",
    )
