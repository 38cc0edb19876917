"""DefaultPreemption: when no node passes, find one where evicting pods of lower priority makes room.

kube-scheduler: plugins/defaultpreemption. The work is done in `scheduler_core.preemption`. Pods are never rejected by
this plugin (preemption is synchronous here), so it registers no events.
"""

from __future__ import annotations

from scheduler_core.apis.config import DefaultPreemptionArgs, PluginArgs
from scheduler_core.apis.core import Pod
from scheduler_core.framework.interface import (
    Code,
    CycleState,
    Diagnosis,
    Handle,
    PostFilterPlugin,
    PostFilterResult,
    Status,
)
from scheduler_core.plugins.default_preemption.evaluator import Evaluator


class DefaultPreemption(PostFilterPlugin):
    """`args` say how many candidate nodes are enough: minCandidateNodesPercentage and minCandidateNodesAbsolute."""

    name = "DefaultPreemption"

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        self._handle = handle
        self._evaluator = Evaluator(
            handle, args if isinstance(args, DefaultPreemptionArgs) else DefaultPreemptionArgs()
        )

    def post_filter(self, pod: Pod, cycle: CycleState, diagnosis: Diagnosis) -> PostFilterResult:
        reason = self._left_to_its_group(pod) if pod.pod_group else ""
        if reason:
            return PostFilterResult(Status(Code.UNSCHEDULABLE, (f"preemption: {reason}",)))
        return self._evaluator.preempt(cycle, diagnosis)

    def _left_to_its_group(self, pod: Pod) -> str:
        """Why a member of a group does not preempt on its own, "" if it does."""
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
