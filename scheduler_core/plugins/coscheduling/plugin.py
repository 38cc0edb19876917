"""Coscheduling: the pods of a group are bound together or not at all (kubernetes-sigs/scheduler-plugins v0.34).

A pod names its PodGroup by the label scheduling.x-k8s.io/pod-group. Members with a node wait at Permit until
`minMember` of them have one; then all of them continue. Not part of kube-scheduler's default profile: a
KubeSchedulerConfiguration enables it (multiPoint, with PrioritySort disabled at queueSort).

Rules: pkg/coscheduling/coscheduling.go and pkg/coscheduling/core/core.go. `minResources` of a group is not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scheduler_core.apis.config import CoschedulingArgs, PluginArgs
from scheduler_core.apis.core import CoschedulingPodGroup, Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.interface import (
    SUCCESS,
    Action,
    ClusterEvent,
    Code,
    CycleState,
    Diagnosis,
    EnqueueExtensions,
    Handle,
    PermitPlugin,
    PostFilterPlugin,
    PostFilterResult,
    PreFilterPlugin,
    PreFilterResult,
    QueueSortPlugin,
    RegisteredEvent,
    ReservePlugin,
    Status,
)
from scheduler_core.plugins.coscheduling.pod_groups import PodGroups, group_of

DEFAULT_WAIT_SECONDS = 60
REJECTED_AFTER_FILTER = "optimistic rejection in PostFilter"
REJECTED_AFTER_UNRESERVE = "rejection in Unreserve"


class Coscheduling(QueueSortPlugin, PreFilterPlugin, PostFilterPlugin, ReservePlugin, PermitPlugin, EnqueueExtensions):
    """QueueSort, PreFilter, PostFilter, Permit and Unreserve for pods of a group."""

    name = "Coscheduling"
    about = AboutFile("about.yaml")

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        self._args = args if isinstance(args, CoschedulingArgs) else CoschedulingArgs()
        self._handle = handle
        self._groups = PodGroups(handle.cluster)

    def key(self, pod: Pod, timestamp: float, sequence: int) -> tuple[Any, ...]:
        """Return the sort key: priority, then the sort time of the pod's group (`PodGroups.sort_time`), then name."""
        return -pod.priority, self._groups.sort_time(pod), pod.key

    def pre_filter(self, pod: Pod, cluster: Cluster) -> PreFilterResult:
        """Reject a pod if its group backs off after a failure, or has fewer than `minMember` ungated pods."""
        message = self._groups.reason_to_reject(pod, self._handle.now)
        status = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (message,)) if message else SUCCESS
        return PreFilterResult(status=status)

    def post_filter(self, pod: Pod, cycle: CycleState, diagnosis: Diagnosis) -> PostFilterResult:
        """Reject the waiting members of the group, unless the missing share of `minMember` is small enough.

        If they are rejected and enough members exist, the group backs off (`podGroupBackoffSeconds`). The pod itself
        stays unschedulable in any case.
        """
        group = self._groups.get(pod)
        if group is None:
            return PostFilterResult(Status(Code.UNSCHEDULABLE, ("can not find pod group",)))
        missing = group.min_member - self._groups.assigned(pod)
        if missing <= 0 or missing / group.min_member <= self._args.pod_group_reject_percentage / 100.0:
            return PostFilterResult(Status(Code.UNSCHEDULABLE))
        self._reject_siblings(pod, REJECTED_AFTER_FILTER)
        backoff = self._args.pod_group_backoff_seconds
        if backoff and len(self._groups.members(pod)) >= group.min_member:
            self._groups.back_off(pod, self._handle.now, backoff)
        self._groups.mark_failure(pod, self._handle.now)
        reason = f"PodGroup {group_of(pod)} gets rejected due to Pod {pod.name} is unschedulable even after PostFilter"
        return PostFilterResult(Status(Code.UNSCHEDULABLE, (reason,)))

    def permit(self, pod: Pod, state: None, node_name: str) -> tuple[Status, float]:
        """Wait until enough members have a node, for at most the returned number of seconds.

        The first member with a node activates the others; the last one that is needed allows the waiting members. A pod
        whose PodGroup does not exist is rejected.
        """
        if not group_of(pod):
            return SUCCESS, 0.0
        group = self._groups.get(pod)
        if group is None:
            return Status(Code.UNSCHEDULABLE, ("PodGroup not found",)), 0.0
        assigned = self._groups.assigned(pod)
        if assigned >= group.min_member:
            self._groups.clear_failure(pod)
            for waiting in self._waiting_siblings(pod):
                waiting.allow(self.name)
            return SUCCESS, 0.0
        if assigned == 1:
            self._handle.activate(pod, [member.key for member in self._groups.members(pod) if member.uid != pod.uid])
        return Status(Code.WAIT), self._waiting_seconds(group)

    def reserve(self, pod: Pod, state: None, node_name: str) -> Status:
        return SUCCESS

    def unreserve(self, pod: Pod, state: None, node_name: str) -> None:
        """Reject all waiting members after the failure of a member."""
        if self._groups.get(pod) is not None:
            self._reject_siblings(pod, REJECTED_AFTER_UNRESERVE)
            self._groups.mark_failure(pod, self._handle.now)

    def events_to_register(self) -> Sequence[RegisteredEvent]:
        return (
            RegisteredEvent(ClusterEvent("Pod", Action.ADD)),
            RegisteredEvent(ClusterEvent("scheduling.x-k8s.io/PodGroup", Action.ADD | Action.UPDATE)),
        )

    def _waiting_seconds(self, group: CoschedulingPodGroup) -> float:
        """Return the group's timeout or, if it is 0 or missing, that of the plugin (util.GetWaitTimeDuration).

        If that is 0 too, return 60 s, or 0 for a group whose timeout is 0.
        """
        own = group.schedule_timeout_seconds
        return float(own or self._args.permit_waiting_time_seconds or (DEFAULT_WAIT_SECONDS if own is None else 0))

    def _waiting_siblings(self, pod: Pod) -> Sequence[Any]:
        return [waiting for waiting in self._handle.waiting_pods() if group_of(waiting.pod) == group_of(pod)]

    def _reject_siblings(self, pod: Pod, message: str) -> None:
        for waiting in self._waiting_siblings(pod):
            waiting.reject(self.name, message)
