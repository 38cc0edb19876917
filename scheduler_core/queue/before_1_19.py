"""The scheduling queue before 1.19 (internal/queue/scheduling_queue.go).

The queue does not store which plugins rejected a pod: an event moves all unschedulable pods or none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from scheduler_core.apis.core import Pod, PodKey
from scheduler_core.framework.cluster_event import (
    ASSIGNED_POD_ADD,
    ASSIGNED_POD_UPDATE,
    SCHEDULE_ATTEMPT_FAILURE,
    UNSCHEDULED_POD_UPDATE,
    ClusterEvent,
)
from scheduler_core.queue.before_1_32 import is_pod_updated, matches_term
from scheduler_core.queue.nominator import Cause
from scheduler_core.queue.queued_pod import QueuedPod
from scheduler_core.queue.scheduling_queue import SchedulingQueue, Strategy

NO_LABELS: dict[str, str] = {}


class SchedulingQueueBefore119(SchedulingQueue):
    """The queue before 1.19. It stores only in which scheduling cycle the last event occurred, not the events."""

    _move_request_cycle = -1

    def note_move_request(self) -> None:
        """Store that an event occurred in this scheduling cycle."""
        self._move_request_cycle = self.scheduling_cycle

    def add_unschedulable_if_not_present(self, queued: QueuedPod) -> None:
        """Put a pod back after a failed attempt: to backoffQ if there was an event since it was popped.

        Otherwise it becomes unschedulable.
        """
        self._stamp(queued)
        queued.backoff_expiration = self._end_of_backoff(queued)
        if self._move_request_cycle >= self.scheduling_cycle:
            self._move_to_backoff(queued, SCHEDULE_ATTEMPT_FAILURE, [])
        else:
            self._put_unschedulable(queued, SCHEDULE_ATTEMPT_FAILURE, [])
        self.active.done(queued.key)

    def _end_of_backoff(self, queued: QueuedPod) -> float | None:
        """Return the end of the pod's backoff; None if it follows from the number of attempts."""
        return None

    def update(self, old: Pod, new: Pod) -> None:
        """Update an unassigned pod; nothing if it is in flight.

        A pod that is backing off, or that is unschedulable and changed in more than its status, moves to activeQ. A pod
        that is in no queue is added.
        """
        if self.active.in_flight(new.key):
            return
        queued = self.active.get(new.key)
        if queued is not None:
            queued.pod = new
            self.nominator.update(old, new)
            return
        queued = self.backoff_queue.get(new.key)
        retried = queued is not None or is_pod_updated(old, new)
        queued = queued or self.unschedulable.get(new.key)
        if queued is None:
            self._move_to_active(self._new(new), UNSCHEDULED_POD_UPDATE.label, [])
            return
        queued.pod = new
        self.nominator.update(old, new)
        if retried:
            self._retry_updated(queued)

    def _retry_updated(self, queued: QueuedPod) -> None:
        nominated = self.nominator.node_of(queued.key)
        self._move_to_active(queued, UNSCHEDULED_POD_UPDATE.label, [])
        if nominated:
            self.nominator.add(queued.pod, nominated)

    def assigned_pod_added(self, pod: Pod) -> None:
        self._move_pods_with_matching_term(pod, ASSIGNED_POD_ADD)

    def assigned_pod_updated(self, old: Pod, new: Pod) -> None:
        self._move_pods_with_matching_term(new, ASSIGNED_POD_UPDATE)

    def _move_pods_with_matching_term(self, pod: Pod, event: ClusterEvent) -> None:
        """Move the pods with a required affinity term that matches (getUnschedulablePodsWithMatchingAffinityTerm)."""
        matching = [
            queued
            for queued in self.unschedulable
            if any(matches_term(term, pod, NO_LABELS) for term in queued.pod.required_affinity)
        ]
        self._move(matching, event, None, pod)

    def move_all_to_active_or_backoff_queue(
        self, event: ClusterEvent, old: Any, new: Any, pre_check: Callable[[Pod], bool] | None = None
    ) -> None:
        """Move all unschedulable pods (MoveAllToActiveOrBackoffQueue); `pre_check` is ignored."""
        self._move(self.unschedulable, event, old, new)

    def _move(self, pods: Iterable[QueuedPod], event: ClusterEvent, old: Any, new: Any) -> None:
        for queued in pods:
            self._requeue(queued, Strategy.AFTER_BACKOFF, event.label, [])
        self.note_move_request()


class SchedulingQueueBefore117(SchedulingQueueBefore119):
    """The queue with a map of backoffs that is separate from the pods (pod_backoff.go: PodBackoffMap)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._backoffs: dict[PodKey, tuple[int, float, int]] = {}  # attempts; time and sequence of the last one

    def delete(self, pod: Pod, cause: Cause) -> None:
        """Remove a pod, and its backoff unless it was in activeQ."""
        if self.active.get(pod.key) is None:
            self._backoffs.pop(pod.key, None)
        super().delete(pod, cause)

    def _retry_updated(self, queued: QueuedPod) -> None:
        if self.backoff_queue.get(queued.key) is None:
            self._backoffs.pop(queued.key, None)
        super()._retry_updated(queued)

    def _end_of_backoff(self, queued: QueuedPod) -> float:
        """Return the end of the backoff, which is increased unless the pod is still backing off.

        Backoffs whose last attempt is longer ago than the maximum are dropped.
        """
        limit = self.now - self._backoff.maximum
        self._backoffs = {key: entry for key, entry in self._backoffs.items() if entry[1] > limit}
        attempts, last, sequence = self._backoffs.get(queued.key, (0, self.now, 0))
        if last + self._backoff.duration(attempts) <= self.now:
            attempts, last, sequence = attempts + 1, self.now, queued.sequence
            self._backoffs[queued.key] = attempts, last, sequence
        queued.backoff_sequence = sequence
        return last + self._backoff.duration(attempts)
