"""SchedulingGates: a pod with gates does not enter the queue (kube-scheduler: plugins/schedulinggates)."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.apis.core import Pod
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.interface import (
    SUCCESS,
    Action,
    ClusterEvent,
    Code,
    EnqueueExtensions,
    PreEnqueuePlugin,
    QueueingHint,
    RegisteredEvent,
    Status,
)


class SchedulingGates(PreEnqueuePlugin, EnqueueExtensions):
    """Gates a pod until all of its `spec.schedulingGates` are removed."""

    name = "SchedulingGates"
    about = AboutFile("scheduling_gates.yaml")

    def pre_enqueue(self, pod: Pod) -> Status:
        if not pod.scheduling_gates:
            return SUCCESS
        waiting = f"waiting for scheduling gates: [{' '.join(pod.scheduling_gates)}]"
        return Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (waiting,))

    def events_to_register(self) -> Sequence[RegisteredEvent]:
        eliminated = ClusterEvent("Pod", Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED)
        return (RegisteredEvent(eliminated, _after_gates_eliminated),)


def _after_gates_eliminated(pod: Pod, old: Pod | None, new: Pod) -> QueueingHint:
    return QueueingHint.QUEUE if new.uid == pod.uid else QueueingHint.SKIP
