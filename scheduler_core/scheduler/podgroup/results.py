"""What trying a pod group came to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from scheduler_core.apis.core import Pod
from scheduler_core.framework.interface import Placement
from scheduler_core.scheduler.attempt import Attempt
from scheduler_core.scheduler.search.fit_error import SchedulingError
from scheduler_core.trace.records import GroupOutcome, VictimUnit

POD_GROUP_UNSCHEDULABLE = "pod group is unschedulable"  # errPodGroupUnschedulable

PermitAnswer = Literal["", "Wait", "Success"]


@dataclass(slots=True)
class MemberResult:
    """One member's try (algorithmResult). `error` None: it is feasible; `permit` "": it got no node.

    `requires_preemption`: `attempt.node_name` is where preemption makes room, and `error` says why none was free.
    """

    attempt: Attempt
    error: Exception | None = None
    permit: PermitAnswer = ""
    permit_message: str = ""
    requires_preemption: bool = False

    @property
    def failed(self) -> bool:
        """Something went wrong, other than that it fits nowhere."""
        return isinstance(self.error, SchedulingError)

    @property
    def assumed(self) -> bool:
        """It stands on a node until it is taken off again."""
        return bool(self.permit)

    @property
    def node_name(self) -> str:
        return self.attempt.node_name if self.permit else ""

    @property
    def message(self) -> str:
        return "" if self.error is None else str(self.error)


@dataclass(slots=True)
class GroupResult:
    """The group as a whole (podGroupAlgorithmResult): Scheduled, Unschedulable or Error, and why.

    `cause` is the error alone where `message` adds reasons to it. There may be no result for some members, or for any.
    """

    outcome: GroupOutcome
    message: str = ""
    cause: str = ""
    members: list[MemberResult] = field(default_factory=list)
    placement: Placement | None = None

    @property
    def waiting_on_preemption(self) -> bool:
        return self.outcome == "WaitingOnPreemption"

    @property
    def success(self) -> bool:
        return self.outcome == "Scheduled"

    @property
    def placement_name(self) -> str | None:
        """None: the group is not confined to a placement."""
        return None if self.placement is None else self.placement.name or None


@dataclass(frozen=True, slots=True)
class Victims:
    """What workload-aware preemption came to; `status` as kube-scheduler's codes are called."""

    status: Literal["Success", "Unschedulable", "UnschedulableAndUnresolvable", "Error"]
    message: str = ""
    pods: Sequence[Pod] = ()
    simulations: int = 0
    units: Sequence[VictimUnit] = ()


def unschedulable(*reasons: str) -> GroupResult:
    """The group does not fit, as it is told before anything else is known."""
    return GroupResult("Unschedulable", ", ".join((POD_GROUP_UNSCHEDULABLE, *reasons)), POD_GROUP_UNSCHEDULABLE)
