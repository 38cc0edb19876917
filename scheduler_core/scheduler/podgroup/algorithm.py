"""The evaluation of a group: each member after the members before it (podGroupSchedulingAlgorithm).

There is no backtracking: a member keeps its first node, even if later members then do not fit.
"""

from __future__ import annotations

from scheduler_core.framework.interface import Placement
from scheduler_core.scheduler.podgroup.group import QueuedPodGroup
from scheduler_core.scheduler.podgroup.members import try_member, unreserve_and_forget
from scheduler_core.scheduler.podgroup.placements import best_placement, generate_placements
from scheduler_core.scheduler.podgroup.results import GroupResult, MemberResult, unschedulable
from scheduler_core.scheduler.scheduler import Scheduler
from scheduler_core.trace.pod_group_events import PlacementStarted, PodGroupEvaluated
from scheduler_core.trace.records import GroupMember

PLACEMENTS_GATE = "TopologyAwareWorkloadScheduling"
WAITING = "pod group is waiting for preemption to complete"


def try_pod_group(scheduler: Scheduler, group: QueuedPodGroup, *, post_filters: bool = True) -> GroupResult:
    """Return the result of evaluating the group in the current cluster. No pod stays assumed."""
    if scheduler.feature_gates.get(PLACEMENTS_GATE):
        return _try_placements(scheduler, group, post_filters=post_filters)
    return _try_members(scheduler, group, None, post_filters=post_filters)


def _try_placements(scheduler: Scheduler, group: QueuedPodGroup, *, post_filters: bool) -> GroupResult:
    """Evaluate the group in each placement and return the best result (podGroupSchedulingPlacementAlgorithm).

    If no placement fits, it is the first result. A result with an error is returned at once.
    """
    scheduler.cluster.snapshot()
    nodes = scheduler.cluster.nodes
    placements, failure = generate_placements(scheduler, group)
    if failure is not None:
        return failure
    results: list[GroupResult] = []
    for number, placement in enumerate(placements, 1):
        names = [nodes.names[row] for row in placement.rows.tolist()]
        scheduler.emit(PlacementStarted(group.key, placement.name, names, number, len(placements)))
        result = _try_members(scheduler, group, placement, post_filters=post_filters)
        if result.outcome == "Error":
            return result
        results.append(result)
    fitting = [result for result in results if result.success or result.waiting_on_preemption]
    if not fitting:
        first = results[0]
        first.message = first.cause = (
            f"0/{len(placements)} placements are available, first placement status: {first.cause}"
        )
        return first
    return fitting[0] if len(fitting) == 1 else best_placement(scheduler, group, fitting)


def _try_members(
    scheduler: Scheduler, group: QueuedPodGroup, placement: Placement | None, *, post_filters: bool
) -> GroupResult:
    """Return the result of evaluating the members in order, up to an error (podGroupSchedulingDefaultAlgorithm).

    The group fits if Permit allows a member; the other members may still be unschedulable.
    """
    scheduler.cluster.snapshot()
    confined = placement is not None and len(placement.rows) < len(scheduler.cluster.nodes)
    rows = placement.rows if placement is not None and confined else None
    result = unschedulable()
    result.placement = placement
    requires_preemption = False
    for attempt in group.attempts:
        member = try_member(scheduler, attempt, rows, post_filters=post_filters)
        result.members.append(member)
        if not member.assumed and not member.failed:
            continue  # the others may still be enough
        if member.failed:
            result.outcome = "Error"
            result.message = result.cause = f"failed to schedule other pod from a pod group: {member.message}"
            break
        requires_preemption = requires_preemption or member.requires_preemption
        if member.permit == "Success" and requires_preemption:
            result.outcome, result.message = "WaitingOnPreemption", unschedulable(WAITING).message
        elif member.permit == "Success":
            result.outcome, result.message, result.cause = "Scheduled", "", ""
    scheduler.emit(_evaluation_event(scheduler, group, result))
    for member in reversed(result.members):
        if member.assumed:
            unreserve_and_forget(scheduler, member)
    return result


def _evaluation_event(scheduler: Scheduler, group: QueuedPodGroup, result: GroupResult) -> PodGroupEvaluated:
    names, placement = scheduler.cluster.nodes.names, result.placement
    return PodGroupEvaluated(
        group.key,
        result.success,
        [_group_member(member) for member in result.members],
        placement="" if placement is None else placement.name,
        nodes=None if placement is None else [names[row] for row in placement.rows.tolist()],
        waiting_on_preemption=result.waiting_on_preemption,
        message=result.message,
    )


def _group_member(result: MemberResult) -> GroupMember:
    return GroupMember(
        result.attempt.pod.key, result.node_name, result.permit, result.requires_preemption, result.message
    )
