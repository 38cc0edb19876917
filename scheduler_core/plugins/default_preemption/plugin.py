"""DefaultPreemption: when no node passes, find one where evicting pods of lower priority makes room.

kube-scheduler: plugins/defaultpreemption. The work is done in `scheduler_core.preemption`. Pods are never rejected by
this plugin (preemption is synchronous here), so it registers no events.
"""

from __future__ import annotations

from scheduler_core.apis.config import DefaultPreemptionArgs, PluginArgs
from scheduler_core.apis.core import Pod
from scheduler_core.framework.interface import (
    CycleState,
    Diagnosis,
    Handle,
    PostFilterPlugin,
    PostFilterResult,
)
from scheduler_core.plugins.default_preemption.evaluator import Evaluator


class DefaultPreemption(PostFilterPlugin):
    """`args` say how many candidate nodes are enough: minCandidateNodesPercentage and minCandidateNodesAbsolute."""

    name = "DefaultPreemption"

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        self._evaluator = Evaluator(
            handle, args if isinstance(args, DefaultPreemptionArgs) else DefaultPreemptionArgs()
        )

    def post_filter(self, pod: Pod, cycle: CycleState, diagnosis: Diagnosis) -> PostFilterResult:
        return self._evaluator.preempt(cycle, diagnosis)
