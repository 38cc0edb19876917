"""Queueing hints: events that may help a pod that PodTopologySpread rejected (podtopologyspread/plugin.go)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scheduler_core.apis.constraints import TopologySpreadConstraint
from scheduler_core.apis.core import Node, Pod
from scheduler_core.framework.interface import Action, ClusterEvent, QueueingHint, RegisteredEvent
from scheduler_core.plugins.pod_topology_spread.constraints import SpreadConstraints

Constraints = Sequence[TopologySpreadConstraint]
POD_ACTIONS = Action.ADD | Action.UPDATE_POD_LABEL | Action.UPDATE_POD_TOLERATION | Action.DELETE
NODE_ACTIONS = Action.ADD | Action.DELETE | Action.UPDATE_NODE_LABEL | Action.UPDATE_NODE_TAINT


def events_to_register(constraints: SpreadConstraints, *, nominated_pods_count: bool) -> Sequence[RegisteredEvent]:
    """Return events of pods (added, deleted, labels, tolerations) and of nodes (added, deleted, labels, taints).

    `nominated_pods_count`: pods with a nomination may help as bound ones do.
    """

    def after_pod_change(pod: Pod, old: Pod | None, new: Pod | None) -> QueueingHint:
        for other in (new, old):
            placed = other is not None and (other.node_name or (nominated_pods_count and other.nominated_node_name))
            if other is not None and not _is_involved(other, pod, placed=bool(placed)):
                return QueueingHint.SKIP
        helps = pod_change_may_help(pod, old, new, constraints.of(pod, "DoNotSchedule"))
        return QueueingHint.QUEUE if helps else QueueingHint.SKIP

    def after_node_change(pod: Pod, old: Node | None, new: Node | None) -> QueueingHint:
        helps = node_change_may_help(old, new, constraints.of(pod, "DoNotSchedule"))
        return QueueingHint.QUEUE if helps else QueueingHint.SKIP

    return (
        RegisteredEvent(ClusterEvent("Pod", POD_ACTIONS), after_pod_change),
        RegisteredEvent(ClusterEvent("Node", NODE_ACTIONS), after_node_change),
    )


def _is_involved(other: Pod, pod: Pod, *, placed: bool) -> bool:
    """Return whether the changed pod is the pod itself, or a placed pod in the same namespace."""
    return other.key == pod.key or (placed and other.namespace == pod.namespace)


def pod_change_may_help(pod: Pod, old: Pod | None, new: Pod | None, constraints: Constraints) -> bool:
    """Return whether a pod that matches a constraint was added or deleted, or an update made one match or stop
    matching.

    A change of the pod's own tolerations helps if a constraint honours taints.
    """
    honours_taints = any(constraint.node_taints_policy == "Honor" for constraint in constraints)
    if old is None or new is None:
        labels = (old or new or pod).labels
        return any(constraint.selector.matches(labels) for constraint in constraints)
    if new.key == pod.key and new.tolerations != old.tolerations and honours_taints:
        return True
    return old.labels != new.labels and any(
        constraint.selector.matches(old.labels) != constraint.selector.matches(new.labels) for constraint in constraints
    )


def node_change_may_help(old: Node | None, new: Node | None, constraints: Constraints) -> bool:
    """Return whether a node with all topology keys was added or deleted, or changed its domain or taints.

    A node that gained or lost a topology key counts as added or deleted.
    """
    before = old is not None and _has_all_keys(old.labels, constraints)
    after = new is not None and _has_all_keys(new.labels, constraints)
    if old is None or new is None or before != after:
        return before or after
    moved = any(old.labels.get(c.topology_key, "") != new.labels.get(c.topology_key, "") for c in constraints)
    return after and (moved or old.taints != new.taints)


def _has_all_keys(labels: Mapping[str, str], constraints: Constraints) -> bool:
    return all(constraint.topology_key in labels for constraint in constraints)
