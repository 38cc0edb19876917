"""Rules about one pod and one node that several reference plugins need (component-helpers' nodeaffinity and taints)."""

from __future__ import annotations

from scheduler_core.apis.core import Node, Pod, Taint, Toleration


def matches_required_node_affinity(pod: Pod, node: Node) -> bool:
    """nodeSelector and required node affinity together (`nodeaffinity.GetRequiredNodeAffinity(pod).Match`)."""
    if any(node.labels.get(key) != value for key, value in pod.node_selector.items()):
        return False
    return pod.required_node_affinity is None or pod.required_node_affinity.matches(node.labels, node.name)


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """`v1.Toleration.ToleratesTaint`."""
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    return toleration.operator == "Exists" or toleration.value == taint.value


def tolerates_scheduling_taints(pod: Pod, node: Node) -> bool:
    """No NoSchedule or NoExecute taint of the node is left without a toleration of the pod."""
    return all(
        any(tolerates(toleration, taint) for toleration in pod.tolerations)
        for taint in node.taints
        if taint.effect in ("NoSchedule", "NoExecute")
    )
