"""GangScheduling: either enough members of a gang get nodes, or none is bound (kube-scheduler: plugins/gangscheduling).

On with the feature gate GangScheduling. Pods of a PodGroup with the policy basic pass.
"""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.apis.config import PluginArgs
from scheduler_core.apis.core import Pod, PodGroup
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.interface import (
    SUCCESS,
    Action,
    ClusterEvent,
    Code,
    EnqueueExtensions,
    Handle,
    PermitPlugin,
    PreEnqueuePlugin,
    QueueingHint,
    RegisteredEvent,
    Status,
)
from scheduler_core.framework.pod_groups import not_found

PERMIT_TIMEOUT_SECONDS = 5 * 60.0
TOO_FEW_PODS = "waiting for minCount pods from a gang to appear in scheduling queue"
TOO_FEW_NODES = "waiting for minCount pods from a gang to be scheduled"


class GangScheduling(PreEnqueuePlugin, PermitPlugin, EnqueueExtensions):
    """Gates members until `minCount` of them exist; lets them pass Permit once that many have a node."""

    name = "GangScheduling"
    about = AboutFile("gang_scheduling.yaml")

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        self._handle = handle
        self._groups = handle.pod_groups

    def pre_enqueue(self, pod: Pod) -> Status:
        """Admit the pod if it has no group, or its group and enough members exist, with or without a node."""
        if not pod.pod_group:
            return SUCCESS
        group = self._groups.get(pod.pod_group_key)
        if group is None:
            message = f'waiting for pods\'s pod group "{pod.pod_group}" to appear in scheduling queue'
            return Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (message,))
        if group.min_count is not None and len(self._groups.all_pods(group.key)) < group.min_count:
            return Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (TOO_FEW_PODS,))
        return SUCCESS

    def permit(self, pod: Pod, state: None, node_name: str) -> tuple[Status, float]:
        """Wait for other members and activate those in the queue; the member that completes the gang allows all.

        A pod that is in no gang does not wait; it is an error if its group does not exist.
        """
        if not pod.pod_group:
            return SUCCESS, 0.0
        group = self._groups.get(pod.pod_group_key)
        if group is None:
            message = f"failed to get podGroup {pod.pod_group_key}: {not_found(pod.pod_group_key)}"
            return Status(Code.ERROR, (message,)), 0.0
        if group.min_count is None:
            return SUCCESS, 0.0
        if len(self._groups.scheduled(group.key)) < group.min_count:
            self._handle.activate_now([member.key for member in self._groups.unscheduled(group.key)])
            return Status(Code.WAIT, (TOO_FEW_NODES,)), PERMIT_TIMEOUT_SECONDS
        for waiting in self._handle.waiting_pods():
            if waiting.pod.pod_group_key == group.key:
                waiting.allow(self.name)
        return SUCCESS, 0.0

    def events_to_register(self) -> Sequence[RegisteredEvent]:
        return (
            RegisteredEvent(ClusterEvent("Pod", Action.ADD), _after_pod_added),
            RegisteredEvent(ClusterEvent("scheduling.k8s.io/PodGroup", Action.ADD), _after_pod_group_added),
        )


def _after_pod_added(pod: Pod, old: Pod | None, new: Pod) -> QueueingHint:
    same_group = bool(pod.pod_group) and pod.pod_group_key == new.pod_group_key
    return QueueingHint.QUEUE if same_group else QueueingHint.SKIP


def _after_pod_group_added(pod: Pod, old: PodGroup | None, new: PodGroup) -> QueueingHint:
    return QueueingHint.QUEUE if pod.pod_group_key == new.key else QueueingHint.SKIP
