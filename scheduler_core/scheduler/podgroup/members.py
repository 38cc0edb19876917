"""The evaluation of a member of a group, and its reversal (podGroupPodSchedulingAlgorithm)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scheduler_core.framework.interface import Code, CycleState, ReservePlugin
from scheduler_core.scheduler.attempt import Attempt
from scheduler_core.scheduler.binding_cycle import as_error, reserve, roll_back, run_permit
from scheduler_core.scheduler.podgroup.results import MemberResult, PermitAnswer
from scheduler_core.scheduler.schedule_one import run_post_filter, schedule_pod
from scheduler_core.scheduler.scheduler import Scheduler
from scheduler_core.scheduler.search.fit_error import FitError, NoNodesAvailable, SchedulingError
from scheduler_core.trace.events import CycleStarted, PodAssumed, PodUnreserved

ASKED_TO_WAIT = "one or more plugins asked to wait and no plugin rejected pod"


def try_member(
    scheduler: Scheduler, member: Attempt, rows: NDArray[np.intp] | None, *, post_filters: bool
) -> MemberResult:
    """Find a node for the pod, with `post_filters` by preemption if necessary, and assume the pod there.

    Return the result; the next members are evaluated with the pod on its node. `member` is its attempt in the group;
    each evaluation has its own attempt with the same number. `rows` are the nodes of the placement, None: all nodes.
    """
    attempt = scheduler.current = Attempt(member.number, member.queued, member.framework)
    pod, queued = attempt.pod, attempt.queued
    scheduler.emit(
        CycleStarted(
            attempt.number, pod.key, member.framework.profile_name, queued.attempts, pod_group=pod.pod_group_key
        )
    )
    cycle = attempt.cycle = CycleState(pod, scheduler.cluster.pods.slot_of[pod.key], placement=rows)
    result = MemberResult(attempt)
    try:
        attempt.node_name = schedule_pod(scheduler, attempt.framework, cycle)
    except (NoNodesAvailable, SchedulingError) as error:
        result.error = error
        return result
    except FitError as error:
        result.error = error
        if post_filters:
            run_post_filter(scheduler, attempt, error)
        if not attempt.nominated_node:
            return result
        attempt.node_name = attempt.nominated_node
        result.requires_preemption = True
    _assume(scheduler, result)
    return result


def unreserve_and_forget(scheduler: Scheduler, result: MemberResult) -> None:
    """Run Unreserve for a member and forget its assumed node (unreserveAndForget)."""
    attempt = result.attempt
    key, node_name = attempt.pod.key, attempt.node_name
    plugins = attempt.framework.at(ReservePlugin)[::-1]
    for plugin in plugins:
        plugin.unreserve(attempt.pod, attempt.state_of(plugin), node_name)
    scheduler.cluster.forget(key)
    scheduler.cluster.tried.remove(key)
    scheduler.queue.nominator.resume(attempt.pod)
    scheduler.emit(PodUnreserved(key, node_name, [plugin.name for plugin in plugins]))


def _assume(scheduler: Scheduler, result: MemberResult) -> None:
    """Assume the pod, and run Reserve and Permit; errors are stored in the result. A waiting plugin does not block."""
    attempt = result.attempt
    scheduler.cluster.assume(attempt.pod.key, attempt.node_name)
    scheduler.cluster.tried.add(attempt.pod.key)
    scheduler.queue.nominator.suspend(attempt.pod.key)
    scheduler.emit(PodAssumed(attempt.pod.key, attempt.node_name))
    try:
        reserve(scheduler, attempt)
        status, deadlines = run_permit(scheduler, attempt, only_tried=True)
        if not status.is_success and status.code != Code.WAIT:
            roll_back(scheduler, attempt, "Permit", status)
            raise as_error(status)
    except (FitError, SchedulingError) as error:
        scheduler.cluster.tried.remove(attempt.pod.key)
        scheduler.queue.nominator.resume(attempt.pod)
        result.error, result.requires_preemption = error, False
        return
    answer: PermitAnswer = "Wait" if deadlines else "Success"
    result.permit = answer
    result.permit_message = ", ".join((*status.reasons, ASKED_TO_WAIT)) if deadlines else ""
