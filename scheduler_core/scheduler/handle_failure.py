"""Failed attempts (schedule_one.go: handleSchedulingFailure)."""

from __future__ import annotations

from typing import Literal

from scheduler_core.scheduler.attempt import Attempt
from scheduler_core.scheduler.scheduler import Scheduler
from scheduler_core.scheduler.search.fit_error import FitError, NoNodesAvailable, PodGroupUnschedulable
from scheduler_core.trace.events import SchedulingFailed

REJECTIONS = (FitError, NoNodesAvailable, PodGroupUnschedulable)


def handle_scheduling_failure(scheduler: Scheduler, attempt: Attempt, error: Exception) -> None:
    """Emit SchedulingFailed, requeue the pod, update its nomination and write its condition.

    A pod that was deleted or bound in the meantime is not requeued.
    """
    queued, message = attempt.queued, str(error)
    if isinstance(error, FitError):
        queued.unschedulable_plugins = error.diagnosis.unschedulable_plugins
        queued.pending_plugins = error.diagnosis.pending_plugins
    elif not isinstance(error, PodGroupUnschedulable) and not scheduler.rules.generic_scheduler:
        attempt.nominated_node = ""
    rejected = isinstance(error, FitError if scheduler.rules.generic_scheduler else REJECTIONS)
    reason: Literal["Unschedulable", "SchedulerError"] = "Unschedulable" if rejected else "SchedulerError"
    if attempt.nominated:
        attempt.outcome = "Nominated"
    else:
        attempt.outcome = "Unschedulable" if rejected else "Error"
    scheduler.emit(
        SchedulingFailed(
            attempt.pod.key,
            attempt.outcome,
            reason,
            message,
            list(queued.unschedulable_plugins),
            list(queued.pending_plugins),
            attempt.nominated_node or "",
        )
    )
    stored = scheduler.cluster.pods.get(queued.key)
    if stored is not None and not stored.node_name:
        queued.pod = stored
        scheduler.queue.add_unschedulable_if_not_present(queued)
    else:
        scheduler.queue.done(queued.key)
    scheduler.queue.nominator.add(queued.pod, attempt.nominated_node)
    scheduler.api.patch_status(queued.key, (reason, message), attempt.nominated_node)
