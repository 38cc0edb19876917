"""Events of objects, as in kube-scheduler.

The resource is the kind in a manifest, except for pods, which are "AssignedPod" or "UnschedulablePod". The actions are
those of kube-scheduler's ActionType.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scheduler_core.apis.core import Node, Pod
from tests.reference.framework.pod_requests import requests

PODS = ("AssignedPod", "UnschedulablePod")
STORAGE = ("PersistentVolume", "PersistentVolumeClaim", "CSINode", "CSIDriver", "CSIStorageCapacity", "StorageClass")
NODE_LABEL, NODE_TAINT, NODE_ALLOCATABLE = "UpdateNodeLabel", "UpdateNodeTaint", "UpdateNodeAllocatable"
NODE_FEATURES = "UpdateNodeDeclaredFeature"
POD_LABEL, POD_TOLERATION, POD_SCALE_DOWN = "UpdatePodLabel", "UpdatePodToleration", "UpdatePodScaleDown"
POD_GATES = "UpdatePodSchedulingGatesEliminated"


@dataclass(frozen=True)
class Event:
    """A change of an object: `old` is None if it was created, `new` is None if it was deleted."""

    resource: str
    action: str
    old: Any = None
    new: Any = None

    @property
    def kind(self) -> str:
        return "Pod" if self.resource in PODS else self.resource

    @property
    def latest(self) -> Any:
        """The new object, or the old one if it was deleted."""
        return self.new or self.old


def pod_events(old: Pod, new: Pod) -> list[Event]:
    """Return the events of an updated pod (PodSchedulingPropertiesChange).

    They are for changed labels, lower requests, the removal of all scheduling gates, and a different number of
    tolerations; if there are none, a general "Update" event.
    """
    resource = "AssignedPod" if new.node_name else "UnschedulablePod"
    before, after = requests(old), requests(new)
    found = []
    if old.labels != new.labels:
        found.append(POD_LABEL)
    if any(name not in after or after[name] < number for name, number in before.items()):
        found.append(POD_SCALE_DOWN)
    if old.scheduling_gates and not new.scheduling_gates:
        found.append(POD_GATES)
    if len(old.tolerations) != len(new.tolerations):
        found.append(POD_TOLERATION)
    return [Event(resource, action, old, new) for action in found or ["Update"]]


def node_events(old: Node, new: Node) -> list[Event]:
    """Return an event for each property that changed (NodeSchedulingPropertiesChange); cordoning has no event."""
    found = []
    if old.unschedulable and not new.unschedulable:
        found.append(NODE_TAINT)
    if old.allocatable != new.allocatable:
        found.append(NODE_ALLOCATABLE)
    if old.labels != new.labels:
        found.append(NODE_LABEL)
    if old.taints != new.taints:
        found.append(NODE_TAINT)
    if old.annotations != new.annotations:
        found.append("UpdateNodeAnnotation")
    if old.declared_features != new.declared_features:
        found.append(NODE_FEATURES)
    return [Event("Node", action, old, new) for action in found]
