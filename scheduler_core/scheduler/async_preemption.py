"""SchedulerAsyncPreemption: victims are deleted in parallel with other cycles (prepareCandidateAsync).

The attempt ends with its pod nominated and no victim deleted yet. The calls follow while other pods are scheduled, each
step CALL_SECONDS of virtual time after the previous one:

    1. nominations of lower-priority pods on the node end; all victims but the last are deleted
    2. the last victim is deleted (in step 1, if it is the only one)

Until then, PreEnqueue of DefaultPreemption keeps the preemptor out of activeQ, whatever event occurs. The deletion of
the last victim is the first event that can move it there. A failed call ends the preemption: no further calls are sent,
and the preemptor is moved to activeQ at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scheduler_core.apis.core import Pod, PodKey
from scheduler_core.framework.interface import SUCCESS, Status
from scheduler_core.scheduler.scheduler import Scheduler
from scheduler_core.trace.preemption_events import PreemptionFinished, PreemptionStarted

CALL_SECONDS = 0.1


class AsyncPreemption:
    """The preemptions in progress. `skips_terminating`: victims that are already being deleted need no call."""

    def __init__(self, *, skips_terminating: bool) -> None:
        self._skips_terminating = skips_terminating
        self._running: dict[PodKey, str] = {}  # the preemptor's uid

    def is_running(self, pod: Pod) -> bool:
        """Return whether victims of the pod remain to be deleted (Evaluator.IsPodRunningPreemption)."""
        return self._running.get(pod.key) == pod.uid

    def start(self, scheduler: Scheduler, preemptor: Pod, node_name: str, victims: Sequence[Pod]) -> None:
        """Start to delete the victims. Nothing happens if none of them needs a call."""
        remaining = [pod for pod in victims if not (self._skips_terminating and pod.terminating)]
        if not remaining:
            return
        self._running[preemptor.key] = preemptor.uid
        scheduler.emit(PreemptionStarted(preemptor.key, node_name, [victim.key for victim in remaining]))
        self._after_a_call(scheduler, lambda: self._first_step(scheduler, preemptor, node_name, remaining))

    def _first_step(self, scheduler: Scheduler, preemptor: Pod, node_name: str, victims: list[Pod]) -> None:
        for pod in scheduler.queue.nominator.pods_on(node_name):
            if pod.priority < preemptor.priority:
                scheduler.api.clear_nomination(pod.key)
        *others, last = victims
        status = self._evict(scheduler, preemptor, others)
        if others and status.is_success:
            self._after_a_call(scheduler, lambda: self._last_step(scheduler, preemptor, last))
        elif status.is_success:
            self._last_step(scheduler, preemptor, last)
        else:
            self._finish(scheduler, preemptor, status)

    def _last_step(self, scheduler: Scheduler, preemptor: Pod, last: Pod) -> None:
        self._finish(scheduler, preemptor, self._evict(scheduler, preemptor, [last]))

    def _evict(self, scheduler: Scheduler, preemptor: Pod, victims: Sequence[Pod]) -> Status:
        for victim in victims:
            status = scheduler.faults.next_error(victim.key, "Preempt")
            if not status.is_success:
                return status
            stored = scheduler.cluster.pods.get(victim.key)
            if stored is not None and stored.uid == victim.uid:
                scheduler.evict(stored, preemptor.key)
        return SUCCESS

    def _finish(self, scheduler: Scheduler, preemptor: Pod, status: Status) -> None:
        del self._running[preemptor.key]
        scheduler.emit(PreemptionFinished(preemptor.key, status.message))
        if not status.is_success:
            scheduler.queue.activate([preemptor.key])

    def _after_a_call(self, scheduler: Scheduler, action: Callable[[], None]) -> None:
        scheduler.later(scheduler.cluster.now + CALL_SECONDS, action, "preemption")
