"""Reserve, Permit and the binding cycle: PreBind, Bind, PostBind, and their rollback (schedule_one.go)."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np
from msgspec.structs import replace

from scheduler_core.apis.core import Pod
from scheduler_core.framework.cluster_event import ASSIGNED_POD_DELETE
from scheduler_core.framework.implements import implements
from scheduler_core.framework.interface import (
    SUCCESS,
    BindPlugin,
    Code,
    Diagnosis,
    ExtenderError,
    PermitPlugin,
    PostBindPlugin,
    PreBindPlugin,
    PreBindPreFlight,
    ReservePlugin,
    Status,
    Verdicts,
)
from scheduler_core.framework.runtime.runtime import as_failure
from scheduler_core.scenario.types import BindingPoint
from scheduler_core.scheduler.attempt import Attempt
from scheduler_core.scheduler.handle_failure import handle_scheduling_failure
from scheduler_core.scheduler.scheduler import Scheduler
from scheduler_core.scheduler.search import extenders
from scheduler_core.scheduler.search.fit_error import FitError, SchedulingError
from scheduler_core.scheduler.waiting_pods import WaitingPod
from scheduler_core.trace.events import (
    BindingFailed,
    PermitDecided,
    PermitEvaluated,
    PodActivated,
    PodBound,
    PodPreBound,
    PodReserved,
    PodUnreserved,
)
from scheduler_core.trace.records import PointRun

MAX_PERMIT_TIMEOUT = 15 * 60.0  # seconds
FAULT = "Fault"  # the plugin that is reported for the faults of a scenario


def reserve_and_permit(scheduler: Scheduler, attempt: Attempt) -> None:
    """Run Reserve and Permit for an assumed pod; it waits if a Permit plugin requires that.

    Raises FitError or SchedulingError after a rollback.
    """
    reserve(scheduler, attempt)
    status, deadlines = run_permit(scheduler, attempt)
    if status.is_wait:
        scheduler.waiting.add(attempt, deadlines)
    elif not status.is_success:
        roll_back(scheduler, attempt, "Permit", status)
        raise as_error(status)
    _activate(scheduler, attempt)


def reserve(scheduler: Scheduler, attempt: Attempt) -> None:
    """Run Reserve. Raises FitError or SchedulingError after a rollback."""
    pod, node_name = attempt.pod, attempt.node_name
    assert attempt.cycle is not None
    results, status = attempt.framework.run_reserve(pod, attempt.cycle, node_name)
    results, status = _with_fault(scheduler, attempt, "Reserve", results, status)
    if results:
        scheduler.emit(PodReserved(pod.key, [_point_run(*result) for result in results]))
    if not status.is_success:
        roll_back(scheduler, attempt, "Reserve", status)
        raise as_error(status)


def run_permit(scheduler: Scheduler, attempt: Attempt, *, only_tried: bool = False) -> tuple[Status, dict[str, float]]:
    """Run Permit until a rejection or an error (RunPermitPlugins).

    Return the status, and the deadline in virtual seconds of each plugin that answered Wait before. `only_tried`: the
    pod will not actually wait, so no deadline is emitted.
    """
    pod, now = attempt.pod, scheduler.cluster.now
    results: list[PointRun] = []
    deadlines: dict[str, float] = {}
    status, wait_status = scheduler.faults.next_error(pod.key, "Permit"), SUCCESS
    for plugin in attempt.framework.at(PermitPlugin) if status.is_success else ():
        plugin_status, seconds = plugin.permit(pod, attempt.state_of(plugin), attempt.node_name)
        deadline = now + min(seconds, MAX_PERMIT_TIMEOUT) if plugin_status.is_wait else None
        recorded_deadline = None if only_tried else deadline
        results.append(PointRun(plugin.name, plugin_status.code.label, list(plugin_status.reasons), recorded_deadline))
        if deadline is not None:
            deadlines[plugin.name], wait_status = deadline, plugin_status
        elif not plugin_status.is_success:
            status = as_failure("Permit", plugin.name, plugin_status)
            break
    if status.is_success and deadlines:
        status = wait_status
    elif not status.is_success and status.plugin == FAULT:
        results.append(PointRun(FAULT, status.code.label, list(status.reasons)))
    if results:
        first = min(deadlines.values()) if status.is_wait and not only_tried else None
        scheduler.emit(PermitEvaluated(pod.key, attempt.node_name, status.code.label, results, first))
    return status, deadlines


def resume_waiting_pod(scheduler: Scheduler, waiting: WaitingPod) -> None:
    """Start to bind a waiting pod that was allowed, or fail the attempt of one that was rejected (WaitOnPermit)."""
    status = waiting.status
    assert status is not None
    decision: Literal["allowed", "rejected", "timeout"] = "allowed" if status.is_success else "rejected"
    if waiting.timed_out:
        decision = "timeout"
    scheduler.emit(PermitDecided(waiting.pod.key, decision, status.plugin, status.message))
    if status.is_success:
        binding_cycle(scheduler, waiting.attempt)
    else:
        binding_failed(scheduler, waiting.attempt, "Permit", status)


def binding_cycle(scheduler: Scheduler, attempt: Attempt) -> None:
    """Bind the pod after Permit, now or after the scenario's binding time. The pod is no longer in flight."""
    scheduler.queue.done(attempt.pod.key)
    _nominate_for_expectation(scheduler, attempt)
    if scheduler.binding_seconds:
        scheduler.later(scheduler.cluster.now + scheduler.binding_seconds, lambda: bind(scheduler, attempt), "binding")
    else:
        bind(scheduler, attempt)


