"""DynamicResources, for pods without resource claims (kube-scheduler: plugins/dynamicresources).

Claims are not simulated. What remains visible without them: its PostFilter runs before DefaultPreemption and adds its
text to every message, and it fails if its PreFilter never ran.
"""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.apis.config import PluginArgs
from scheduler_core.apis.core import Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.framework.interface import (
    SKIP,
    Action,
    ClusterEvent,
    Code,
    CycleState,
    Diagnosis,
    EnqueueExtensions,
    Handle,
    PostFilterPlugin,
    PostFilterResult,
    PreFilterPlugin,
    PreFilterResult,
    RegisteredEvent,
    Status,
)

NO_CLAIMS_TO_FIND = PreFilterResult(status=SKIP)
NO_CLAIMS = Status(Code.UNSCHEDULABLE, ("no new claims to deallocate",))
NO_STATE = Status(Code.ERROR, ("not found",))
DISABLED = Status(Code.UNSCHEDULABLE, ("plugin disabled",))


class DynamicResources(PreFilterPlugin, PostFilterPlugin, EnqueueExtensions):
    """A pod without claims passes everywhere."""

    name = "DynamicResources"

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        self._enabled = handle.release.has_on("DynamicResourceAllocation")

    def pre_filter(self, pod: Pod, cluster: Cluster) -> PreFilterResult:
        return NO_CLAIMS_TO_FIND

    def post_filter(self, pod: Pod, cycle: CycleState, diagnosis: Diagnosis) -> PostFilterResult:
        """Without its PreFilter's state (a plugin before it rejected the pod) it fails, which ends PostFilter."""
        if not self._enabled:
            return PostFilterResult(DISABLED)
        return PostFilterResult(NO_CLAIMS if self.name in cycle.states else NO_STATE)

    def events_to_register(self) -> Sequence[RegisteredEvent]:
        if not self._enabled:
            return ()
        changed = Action.ADD | Action.UPDATE_NODE_LABEL | Action.UPDATE_NODE_ALLOCATABLE
        return (RegisteredEvent(ClusterEvent("Node", changed)),)
