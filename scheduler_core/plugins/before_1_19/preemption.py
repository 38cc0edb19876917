"""Preemption before 1.19 (generic_scheduler.go: Preempt, selectNodesForPreemption, pickOneNodeForPreemption).

There is a dry run on every node that is not unresolvable. `preemptionPolicy: Never` is ignored. A pod for which no
victims are found keeps its nomination, unless preemption cannot help on any node. In a tie, the oldest node wins.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.config import DefaultPreemptionArgs, PluginArgs
from scheduler_core.apis.core import Pod
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.interface import (
    Code,
    CycleState,
    Diagnosis,
    Handle,
    PostFilterPlugin,
    PostFilterResult,
    Status,
)
from scheduler_core.plugins.default_preemption.candidates import find_candidates
from scheduler_core.plugins.default_preemption.evaluator import Evaluator
from scheduler_core.plugins.default_preemption.report import not_evaluated

UNSCHEDULABLE = Status(Code.UNSCHEDULABLE)
EVERY_NODE = DefaultPreemptionArgs(min_candidate_nodes_percentage=100, min_candidate_nodes_absolute=2**31)
TERMINATING = "a lower-priority pod is terminating on the nominated node"


class Preemption(PostFilterPlugin):
    """Preemption, which runs after every search that finds no node; before 1.19 it is not a plugin."""

    name = "DefaultPreemption"
    about = AboutFile("../default_preemption/about.yaml")

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        self._evaluator = EvaluatorBefore119(handle, EVERY_NODE)

    def post_filter(self, pod: Pod, cycle: CycleState, diagnosis: Diagnosis) -> PostFilterResult:
        return self._evaluator.preempt(cycle, diagnosis)


class EvaluatorBefore119(Evaluator):
    """Preemption before 1.19: the current dry runs with the earlier rules.

    The pod's message does not mention a preemption that found no victims, or of which extenders keep no candidate.
    """

    without_candidates = ()

    def preempt(self, cycle: CycleState, diagnosis: Diagnosis) -> PostFilterResult:
        if self._waits_for_victims(cycle.pod):
            return PostFilterResult(UNSCHEDULABLE, evaluation=not_evaluated(TERMINATING, eligible=False))
        candidates = find_candidates(self.handle, self.cache, cycle, diagnosis, self.args)
        if not candidates.potential:
            return PostFilterResult(UNSCHEDULABLE, nominated_node="", evaluation=self.records.evaluation(candidates))
        if not len(candidates.rows):
            return PostFilterResult(UNSCHEDULABLE, evaluation=self.records.evaluation(candidates))
        candidates.clean, candidates.violating = (
            self._oldest_first(candidates.clean),
            self._oldest_first(candidates.violating),
        )
        return self._choose(cycle.pod, candidates)

    def _waits_for_victims(self, pod: Pod) -> bool:
        """Return whether a pod of lower priority is terminating on the pod's nominated node."""
        cluster = self.handle.cluster
        row = cluster.nodes.row_of.get(pod.nominated_node_name)
        if row is None:
            return False
        pods_on_node = (cluster.pods.pods[slot] for slot in cluster.pods.on_row(row))
        return any(other.terminating and other.priority < pod.priority for other in pods_on_node)

    def _oldest_first(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        cluster = self.handle.cluster
        position = {node.name: number for number, node in enumerate(cluster.all_nodes())}
        order = sorted(rows.tolist(), key=lambda row: position[cluster.nodes.names[row]])
        return np.array(order, np.intp)