def _nominate_for_expectation(scheduler: Scheduler, attempt: Attempt) -> None:
    """Nominate the node before PreBind if a PreBind plugin has anything to do.

    Only with the feature gate NominatedNodeNameForExpectation, and unless the pod's status already names the node.
    """
    pod, node_name = attempt.pod, attempt.node_name
    if not attempt.framework.release.has_on("NominatedNodeNameForExpectation"):
        return
    if pod.nominated_node_name != node_name and any(
        plugin.pre_bind_pre_flight(pod, attempt.state_of(plugin), node_name)
        for plugin in attempt.framework.at(PreBindPlugin)
        if implements(plugin, PreBindPreFlight)
    ):
        scheduler.api.nominate(pod.key, node_name)


def bind(scheduler: Scheduler, attempt: Attempt) -> None:
    """Run PreBind, Bind and PostBind; a failure rolls back and requeues the pod.

    A pod that was deleted in the meantime is not bound (`_bind_deleted_pod`).
    """
    scheduler.current = attempt
    pod, node_name, framework = attempt.pod, attempt.node_name, attempt.framework
    if not _still_assumed(scheduler, pod):
        _bind_deleted_pod(scheduler, attempt)
        return
    assert attempt.cycle is not None
    results, status = framework.run_pre_bind(pod, attempt.cycle, node_name)
    results, status = _with_fault(scheduler, attempt, "PreBind", results, status)
    if results:
        scheduler.emit(PodPreBound(pod.key, node_name, [_point_run(*result) for result in results]))
    if not status.is_success:
        binding_failed(scheduler, attempt, "PreBind", status)
        return
    results, status = _run_bind(scheduler, attempt)
    if not status.is_success:
        binding_failed(scheduler, attempt, "Bind", status)
        return
    start_time = scheduler.api.bind(pod.key, node_name)
    for plugin in framework.at(PostBindPlugin):
        plugin.post_bind(pod, attempt.state_of(plugin), node_name)
    message = f"Successfully assigned {pod.namespace}/{pod.name} to {node_name}"
    scheduler.emit(PodBound(pod.key, node_name, [_point_run(*result) for result in results], start_time, message))
    _activate(scheduler, attempt)


def _still_assumed(scheduler: Scheduler, pod: Pod) -> bool:
    stored = scheduler.cluster.pods.get(pod.key)
    return pod.key in scheduler.cluster.assumed and stored is not None and stored.uid == pod.uid


def _bind_deleted_pod(scheduler: Scheduler, attempt: Attempt) -> None:
    """Run PreBind, then Unreserve, for a pod that was deleted during its binding.

    Bind is left out: it would fail, because the pod no longer exists.
    """
    framework, node_name = attempt.framework, attempt.node_name
    assert attempt.cycle is not None
    framework.run_pre_bind(attempt.pod, attempt.cycle, node_name)
    for plugin in framework.at(ReservePlugin)[::-1]:
        plugin.unreserve(attempt.pod, attempt.state_of(plugin), node_name)


