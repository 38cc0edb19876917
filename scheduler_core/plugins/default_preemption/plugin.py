"""DefaultPreemption: nominate a node where evicting pods of lower priority makes room.

kube-scheduler: plugins/defaultpreemption. With SchedulerAsyncPreemption, the victims are deleted concurrently with the
next cycles (scheduler/async_preemption.py), and PreEnqueue gates the pod until that is done. Without it, PreEnqueue
never gates a pod, so no events are registered.
"""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.apis.config import DefaultPreemptionArgs, PluginArgs
from scheduler_core.apis.core import Pod
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
    PostFilterPlugin,
    PostFilterResult,
    PreEnqueuePlugin,
    QueueingHint,
    RegisteredEvent,
    Status,
)
from scheduler_core.plugins.default_preemption.evaluator import Evaluator

GATE = "SchedulerAsyncPreemption"
WAITS = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("waiting for the preemption for this pod to be finished",))


class DefaultPreemption(PreEnqueuePlugin, PostFilterPlugin, EnqueueExtensions):
    """The preemption plugin. `args`: minCandidateNodesPercentage and minCandidateNodesAbsolute."""

    name = "DefaultPreemption"
    about = AboutFile("about.yaml")

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        self._handle = handle
        self._evaluator = Evaluator(
            handle, args if isinstance(args, DefaultPreemptionArgs) else DefaultPreemptionArgs()
        )

    def pre_enqueue(self, pod: Pod) -> Status:
        return WAITS if self._handle.is_running_preemption(pod) else SUCCESS

    def events_to_register(self) -> Sequence[RegisteredEvent]:
        """Return the events after which PreEnqueue checks a gated pod again.

        There are none without SchedulerAsyncPreemption, or where the queue checks gated pods on every event.
        """
        if (
            not self._handle.feature_gates.get(GATE, False)
            or self._handle.release.rules.gated_pods_are_checked_on_every_event
        ):
            return ()
        return (RegisteredEvent(ClusterEvent("Pod", Action.DELETE), lambda pod, old, new: QueueingHint.SKIP),)

    def post_filter(self, pod: Pod, cycle: CycleState, diagnosis: Diagnosis) -> PostFilterResult:
        reason = self._reason_left_to_group(pod) if pod.pod_group else ""
        if reason:
            return PostFilterResult(Status(Code.UNSCHEDULABLE, (f"preemption: {reason}",)))
        return self._evaluator.preempt(cycle, diagnosis)

    def _reason_left_to_group(self, pod: Pod) -> str:
        """Return the reason that a group member does not preempt on its own, "" if it does."""
        gates = self._handle.feature_gates
        if gates.get("TopologyAwareWorkloadScheduling"):
            group = self._handle.pod_groups.get(pod.pod_group_key)
            if group is None:
                return "pod group for pod not found"
            if group.constraints:
                return "not eligible due to placement-based pod group scheduling limitation"
        if gates.get("WorkloadAwarePreemption"):
            return "not eligible due to workload aware preemption enabled"
        return ""
