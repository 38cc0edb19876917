"""Cluster events, and the events that plugins register because they may make a rejected pod schedulable.

kube-scheduler: staging/src/k8s.io/kube-scheduler/framework/types.go and pkg/scheduler/framework/events.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum, IntFlag
from functools import cache
from typing import Any, Final, Literal, cast

import msgspec

from scheduler_core.apis.core import Pod

Resource = Literal[
    "Pod",
    "AssignedPod",
    "UnschedulablePod",
    "Node",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Service",
    "storage.k8s.io/CSINode",
    "storage.k8s.io/CSIDriver",
    "storage.k8s.io/VolumeAttachment",
    "storage.k8s.io/CSIStorageCapacity",
    "storage.k8s.io/StorageClass",
    "resource.k8s.io/ResourceClaim",
    "resource.k8s.io/ResourceSlice",
    "resource.k8s.io/DeviceClass",
    "scheduling.k8s.io/PodGroup",
    "scheduling.x-k8s.io/PodGroup",
    "*",
]


class Action(IntFlag):
    """The kind of a change (framework.ActionType); changes of nodes and pods are distinguished in more detail."""

    ADD = 1
    DELETE = 2
    UPDATE_NODE_ALLOCATABLE = 4
    UPDATE_NODE_LABEL = 8
    UPDATE_NODE_TAINT = 16
    UPDATE_NODE_CONDITION = 32
    UPDATE_NODE_ANNOTATION = 64
    UPDATE_NODE_DECLARED_FEATURE = 128
    UPDATE_POD_LABEL = 256
    UPDATE_POD_SCALE_DOWN = 512
    UPDATE_POD_TOLERATION = 1024
    UPDATE_POD_SCHEDULING_GATES_ELIMINATED = 2048
    UPDATE_POD_GENERATED_RESOURCE_CLAIM = 4096
    UPDATE_POD_OTHER = 8192  # before queueing hints: a change of a pod for which there is no other action
    UPDATE = 8191 - ADD - DELETE
    ALL = 8191


_ACTION_NAMES: Final = {
    Action.ADD: "Add",
    Action.DELETE: "Delete",
    Action.UPDATE_NODE_ALLOCATABLE: "UpdateNodeAllocatable",
    Action.UPDATE_NODE_LABEL: "UpdateNodeLabel",
    Action.UPDATE_NODE_TAINT: "UpdateNodeTaint",
    Action.UPDATE_NODE_CONDITION: "UpdateNodeCondition",
    Action.UPDATE_NODE_ANNOTATION: "UpdateNodeAnnotation",
    Action.UPDATE_NODE_DECLARED_FEATURE: "UpdateNodeDeclaredFeature",
    Action.UPDATE_POD_LABEL: "UpdatePodLabel",
    Action.UPDATE_POD_SCALE_DOWN: "UpdatePodScaleDown",
    Action.UPDATE_POD_TOLERATION: "UpdatePodToleration",
    Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED: "UpdatePodSchedulingGatesEliminated",
    Action.UPDATE_POD_GENERATED_RESOURCE_CLAIM: "UpdatePodGeneratedResourceClaim",
    Action.UPDATE: "Update",
    Action.ALL: "All",
}


class ClusterEvent(msgspec.Struct, frozen=True):
    """A change of a kind of resource; `custom_label` names special events such as UnschedulableTimeout."""

    resource: Resource
    action: Action
    custom_label: str = ""

    @property
    def label(self) -> str:
        """Return the label in kube-scheduler's metrics: "AssignedPodDelete", "NodeAdd", "UnschedulableTimeout".

        A combination of actions without a name is left out.
        """
        return self.custom_label or f"{self.resource}{_ACTION_NAMES.get(self.action, '')}"

    def names(self) -> Sequence[str]:
        """Return a name for each registered action: "Node/Add", "Pod/UpdatePodScaleDown".

        All updates have one name ("Node/Update"), and all actions that of the resource ("Node").
        """
        return _names(self.resource.rpartition("/")[2], self.action)

    @property
    def is_wildcard(self) -> bool:
        return self.resource == "*" and self.action == Action.ALL

    def matches(self, occurred: ClusterEvent) -> bool:
        """Return whether `occurred` matches this registered event (framework.MatchClusterEvents).

        "Pod" registers for both assigned and unscheduled pods, "*" for every resource.
        """
        if self.is_wildcard:
            return True
        covers_resource = self.resource in ("*", occurred.resource) or self._covers_pods(occurred)
        return covers_resource and bool(self.action & occurred.action) and occurred.action <= self.action

    def overlaps(self, occurred: ClusterEvent) -> bool:
        """Return whether the resource and at least one action match, which was sufficient up to 1.31."""
        if self.is_wildcard:
            return True
        covers_resource = self.resource in ("*", occurred.resource) or self._covers_pods(occurred)
        return covers_resource and bool(self.action & occurred.action)

    def _covers_pods(self, occurred: ClusterEvent) -> bool:
        return self.resource == "Pod" and occurred.resource in ("AssignedPod", "UnschedulablePod")


@cache
def _names(resource: str, action: Action) -> Sequence[str]:
    if action & Action.ALL == Action.ALL:
        return [resource]
    all_updates = [Action.UPDATE] if action & Action.UPDATE == Action.UPDATE else []
    single = [bit for bit in Action if bit & action and not any(bit & other for other in all_updates)]
    return [f"{resource}/{_ACTION_NAMES.get(bit, '')}" for bit in (*single, *all_updates) if bit in _ACTION_NAMES]


class QueueingHint(Enum):
    """The result of a hint function: whether the event may make the pod schedulable."""

    QUEUE = "Queue"
    SKIP = "QueueSkip"


# (pod that waits, old object or None for an add, new object or None for a delete) -> hint.
# Where kube-scheduler's hint function returns an error, return QUEUE: an error counts as Queue.
HintFunction = Callable[[Pod, Any, Any], QueueingHint]


class RegisteredEvent(msgspec.Struct, frozen=True):
    """An event that a plugin registers (ClusterEventWithHint). Without a `hint`, every such event queues the pod."""

    event: ClusterEvent
    hint: HintFunction | None = None


EXTENDER_NAME: Final = "Extender"  # framework.ExtenderName: the plugin name of rejections by extenders
# framework.UnrollWildCardResource: all events of these resources; those of device claims are left out.
ANY_EVENT: Final = tuple(
    RegisteredEvent(ClusterEvent(resource, Action.ALL))
    for resource in (
        "Pod",
        "Node",
        "PersistentVolume",
        "PersistentVolumeClaim",
        "storage.k8s.io/CSINode",
        "storage.k8s.io/CSIDriver",
        "storage.k8s.io/CSIStorageCapacity",
        "storage.k8s.io/StorageClass",
    )
)


def registered_events(descriptions: Iterable[str]) -> tuple[RegisteredEvent, ...]:
    """Return the events of a release's table, without hints: ("Node Add|UpdateNodeLabel", "Pod Delete", ...)."""
    return tuple(RegisteredEvent(_parse_event(description)) for description in descriptions)


