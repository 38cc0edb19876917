"""The statuses of pods, workloads and nodes that the API server stores and the scheduler does not read.

Controllers write them through `controllers.api`; kubelets write those of pods.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import msgspec

from scheduler_core.apis.core import Pod, PodKey

ObjectName = tuple[str, str]  # kind, "namespace/name"
PREEMPTED = "PreemptionByScheduler"  # the reason of DisruptionTarget


class PodStatus(msgspec.Struct, frozen=True):
    """The status of a pod. `called`: its name by owner and number, "web@1/0". Times of conditions are whole seconds."""

    called: str
    number: int = 0  # its number among the pods of its owner, in order of creation
    phase: Literal["Pending", "Running", "Succeeded", "Failed"] = "Pending"
    running_since: float | None = None
    ready: bool = False
    ready_since: float = 0.0  # the time since which it is ready, or not ready
    finished_at: float | None = None
    exit_code: int | None = None
    restarts: int = 0
    deletion_requested: float | None = None
    grace: float = 0.0
    disruption: str = ""  # the reason of the condition DisruptionTarget
    revision: int = 0
    revision_name: str = ""
    finalizer: bool = False  # batch.kubernetes.io/job-tracking


class Condition(msgspec.Struct, frozen=True):
    """A condition of a workload. `updated` and `changed` are whole seconds."""

    type: str
    status: str
    reason: str
    message: str = ""
    updated: float = 0.0
    changed: float = 0.0


class WorkloadStatus(msgspec.Struct, frozen=True):
    """The status of a workload: its fields that are numbers or strings, by the API's names, and its conditions."""

    numbers: Mapping[str, int | str] = {}
    conditions: tuple[Condition, ...] = ()

    def number(self, name: str) -> int:
        """Return a field that is a number, 0 if it has not been written."""
        return int(self.numbers.get(name, 0))

    def condition(self, name: str) -> Condition | None:
        """Return the condition of this type, None if there is none."""
        return next((condition for condition in self.conditions if condition.type == name), None)


class NodeStatus(msgspec.Struct, frozen=True):
    """The health of a node. `lost`: its kubelet has stopped; `ready`: its condition Ready, "": not written yet."""

    lost: bool = False
    ready: Literal["True", "False", "Unknown", ""] = "True"
    changed: float = 0.0


NO_STATUS = WorkloadStatus()
NEW_NODE = NodeStatus()


class Statuses:
    """All statuses. `finished` are the pods in phase Succeeded or Failed, which the scheduler has forgotten."""

    def __init__(self) -> None:
        self.pods: dict[PodKey, PodStatus] = {}
        self.finished: dict[PodKey, Pod] = {}
        self.workloads: dict[ObjectName, WorkloadStatus] = {}
        self.nodes: dict[str, NodeStatus] = {}
        self.allowed_disruptions: Callable[[], Mapping[str, int]] | None = None  # where budgets have a controller
