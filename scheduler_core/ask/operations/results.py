"""The results of operations, as plain data: docs/cli.md and the API's document describe it."""

from __future__ import annotations

from typing import Literal

import msgspec

from scheduler_core.apis.core import PodKey
from scheduler_core.trace.records import NodeName

Cause = Literal["evicted", "lost", "preempted", "removed", "pending"]
State = Literal["", "cordoned", "removed", "added"]

Obstacle = Literal["", "not-ready", "all-healthy"]  # to evictions that a budget blocks


class Move(msgspec.Struct, frozen=True, omit_defaults=True):
    """A pod that was moved or recreated; `before` "" means that it was pending.

    `cause`: evicted (by the operation), lost (with its node), preempted (by a pod that moved), removed (by a controller
    for another reason), pending (before the operation). `made`: the pod that its controller made in its place, "" if
    it has the same name.
    """

    pod: PodKey
    before: NodeName
    after: NodeName
    cause: Cause
    made: PodKey = ""


class Unplaced(msgspec.Struct, frozen=True, omit_defaults=True):
    """A pod that is pending afterwards, with the scheduler's `message`. `before` "": it was already pending.

    `made`: the pod that its controller made in its place, "" if it has the same name.
    """

    pod: PodKey
    before: NodeName
    message: str
    cause: Cause
    made: PodKey = ""


class Blocked(msgspec.Struct, frozen=True):
    """A pod whose eviction the API server rejects, and its message; `budgets` are "namespace/name"."""

    pod: PodKey
    node: NodeName
    budgets: list[str]
    message: str


class Budget(msgspec.Struct, frozen=True):
    """A PodDisruptionBudget ("namespace/name") that covers pods to be evicted.

    `allowed`: the disruptions allowed at the start; `pods` that it covers are to be evicted, `blocked` of them cannot
    be. `obstacle`: why no retry helps: blocked pods are not ready, or all pods must be healthy.
    """

    budget: str
    allowed: int
    pods: int
    blocked: int
    obstacle: Obstacle = ""


class Amount(msgspec.Struct, frozen=True):
    """An amount of a resource, requested and allocatable, in base units (cpu in millicores, memory in bytes)."""

    requested: int
    allocatable: int


class NodeUse(msgspec.Struct, frozen=True):
    """A node before and after, by resource; None if it does not exist. `zone` "": it has no zone label."""

    node: NodeName
    zone: str
    state: State
    before: dict[str, Amount] | None
    after: dict[str, Amount] | None


class OperationResult(msgspec.Struct, frozen=True):
    """The result of an operation.

    `release`: the Kubernetes release of the scheduler. `nodes`: the affected nodes. `moved`, `unplaced` and `blocked`:
    pods by their outcome. `unmanaged` pods have no controller that would recreate them: they stay, or are lost with
    their node. `daemons` (DaemonSet and static pods) stay on their node. `local_data`: pods that move and lose an
    emptyDir. `emptied`: those of `nodes` that have only daemon pods left. `rounds`: the number of times at which pods
    were evicted (`kubectl drain` retries every 5 s). `room_before` and `room_after`: the requested and allocatable
    amounts of the schedulable nodes.
    """

    release: str
    nodes: list[NodeName]
    moved: list[Move]
    unplaced: list[Unplaced]
    blocked: list[Blocked]
    unmanaged: list[PodKey]
    daemons: int
    local_data: list[PodKey]
    emptied: list[NodeName]
    budgets: list[Budget]
    rounds: int
    room_before: dict[str, Amount]
    room_after: dict[str, Amount]
    cluster: list[NodeUse]

    @property
    def done(self) -> bool:
        """Return whether no eviction is blocked, all pods are managed, and no running pod becomes pending."""
        return not self.blocked and not self.unmanaged and not any(pod.before for pod in self.unplaced)