def _run_bind(scheduler: Scheduler, attempt: Attempt) -> tuple[list[tuple[str, Status]], Status]:
    """Bind by the first extender that binds the pod, otherwise by the first Bind plugin that does not skip it.

    Return the status of the extender or of each plugin that ran, and the final status. An injected fault precedes both.
    """
    pod, node_name = attempt.pod, attempt.node_name
    fault = scheduler.faults.next_error(pod.key, "Bind")
    if not fault.is_success:
        return [(FAULT, fault)], fault
    try:
        extender = extenders.bind(attempt.framework.extenders, pod, node_name, attempt.framework.release.rules)
    except ExtenderError as error:
        return [], Status(Code.ERROR, (str(error),))
    if extender is not None:
        return [(extender, SUCCESS)], SUCCESS
    results: list[tuple[str, Status]] = []
    for plugin in attempt.framework.at(BindPlugin):
        status = plugin.bind(pod, attempt.state_of(plugin), node_name)
        results.append((plugin.name, status))
        if not status.is_skip:
            return results, status if status.is_success else as_failure("Bind", plugin.name, status)
    return results, Status(Code.ERROR, ("no plugin binds the pod",))


def binding_failed(scheduler: Scheduler, attempt: Attempt, point: BindingPoint, status: Status) -> None:
    """Roll back, and requeue the pod and the pods that may use its resources (handleBindingCycleError)."""
    roll_back(scheduler, attempt, point, status)
    attempt.activate = {}
    pod = replace(attempt.pod, node_name=attempt.node_name)  # hints see it on its node
    if point == "Bind" and scheduler.rules.bind_errors_are_prefixed and not status.is_rejected:
        status = replace(status, reasons=(f"binding rejected: {status.message}",))
    error = as_error(status)
    if not status.is_rejected:
        scheduler.queue.move_all_to_active_or_backoff_queue(ASSIGNED_POD_DELETE, pod, None)
    handle_scheduling_failure(scheduler, attempt, error)
    if status.is_rejected:
        scheduler.queue.move_all_to_active_or_backoff_queue(
            ASSIGNED_POD_DELETE, pod, None, lambda other: other.uid != pod.uid
        )


def roll_back(scheduler: Scheduler, attempt: Attempt, point: BindingPoint, status: Status) -> None:
    """Run Unreserve of all Reserve plugins in reverse order, forget the pod, and clear its nomination.

    `point` and `status` are those of the failure, for the trace.
    """
    key, node_name = attempt.pod.key, attempt.node_name
    scheduler.emit(BindingFailed(key, node_name, point, status.plugin, status.code.label, status.message))
    plugins = attempt.framework.at(ReservePlugin)[::-1]
    for plugin in plugins:
        plugin.unreserve(attempt.pod, attempt.state_of(plugin), node_name)
    if key in scheduler.cluster.assumed:
        scheduler.cluster.forget(key)
    attempt.nominated_node = ""
    scheduler.emit(PodUnreserved(key, node_name, [plugin.name for plugin in plugins]))


def as_error(status: Status) -> Exception:
    """Return the exception for a failed status: for a rejection the FitError of a single node, else SchedulingError."""
    if not status.is_rejected:
        return SchedulingError(status.message)
    diagnosis = Diagnosis(1)
    diagnosis.judge(np.zeros(1, np.intp), Verdicts(np.ones(1, np.int16), [status]))
    return FitError(1, diagnosis)


def _with_fault(
    scheduler: Scheduler, attempt: Attempt, point: BindingPoint, results: list[tuple[str, Status]], status: Status
) -> tuple[list[tuple[str, Status]], Status]:
    """Return the plugins' results and status. If they succeeded, an injected fault for the pod is added, if any."""
    if not status.is_success:
        return results, status
    fault = scheduler.faults.next_error(attempt.pod.key, point)
    return (results, SUCCESS) if fault.is_success else ([*results, (FAULT, fault)], fault)


def _activate(scheduler: Scheduler, attempt: Attempt) -> None:
    """Move the pods whose activation plugins requested to activeQ (Queue.Activate)."""
    if not attempt.activate:
        return
    keys, attempt.activate = list(attempt.activate), {}
    scheduler.queue.activate(keys, lambda key: scheduler.emit(PodActivated(key, attempt.pod.key)))


@lru_cache(maxsize=256)
def _point_run(plugin: str, status: Status) -> PointRun:
    return PointRun(plugin, status.code.label, list(status.reasons))
