"""DynamicResources, for pods without resource claims (kube-scheduler: plugins/dynamicresources).

Claims are not simulated. What remains visible without them: its PostFilter runs before DefaultPreemption and adds its
text to every message, and it fails if its PreFilter never ran; where a release has it score, its scores are 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.config import PluginArgs
from scheduler_core.apis.core import Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.facts import ScoreExplanation
from scheduler_core.framework.interface import (
    SKIP,
    Action,
    ClusterEvent,
    Code,
    CycleState,
    Diagnosis,
    EnqueueExtensions,
    ExplainsScore,
    Handle,
    PostFilterPlugin,
    PostFilterResult,
    PreFilterPlugin,
    PreFilterResult,
    Reads,
    RegisteredEvent,
    ScorePlugin,
    Scores,
    SignPlugin,
    Status,
)
from scheduler_core.plugins.helpers.signing import by_claims

NO_CLAIMS_TO_FIND = PreFilterResult(status=SKIP)
NO_CLAIMS = Status(Code.UNSCHEDULABLE, ("no new claims to deallocate",))
NO_STATE = Status(Code.ERROR, ("not found",))
DISABLED = Status(Code.UNSCHEDULABLE, ("plugin disabled",))


class DynamicResources(PreFilterPlugin, PostFilterPlugin, EnqueueExtensions, SignPlugin, ScorePlugin, ExplainsScore):
    """A pod without claims passes everywhere."""

    name = "DynamicResources"
    reads = Reads()
    sign_pod = staticmethod(by_claims)

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        self._enabled = handle.release.has_on("DynamicResourceAllocation")

    def pre_filter(self, pod: Pod, cluster: Cluster) -> PreFilterResult:
        return NO_CLAIMS_TO_FIND

    def post_filter(self, pod: Pod, cycle: CycleState, diagnosis: Diagnosis) -> PostFilterResult:
        """Without its PreFilter's state (a plugin before it rejected the pod) it fails, which ends PostFilter."""
        if not self._enabled:
            return PostFilterResult(DISABLED)
        return PostFilterResult(NO_CLAIMS if self.name in cycle.states else NO_STATE)

    def score(self, pod: Pod, state: None, nodes: NodeTable, rows: NDArray[np.intp]) -> Scores:
        return np.zeros(len(rows), np.int64)

    def explain_score(
        self, pod: Pod, state: None, cluster: Cluster, rows: NDArray[np.intp], raw: Scores, index: int
    ) -> ScoreExplanation:
        return ScoreExplanation(["a pod without resource claims: 0"])

    def events_to_register(self) -> Sequence[RegisteredEvent]:
        if not self._enabled:
            return ()
        changed = Action.ADD | Action.UPDATE_NODE_LABEL | Action.UPDATE_NODE_ALLOCATABLE
        return (RegisteredEvent(ClusterEvent("Node", changed)),)
