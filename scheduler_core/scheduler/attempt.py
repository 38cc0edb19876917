"""One pod's attempt, from the pop to the end of its binding cycle."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from scheduler_core.apis.core import Pod, PodKey
from scheduler_core.framework.interface import CycleState
from scheduler_core.framework.runtime.runtime import Framework
from scheduler_core.queue.queued_pod import QueuedPod
from scheduler_core.trace.records import Outcome


@dataclass(slots=True)
class Attempt:
    """One pod's attempt, until its binding cycle ends. `nominated_node` is what PostFilter answered (None: as before).

    `activate` are the pods that plugins asked to be activated when the scheduling cycle has succeeded.
    """

    number: int
    queued: QueuedPod
    framework: Framework
    cycle: CycleState | None = None
    node_name: str = ""
    nominated_node: str | None = None
    nominated: bool = False
    outcome: Outcome = "Scheduled"
    activate: dict[PodKey, None] = field(default_factory=dict)

    @property
    def pod(self) -> Pod:
        return self.queued.pod

    def state_of(self, plugin: Any) -> Any:
        """What the plugin's PreFilter left."""
        assert self.cycle is not None
        return self.cycle.states.get(plugin.name)
