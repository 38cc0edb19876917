"""Results of the evaluation of a pod group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from scheduler_core.apis.core import Pod
from scheduler_core.framework.interface import Placement
from scheduler_core.scheduler.attempt import Attempt
from scheduler_core.scheduler.search.fit_error import SchedulingError
from scheduler_core.trace.records import GroupOutcome, VictimUnit

POD_GROUP_UNSCHEDULABLE = "pod group is unschedulable"  # errPodGroupUnschedulable

PermitAnswer = Literal["", "Wait", "Success"]


class MemberResult(msgspec.Struct):
    """The result of a member (algorithmResult). `error` None: feasible; `permit` "": no node.

    `requires_preemption`: preemption makes room on `attempt.node_name`, and `error` is the reason that no node was
    feasible.
    """

    attempt: Attempt
    error: Exception | None = None
    permit: PermitAnswer = ""
    permit_message: str = ""
    requires_preemption: bool = False

    @property
    def failed(self) -> bool:
        """Return whether the attempt ended with an error."""
        return isinstance(self.error, SchedulingError)

    @property
    def assumed(self) -> bool:
        """Return whether the member is assumed on a node."""
        return bool(self.permit)

    @property
    def node_name(self) -> str:
        return self.attempt.node_name if self.permit else ""

    @property
    def message(self) -> str:
        return "" if self.error is None else str(self.error)


class GroupResult(msgspec.Struct):
    """The result of a group (podGroupAlgorithmResult), with the reason in `message`.

    `cause` is the error itself if `message` adds reasons to it. Some members, or all, may have no result.
    """

    outcome: GroupOutcome
    message: str = ""
    cause: str = ""
    members: list[MemberResult] = []
    placement: Placement | None = None

    @property
    def waiting_on_preemption(self) -> bool:
        return self.outcome == "WaitingOnPreemption"

    @property
    def success(self) -> bool:
        return self.outcome == "Scheduled"

    @property
    def placement_name(self) -> str | None:
        """Return the name of the placement; None if the group has none."""
        return None if self.placement is None else self.placement.name or None


class Victims(msgspec.Struct, frozen=True):
    """The result of workload-aware preemption; `status` is the name of a kube-scheduler code."""

    status: Literal["Success", "Unschedulable", "UnschedulableAndUnresolvable", "Error"]
    message: str = ""
    pods: Sequence[Pod] = ()
    simulations: int = 0
    units: Sequence[VictimUnit] = ()


def unschedulable(*reasons: str) -> GroupResult:
    """Return the initial result: the group does not fit."""
    return GroupResult("Unschedulable", ", ".join((POD_GROUP_UNSCHEDULABLE, *reasons)), POD_GROUP_UNSCHEDULABLE)
