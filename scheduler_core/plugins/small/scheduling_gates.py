"""SchedulingGates: a pod with gates does not enter the queue (kube-scheduler: plugins/schedulinggates)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scheduler_core.apis.core import Pod
from scheduler_core.framework.about import About, Reason, Text
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
from scheduler_core.framework.starter import Manifest, StarterCluster


def add_gates(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Add the scheduling gates that the message names."""
    match = re.search(r"\[([^\[\]]+)\]", reason)
    names = (match[1] if match else "example.com/gate").split()
    cluster.spec["schedulingGates"] = [{"name": name} for name in names]


ABOUT = About(
    blocker=Text("Scheduling gates", "调度门控"),
    reasons=(
        Reason(
            r"Scheduling is blocked due to non-empty scheduling gates.*|waiting for scheduling gates: .*",
            Text(
                "The pod has scheduling gates: it is not tried before all of them are removed.",
                "Pod 设有调度门控：在全部移除之前不会尝试调度。",
            ),
            Text("Which controller is to remove them.", "应由哪个控制器移除它们。"),
            lesson="scheduling-gates",
            starter=add_gates,
        ),
    ),
    captions={
        "queue.gated.*": Text(
            "{pod} is held back until its scheduling {n|gate|gates} {gates} {n|is|are} removed.",
            "{pod} 暂不调度，要等调度门控 {gates} 被移除。",
        ),
    },
)


class SchedulingGates(PreEnqueuePlugin, EnqueueExtensions):
    """Gates a pod until all of its `spec.schedulingGates` are removed."""

    name = "SchedulingGates"
    about = ABOUT

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
