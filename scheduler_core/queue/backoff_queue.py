"""backoffQ: pods that wait for their backoff to end (backend/queue/backoff_queue.go).

Pods that return after an error wait in a heap of their own, from which nothing is popped early; in older releases all
pods share one heap.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import msgspec

from scheduler_core.apis.core import PodKey
from scheduler_core.queue.pod_heap import PodHeap, SortKey
from scheduler_core.queue.queued_pod import QueuedPod
from scheduler_core.releases.rules.queue import QueueRules


class Backoff(msgspec.Struct, frozen=True):
    """Backoff durations in seconds. `aligned`: expiry times are truncated to seconds (SchedulerPopFromBackoffQ).

    `rules` determine which attempts count, when exactly a backoff ends, and whether pods after an error have a heap of
    their own.
    """

    initial: float
    maximum: float
    aligned: bool
    rules: QueueRules = msgspec.field(default_factory=QueueRules)

    def duration(self, count: int) -> float:
        """Return initial * 2^(count - 1) in seconds, at most the maximum; 0 for a count of 0."""
        if count == 0:
            return 0.0
        return min(self.initial * 2.0 ** min(count - 1, 1000), self.maximum)

    def expiration(self, queued: QueuedPod) -> float | None:
        """Return the time at which the pod's backoff ends, None if it has none. It is stored in the pod until reset."""
        failures = queued.consecutive_errors or queued.unschedulable_count
        count = queued.attempts if self.rules.backoff_counts_every_attempt else failures
        if self.maximum == 0 or count == 0:
            return None
        if queued.backoff_expiration is None:
            queued.backoff_expiration = self.align(queued.timestamp + self.duration(count))
        return queued.backoff_expiration

    def align(self, time: float) -> float:
        return float(math.floor(time)) if self.aligned else time

    def is_backing_off(self, queued: QueuedPod, now: float) -> bool:
        """Return whether the pod is backing off; at the exact end, `backoff_includes_its_end` decides."""
        expiration = self.expiration(queued)
        if expiration is None:
            return False
        if not self.rules.backoff_includes_its_end:
            return expiration > now
        return expiration >= self.align(now)

    def first_flush(self, queued: QueuedPod) -> float:
        """Return the first whole second at which a flush moves the pod."""
        expiration = self.expiration(queued)
        if not self.rules.backoff_includes_its_end:
            return float(math.ceil(expiration or 0.0))
        return math.floor(expiration or -1.0) + 1.0


class BackoffQueue:
    """Pods ordered by the end of their backoff, then as in activeQ; without SchedulerPopFromBackoffQ by sequence.

    Pods after an error are always ordered by sequence.
    """

    def __init__(self, backoff: Backoff, active_key: Callable[[QueuedPod], SortKey]) -> None:
        self.backoff = backoff

        def by_expiry(queued: QueuedPod) -> SortKey:
            return backoff.expiration(queued) or -math.inf, float(queued.place_in_backoff)

        def by_expiry_and_priority(queued: QueuedPod) -> SortKey:
            return (backoff.expiration(queued) or -math.inf, *active_key(queued))

        self._queue = PodHeap(by_expiry_and_priority if backoff.aligned else by_expiry)
        self._errors = PodHeap(by_expiry)
        self._separates_errors = backoff.rules.errors_back_off_apart

    def __contains__(self, key: PodKey) -> bool:
        return key in self._queue or key in self._errors

    def __iter__(self) -> Iterator[QueuedPod]:
        yield from self._queue
        yield from self._errors

    def get(self, key: PodKey) -> QueuedPod | None:
        return self._queue.get(key) or self._errors.get(key)

    def is_error(self, key: PodKey) -> bool:
        return key in self._errors

    def add(self, queued: QueuedPod) -> None:
        (self._queue if queued.rejectors or not self._separates_errors else self._errors).add(queued)

    def remove(self, key: PodKey) -> QueuedPod | None:
        return self._queue.remove(key) or self._errors.remove(key)

    def first(self) -> QueuedPod | None:
        """Return the pod that `pop` would remove and return, None if there is none."""
        return self._queue.peek()

    def pop(self) -> QueuedPod | None:
        """Remove and return the first pod, even during its backoff; None if there is none.

        Pods in the heap for errors stay.
        """
        return self._queue.pop()

    def pop_all_completed(self, now: float) -> list[QueuedPod]:
        """Remove and return the pods whose backoff is over, in order; those after an error come last."""
        popped = []
        for heap in (self._queue, self._errors):
            while (first := heap.peek()) is not None and not self.backoff.is_backing_off(first, now):
                heap.pop()
                popped.append(first)
        return popped

    def next_completion(self) -> float | None:
        """Return the first whole second at which a flush moves a pod, None if there are no pods."""
        waiting = [first for heap in (self._queue, self._errors) if (first := heap.peek()) is not None]
        if not waiting:
            return None
        return min(map(self.backoff.first_flush, waiting))
