"""Events of a pod group cycle, in which a group of pods is tried as one unit (schedule_one_podgroup.go).

PodGroupCycleStarted
  PlacementStarted                     with TopologyAwareWorkloadScheduling, once for each placement
    CycleStarted ... HostSelected, PodAssumed, PodReserved, PermitEvaluated          each member, as a trial
    PodUnreserved                      all assumed pods, in reverse order: the trial ends
  PodGroupEvaluated                    the result
  PlacementsScored                     if several placements can hold the group
  PodGroupPreemptionEvaluated, VictimEvicted           with WorkloadAwarePreemption
PodGroupDecided
  PodGroupMemberDecided                each member: PodAssumed ... PermitEvaluated, or SchedulingFailed
  PermitDecided, PodPreBound, PodBound
  PodGroupConditionWritten
  PodEnqueued, ObjectDeleted           the effects on other objects
PodGroupCycleFinished
  AttemptFinished                      each member
"""

from __future__ import annotations

from typing import Literal

from scheduler_core.trace.event import Event
from scheduler_core.trace.records import (
    GroupMember,
    GroupOutcome,
    NodeName,
    PlacementScore,
    PodGroupKey,
    PodKey,
    StatusCode,
    VictimUnit,
)


class PodGroupCycleStarted(Event, frozen=True, tag=True):
    """A member of a group was popped, together with all other pending members; they are tried in this order.

    `profile` "": the members have different schedulers, so none can be tried. `scheduled` members already have a node.
    """

    part_of = "group cycle"
    updates = "pod group"

    cycle: int  # the number of the cycle in the run, from 1
    pod_group: PodGroupKey
    profile: str
    pods: list[PodKey]
    pod_attempts: list[int]  # the number of attempts of each pod, including this one
    first_attempt: int  # the first member's attempt number; those of the others follow it
    min_count: int | None = None  # None: the policy is basic, or there is no such PodGroup
    scheduled: int = 0
    topology_key: str = ""
    source: Literal["active", "backoff"] = "active"


class PlacementStarted(Event, frozen=True, tag=True):
    """The group is tried on these nodes only: those with one value of the topology key, or (name "") all nodes."""

    part_of = "group cycle"

    pod_group: PodGroupKey
    placement: str
    nodes: list[NodeName]
    number: int  # the number of the placement, from 1
    count: int  # the number of placements


class PodGroupEvaluated(Event, frozen=True, tag=True):
    """All members were tried, each with the previous ones assumed on their nodes. Nothing has been bound yet.

    `success`: Permit allowed a member, so there are enough. Members without a feasible node are then left out.
    """

    part_of = "group cycle"

    pod_group: PodGroupKey
    success: bool
    members: list[GroupMember]
    placement: str = ""
    nodes: list[NodeName] | None = None  # None: there are no placements
    waiting_on_preemption: bool = False
    message: str = ""


class PlacementsScored(Event, frozen=True, tag=True):
    """Several placements can hold the group. The one with the highest total is selected, or the first of equal ones."""

    part_of = "group cycle"

    pod_group: PodGroupKey
    placements: list[PlacementScore]
    chosen: str


class PodGroupPreemptionEvaluated(Event, frozen=True, tag=True):
    """WorkloadAwarePreemption searched for victims for the group as a whole.

    All units of lower priority were removed; then each was restored, in this order, if the group still fitted.
    `simulations`: how often the group was evaluated. VictimEvicted follows for each victim.
    """

    part_of = "group cycle"

    pod_group: PodGroupKey
    status: StatusCode
    message: str = ""
    victims: list[PodKey] = []
    simulations: int = 0
    units: list[VictimUnit] = []


class PodGroupDecided(Event, frozen=True, tag=True):
    """The group was decided. Scheduled: members with a node are now bound; otherwise all return to the queue."""

    part_of = "group cycle"

    pod_group: PodGroupKey
    outcome: GroupOutcome
    message: str = ""
    placement: str | None = None  # the selected placement, None without a topology constraint


class PodGroupMemberDecided(Event, frozen=True, tag=True):
    """The decision for one member follows: its binding, or its return to the queue."""

    part_of = "group cycle"

    pod: PodKey
    pod_group: PodGroupKey
    attempt: int
    profile: str
    pod_attempts: int
    node: NodeName = ""


class PodGroupConditionWritten(Event, frozen=True, tag=True):
    """The cycle writes the condition PodGroupScheduled.

    `kept`: the condition was already True and stays so. `absent`: the PodGroup does not exist.
    """

    part_of = "group cycle"
    updates = "pod group"

    pod_group: PodGroupKey
    status: Literal["True", "False"]
    reason: str
    message: str = ""
    kept: bool = False
    absent: bool = False


class PodGroupCycleFinished(Event, frozen=True, tag=True):
    """All consequences of the cycle have been delivered. AttemptFinished follows for each member."""

    part_of = "group cycle"

    cycle: int
    pod_group: PodGroupKey
    outcome: GroupOutcome
    waiting_on_permit: list[PodKey] = []