def _parse_event(description: str) -> ClusterEvent:
    resource, _, names = description.partition(" ")
    action = Action(0)
    for name in names.split("|"):
        action |= _ACTIONS[name]
        if name in ("All", "Update"):
            action |= Action.UPDATE_POD_OTHER
    return ClusterEvent(cast(Resource, resource), action)


_ACTIONS: Final = {name: action for action, name in _ACTION_NAMES.items()}
ASSIGNED_POD_ADD: Final = ClusterEvent("AssignedPod", Action.ADD)
ASSIGNED_POD_UPDATE: Final = ClusterEvent("AssignedPod", Action.UPDATE)
ASSIGNED_POD_DELETE: Final = ClusterEvent("AssignedPod", Action.DELETE)
UNSCHEDULED_POD_ADD: Final = ClusterEvent("UnschedulablePod", Action.ADD)
UNSCHEDULED_POD_UPDATE: Final = ClusterEvent("UnschedulablePod", Action.UPDATE)
UNSCHEDULABLE_TIMEOUT: Final = ClusterEvent("*", Action.ALL, "UnschedulableTimeout")
FORCE_ACTIVATE: Final = ClusterEvent("*", Action.ALL, "ForceActivate")
BACKOFF_COMPLETE: Final = "BackoffComplete"
SCHEDULE_ATTEMPT_FAILURE: Final = "ScheduleAttemptFailure"
