"""Objects as the trace shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from scheduler_core.apis.core import KubernetesObject, Node, Pod, PodGroup
from scheduler_core.trace.records import FieldChange, NodeSummary, PodGroupSummary, PodSummary


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
        pod_group=pod.pod_group_key,
    )


def pod_group_summary(group: PodGroup) -> PodGroupSummary:
    """A PodGroup for the player."""
    return PodGroupSummary(group.key, group.min_count, group.topology_key, group.priority, group.disruption_mode)


def changes(old: KubernetesObject | None, new: KubernetesObject) -> list[FieldChange]:
    """What differs between two states of a node or a pod, of what the player tells."""
    if isinstance(old, Node) and isinstance(new, Node):
        return [
            *_differing("label", old.labels, new.labels),
            *_differing("taint", _taints(old), _taints(new)),
            *_differing("unschedulable", _cordon(old), _cordon(new)),
            *_differing("allocatable", old.allocatable, new.allocatable),
        ]
    if isinstance(old, Pod) and isinstance(new, Pod):
        return [
            *_differing("label", old.labels, new.labels),
            *_differing("request", old.requests, new.requests),
        ]
    return []


def _differing(
    field: Literal["label", "taint", "unschedulable", "allocatable", "request"],
    old: Mapping[str, str | int],
    new: Mapping[str, str | int],
) -> list[FieldChange]:
    names = dict.fromkeys([*old, *new])
    return [FieldChange(field, name, old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)]


def _taints(node: Node) -> dict[str, str]:
    named = ((f"{taint.key}={taint.value}" if taint.value else taint.key, taint.effect) for taint in node.taints)
    return {f"{name}:{effect}": "" for name, effect in named}


def _cordon(node: Node) -> dict[str, str]:
    return {"": ""} if node.unschedulable else {}
