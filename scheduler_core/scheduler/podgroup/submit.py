"""The submission of the group's result to each member and to the PodGroup (submitPodGroupAlgorithmResult)."""

from __future__ import annotations

from scheduler_core.apis.core import PodGroupCondition
from scheduler_core.framework.interface import CycleState
from scheduler_core.scheduler.attempt import Attempt
from scheduler_core.scheduler.binding_cycle import binding_cycle, reserve_and_permit, resume_waiting_pod
from scheduler_core.scheduler.handle_failure import handle_scheduling_failure
from scheduler_core.scheduler.podgroup.group import QueuedPodGroup
from scheduler_core.scheduler.podgroup.results import POD_GROUP_UNSCHEDULABLE, GroupResult, MemberResult
from scheduler_core.scheduler.scheduler import Scheduler
from scheduler_core.scheduler.search.fit_error import FitError, PodGroupUnschedulable, SchedulingError
from scheduler_core.trace.events import PodAssumed
from scheduler_core.trace.pod_group_events import PodGroupConditionWritten, PodGroupMemberDecided


def submit(scheduler: Scheduler, group: QueuedPodGroup, result: GroupResult) -> None:
    """Submit each member in order, to its binding or to the queue; then bind the members, in the same order."""
    scheduler.queue.nominator.set_popped(())
    members = [*result.members]
    members += [_result_without_try(attempt, result) for attempt in group.attempts[len(members) :]]
    for index, member in enumerate(members):
        group.attempts[index] = member.attempt
        _submit_member(scheduler, group, result, member)
    scheduler.cluster.pending_allocations.end_group()
    for member in members:
        if member.attempt.outcome == "Scheduled":
            _bind(scheduler, member.attempt)
    write_condition(scheduler, group, result)


def _result_without_try(attempt: Attempt, result: GroupResult) -> MemberResult:
    """Return the group's result for a member that was not evaluated."""
    attempt.cycle = CycleState(attempt.pod, -1)
    failed = result.outcome == "Error"
    return MemberResult(attempt, SchedulingError(result.cause) if failed else PodGroupUnschedulable(result.message))


def _submit_member(scheduler: Scheduler, group: QueuedPodGroup, result: GroupResult, member: MemberResult) -> None:
    attempt = scheduler.current = member.attempt
    scheduler.emit(
        PodGroupMemberDecided(
            attempt.pod.key,
            group.key,
            attempt.number,
            attempt.framework.profile_name,
            attempt.queued.attempts,
            attempt.node_name if result.success and member.error is None else "",
        )
    )
    error = _failure(result, member)
    if error is None:
        try:
            _assume(scheduler, attempt)
        except (FitError, SchedulingError) as failure:
            error = failure
    if error is not None:
        handle_scheduling_failure(scheduler, attempt, error)


def _failure(result: GroupResult, member: MemberResult) -> Exception | None:
    """Return the reason that the member is requeued, None if it is to be bound. May set its nominated node."""
    attempt = member.attempt
    if result.outcome == "Error":
        return member.error if member.failed else SchedulingError(result.message)
    if result.success and member.error is None:
        return None
    if result.waiting_on_preemption:
        if member.error is not None:
            return member.error
        attempt.nominated_node = attempt.node_name
        return PodGroupUnschedulable(result.message)
    if member.error is None or member.requires_preemption:
        attempt.nominated_node = ""
        return PodGroupUnschedulable(", ".join(filter(None, (POD_GROUP_UNSCHEDULABLE, member.permit_message))))
    return member.error


def _assume(scheduler: Scheduler, attempt: Attempt) -> None:
    """Assume the member with the plugins' states from its evaluation (prepareForBindingCycle)."""
    scheduler.cluster.assume(attempt.pod.key, attempt.node_name)
    scheduler.emit(PodAssumed(attempt.pod.key, attempt.node_name))
    scheduler.queue.nominator.delete(attempt.pod.key, "bound")
    reserve_and_permit(scheduler, attempt)


def _bind(scheduler: Scheduler, attempt: Attempt) -> None:
    """Bind the member, unless it still waits on Permit."""
    decided = scheduler.waiting.decided
    waiting = next((waiting_pod for waiting_pod in decided if waiting_pod.attempt is attempt), None)
    if waiting is not None:
        decided.remove(waiting)
        resume_waiting_pod(scheduler, waiting)
    elif scheduler.waiting.get(attempt.pod.key) is None:
        binding_cycle(scheduler, attempt)


def write_condition(scheduler: Scheduler, group: QueuedPodGroup, result: GroupResult) -> None:
    """Write the condition of the PodGroup (updatePodGroupCondition); a scheduled group stays scheduled.

    Nothing is written if the object does not exist, the condition is unchanged, or members have different schedulers.
    """
    stored = group.stored()
    if group.schedulers_error:
        return
    if result.success:
        condition = PodGroupCondition("True", "Scheduled", result.message)
    else:
        reason = "SchedulerError" if result.outcome == "Error" else "Unschedulable"
        condition = PodGroupCondition("False", reason, result.message)
    before = stored.condition if stored is not None else None
    keeps_true = before is not None and before.status == "True" and condition.status == "False"
    fields = (condition.status, condition.reason, condition.message)
    scheduler.emit(PodGroupConditionWritten(group.key, *fields, kept=keeps_true, absent=stored is None))
    if stored is not None and not keeps_true and condition != before:
        scheduler.api.patch_pod_group(group.key, condition)
