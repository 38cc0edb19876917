"""An attempt to schedule a pod, from its pop to the end of its binding cycle."""

from __future__ import annotations

from typing import Any

import msgspec

from scheduler_core.apis.core import Pod, PodKey
from scheduler_core.framework.interface import CycleState
from scheduler_core.framework.runtime.runtime import Framework
from scheduler_core.queue.queued_pod import QueuedPod
from scheduler_core.trace.records import Outcome


class Attempt(msgspec.Struct):
    """An attempt to schedule a pod.

    `nominated_node` is the node to nominate if the attempt fails: None leaves the nomination as it is, "" clears it.
    `nominated`: PostFilter nominated that node. `activate` are the pods that plugins requested to activate after a
    successful scheduling cycle.
    """

    number: int
    queued: QueuedPod
    framework: Framework
    cycle: CycleState | None = None
    node_name: str = ""
    nominated_node: str | None = None
    nominated: bool = False
    outcome: Outcome = "Scheduled"
    activate: dict[PodKey, None] = {}

    @property
    def pod(self) -> Pod:
        return self.queued.pod

    def state_of(self, plugin: Any) -> Any:
        """Return the state that the plugin's PreFilter returned, None if it returned none or did not run."""
        assert self.cycle is not None
        return self.cycle.states.get(plugin.name)
