"""Changes of pods and nodes as cluster events (kube-scheduler: framework/events.go)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from scheduler_core.apis.core import Node, Pod
from scheduler_core.framework.cluster_event import ASSIGNED_POD_UPDATE, UNSCHEDULED_POD_UPDATE, Action, ClusterEvent

_POD_CHANGES: Sequence[tuple[Action, Callable[[Pod, Pod], bool]]] = (
    (Action.UPDATE_POD_LABEL, lambda old, new: old.labels != new.labels),
    (
        Action.UPDATE_POD_SCALE_DOWN,
        lambda old, new: any(n > new.requests.get(r, -1) for r, n in old.requests.items()),
    ),
    (
        Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED,
        lambda old, new: bool(old.scheduling_gates) and not new.scheduling_gates,
    ),
    (Action.UPDATE_POD_TOLERATION, lambda old, new: len(old.tolerations) != len(new.tolerations)),
    (
        Action.UPDATE_POD_GENERATED_RESOURCE_CLAIM,
        lambda old, new: old.resource_claim_statuses != new.resource_claim_statuses,
    ),
)


def pod_scheduling_properties_change(old: Pod, new: Pod) -> list[ClusterEvent]:
    """Return an event for each changed property that affects scheduling.

    If there is none, return a general Update.
    """
    general = ASSIGNED_POD_UPDATE if new.node_name else UNSCHEDULED_POD_UPDATE
    events = [ClusterEvent(general.resource, action) for action, changed in _POD_CHANGES if changed(old, new)]
    return events or [general]


def node_scheduling_properties_change(old: Node, new: Node) -> list[ClusterEvent]:
    """Return an event for each changed property that affects scheduling; uncordoning counts as a change of taints."""
    changes = (
        (Action.UPDATE_NODE_TAINT, old.unschedulable and not new.unschedulable),
        (Action.UPDATE_NODE_ALLOCATABLE, old.allocatable != new.allocatable),
        (Action.UPDATE_NODE_LABEL, old.labels != new.labels),
        (Action.UPDATE_NODE_TAINT, old.taints != new.taints),
        (Action.UPDATE_NODE_CONDITION, _conditions(old) != _conditions(new)),
        (Action.UPDATE_NODE_ANNOTATION, old.annotations != new.annotations),
        (Action.UPDATE_NODE_DECLARED_FEATURE, old.declared_features != new.declared_features),
    )
    return [ClusterEvent("Node", action) for action, changed in changes if changed]


def first_node_change(old: Node, new: Node) -> list[ClusterEvent]:
    """Return the first event of a changed node in a list, [] if there is none; annotations do not count.

    This is nodeSchedulingPropertiesChange before 1.30.
    """
    events = node_scheduling_properties_change(old, new)
    return [event for event in events if event.action != Action.UPDATE_NODE_ANNOTATION][:1]


def _conditions(node: Node) -> dict[str, Any]:
    conditions = (node.manifest.get("status") or {}).get("conditions") or []
    return {condition.get("type", ""): condition.get("status") for condition in conditions}
