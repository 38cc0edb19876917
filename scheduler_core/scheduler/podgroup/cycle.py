"""The pod group cycle, from the pop of a member to the PodGroup's condition (scheduleOnePodGroup, podGroupCycle)."""

from __future__ import annotations

from typing import Literal

from scheduler_core.queue.queued_pod import QueuedPod
from scheduler_core.scheduler.podgroup.algorithm import try_pod_group
from scheduler_core.scheduler.podgroup.group import QueuedPodGroup, gather_members
from scheduler_core.scheduler.podgroup.preemption import run_workload_aware_preemption
from scheduler_core.scheduler.podgroup.results import GroupResult
from scheduler_core.scheduler.podgroup.submit import submit
from scheduler_core.scheduler.scheduler import Scheduler
from scheduler_core.trace.events import AttemptFinished
from scheduler_core.trace.pod_group_events import PodGroupCycleFinished, PodGroupCycleStarted, PodGroupDecided

PREEMPTION_GATE = "WorkloadAwarePreemption"


class PodGroupCycle:
    """A pod group cycle: `run` decides and submits; call `finish` once all watch events are delivered."""

    def __init__(self, scheduler: Scheduler, group: QueuedPodGroup) -> None:
        self._scheduler = scheduler
        self._group = group
        self._result = GroupResult("Error", group.schedulers_error, group.schedulers_error)

    def run(self, source: Literal["active", "backoff"]) -> None:
        """Evaluate the group, preempt if it does not fit, and submit the result of each member."""
        scheduler, group = self._scheduler, self._group
        scheduler.emit(self._start_event(source))
        if not group.schedulers_error:
            scheduler.cluster.snapshot()
            scheduler.cluster.tried.begin()
            scheduler.cluster.pending_allocations.begin_group()
            self._result = try_pod_group(scheduler, group)
            if self._result.outcome == "Unschedulable" and scheduler.feature_gates.get(PREEMPTION_GATE):
                run_workload_aware_preemption(scheduler, group, self._result)
        result = self._result
        scheduler.emit(PodGroupDecided(group.key, result.outcome, result.message, result.placement_name))
        submit(scheduler, group, result)

    def finish(self) -> None:
        """Emit the events that end the cycle."""
        scheduler, group = self._scheduler, self._group
        waiting = [attempt.pod.key for attempt in group.attempts if scheduler.waiting.get(attempt.pod.key) is not None]
        scheduler.emit(PodGroupCycleFinished(group.cycle, group.key, self._result.outcome, waiting))
        for attempt in group.attempts:
            node_name = attempt.node_name if attempt.outcome == "Scheduled" else ""
            scheduler.emit(AttemptFinished(attempt.number, attempt.pod.key, attempt.outcome, node_name))

    def _start_event(self, source: Literal["active", "backoff"]) -> PodGroupCycleStarted:
        group, stored = self._group, self._group.stored()
        return PodGroupCycleStarted(
            group.cycle,
            group.key,
            group.profile,
            [attempt.pod.key for attempt in group.attempts],
            [attempt.queued.attempts for attempt in group.attempts],
            group.attempts[0].number,
            min_count=stored.min_count if stored else None,
            scheduled=len(group.framework.pod_groups.scheduled(group.key)),
            topology_key=stored.topology_key if stored else "",
            source=source,
        )


def schedule_one_pod_group(scheduler: Scheduler, popped: QueuedPod, *, from_active: bool) -> PodGroupCycle | None:
    """Schedule the group of a popped member. Return its cycle, None if all members are skipped."""
    group = gather_members(scheduler, popped)
    if group is None:
        return None
    cycle = PodGroupCycle(scheduler, group)
    cycle.run("active" if from_active else "backoff")
    return cycle
