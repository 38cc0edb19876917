"""The events after which a rejected pod is retried, derived from the fields that the rule reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scheduler_core.cel.reads import Path

_NODE = (
    "Add Delete Update UpdateNodeAllocatable UpdateNodeLabel UpdateNodeTaint UpdateNodeCondition UpdateNodeAnnotation "
    "UpdateNodeDeclaredFeature"
)
_POD = (
    "Add Delete Update UpdatePodLabel UpdatePodScaleDown UpdatePodToleration UpdatePodSchedulingGatesEliminated "
    "UpdatePodGeneratedResourceClaim"
)
EVENTS: tuple[str, ...] = (
    *("Node", *(f"Node/{action}" for action in _NODE.split())),
    *("Pod", *(f"Pod/{action}" for action in _POD.split())),
    *("AssignedPod", *(f"AssignedPod/{action}" for action in _POD.split())),
)
"""The names of events, as in a trace; one without an action, such as "Node", stands for all events of its resource."""

_OF_POD: dict[Path, str] = {
    ("metadata", "labels"): "Pod/UpdatePodLabel",
    ("spec", "tolerations"): "Pod/UpdatePodToleration",
    ("spec", "schedulingGates"): "Pod/UpdatePodSchedulingGatesEliminated",
    ("spec", "containers"): "Pod/UpdatePodScaleDown",
    ("spec", "resources"): "Pod/UpdatePodScaleDown",
}
_FIXED: set[Path] = {("metadata", "name"), ("metadata", "namespace"), ("metadata", "uid"), ("spec", "priority")}
_FIXED |= {("spec", name) for name in ("priorityClassName", "preemptionPolicy", "schedulerName", "nodeName")}
_OF_NODE: dict[Path, str] = {
    ("metadata", "labels"): "Node/UpdateNodeLabel",
    ("metadata", "annotations"): "Node/UpdateNodeAnnotation",
    ("spec", "taints"): "Node/UpdateNodeTaint",
    ("spec", "unschedulable"): "Node/UpdateNodeTaint",
    ("status", "allocatable"): "Node/UpdateNodeAllocatable",
    ("status", "capacity"): "Node/UpdateNodeAllocatable",
    ("status", "conditions"): "Node/UpdateNodeCondition",
    ("status", "declaredFeatures"): "Node/UpdateNodeDeclaredFeature",
}


def derive_events(paths: Iterable[Path]) -> tuple[str, ...]:
    """Return the events that can change the value at one of the paths, in the order of EVENTS."""
    events = {event for path in paths for event in _events_of(path)}
    return tuple(event for event in EVENTS if event in events)


def _events_of(path: Path) -> Iterator[str]:
    root, at = path[0], path[1:3]
    if root == "pod":
        if at not in _FIXED:
            yield _OF_POD.get(at, "Pod/Update")
    elif root == "podRequests":
        yield "Pod/UpdatePodScaleDown"
    elif root == "node":
        yield "Node/Add"
        if at != ("metadata", "name"):
            yield _OF_NODE.get(at, "Node/Update")
    elif root == "allocatable":
        yield from ("Node/Add", "Node/UpdateNodeAllocatable")
    elif root == "requested":
        yield from ("AssignedPod/Add", "AssignedPod/Delete", "AssignedPod/UpdatePodScaleDown")
    elif root == "pods":
        yield from ("AssignedPod/Add", "AssignedPod/Delete")
        if path[2:3] != ("",):
            yield _OF_POD.get(path[2:4], "Pod/Update").replace("Pod", "AssignedPod", 1)
    elif root == "cluster":
        yield from ("Node/Add", "Node/Delete", "Node/UpdateNodeAllocatable", "AssignedPod/Add", "AssignedPod/Delete")
