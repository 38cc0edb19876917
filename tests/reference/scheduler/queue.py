"""The scheduling queue as three unsorted lists, which are searched whenever the first pod is needed.

Rules: kube-scheduler's backend/queue/{scheduling_queue,active_queue,backoff_queue}.go. Sequence numbers, and the limit
of early pops at one moment, are the simulation's own.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scheduler_core.apis.config import Profile
from scheduler_core.apis.core import Pod, Workload
from scheduler_core.queue.scheduling_queue import MAX_EARLY_POPS
from tests.reference.framework.cluster_event import POD_GATES, Event, pod_events
from tests.reference.scheduler.queueing_hints import may_help


@dataclass(eq=False)
class Waiting:
    """A pod in the queue (QueuedPodInfo)."""

    pod: Pod
    timestamp: float = 0.0
    sequence: int = 0
    unschedulable_count: int = 0
    errors: int = 0
    rejectors: set[str] = field(default_factory=set)
    gated: bool = False
    expiry: float | None = None


@dataclass
class Queue:
    """The queue. Hints for default spread constraints read `workloads`, which the owner keeps up to date.

    `popped`: the last moment with pops from backoff, and the number of them by pod key.
    """

    profiles: Mapping[str, Profile]
    initial_backoff: float
    max_backoff: float
    pops_from_backoff: bool
    workloads: Sequence[Workload] = ()
    now: float = 0.0
    active: list[Waiting] = field(default_factory=list)
    backoff: list[Waiting] = field(default_factory=list)
    unschedulable: list[Waiting] = field(default_factory=list)
    sequence: int = 0
    popped: tuple[float, Counter[str]] = field(default_factory=lambda: (0.0, Counter()))

    # Add and remove pods

    def add(self, pod: Pod) -> None:
        waiting = Waiting(pod)
        self._stamp(waiting)
        self._to_active(waiting)

    def pop(self) -> Waiting | None:
        """Remove and return the first active pod, else the first one in backoff after a rejection, else None.

        Pods in backoff are popped only with SchedulerPopFromBackoffQ, and at most MAX_EARLY_POPS times at one moment.
        """
        waiting = min(self.active, key=self._active_order, default=None)
        if waiting is None and self.pops_from_backoff:
            waiting = self._pop_early()
        if waiting is not None:
            self._take(waiting)
            waiting.rejectors, waiting.gated = set(), False
        return waiting

    def _pop_early(self) -> Waiting | None:
        if self.popped[0] != self.now:
            self.popped = self.now, Counter()
        rejected = [waiting for waiting in self.backoff if waiting.rejectors]
        waiting = min(rejected, key=self._backoff_order, default=None)
        if waiting is None or self.popped[1][waiting.pod.key] >= MAX_EARLY_POPS:
            return None
        self.popped[1][waiting.pod.key] += 1
        return waiting

    def put_back(self, waiting: Waiting, rejectors: set[str]) -> None:
        """Put a pod back after its attempt (AddUnschedulableIfNotPresent). Without rejectors, the attempt had an error.

        In-flight events are not replayed, because no event can happen during an attempt.
        """
        waiting.rejectors = set(rejectors)
        if rejectors:
            waiting.unschedulable_count += 1
            waiting.errors = 0
        else:
            waiting.errors += 1
        self._stamp(waiting)
        waiting.expiry = None
        if rejectors:
            self.unschedulable.append(waiting)
        else:
            self._requeue(waiting)

    def update(self, old: Pod, new: Pod) -> None:
        """Apply an update of a pending pod."""
        for waiting in (*self.active, *self.backoff):
            if waiting.pod.key == new.key:
                waiting.pod = new
                return
        for waiting in list(self.unschedulable):
            if waiting.pod.key == new.key:
                waiting.pod = new
                for event in pod_events(old, new):
                    if self._event_may_help(waiting, event):
                        self._requeue(waiting)
                        if waiting in self.active or (self.pops_from_backoff and waiting in self.backoff):
                            return
                return
        self.add(new)

    def delete(self, key: str) -> None:
        for waiting in (*self.active, *self.backoff, *self.unschedulable):
            if waiting.pod.key == key:
                self._take(waiting)

    # Moves

    def move_pods(self, event: Event, max_priority: int | None = None) -> None:
        """Move the pods that an event may help (MoveAllToActiveOrBackoffQueue), optionally only up to a priority."""
        for waiting in list(self.unschedulable):
            if max_priority is not None and waiting.pod.priority > max_priority:
                continue
            if waiting.gated and event.action != POD_GATES:
                continue
            if self._event_may_help(waiting, event):
                self._requeue(waiting)

    def flush_backoff(self) -> None:
        for waiting in sorted(self.backoff, key=self._backoff_order):
            if not self._is_backing_off(waiting):
                self._take(waiting)
                if self.pops_from_backoff:
                    self.active.append(waiting)  # PreEnqueue ran when the pod entered the backoff queue
                else:
                    self._to_active(waiting)

    def flush_unschedulable(self) -> None:
        for waiting in list(self.unschedulable):
            if waiting.timestamp < self.now - 300 and not waiting.gated:
                self._requeue(waiting)

    def next_flush(self) -> float | None:
        """Return the first whole second after the earliest end of a backoff, or None without pods in backoff."""
        expiries = [self._expiry(waiting) for waiting in self.backoff]
        return min((math.floor(one) + 1.0 for one in expiries), default=None)

    def record(self) -> dict[str, list[str]]:
        """Return the `queues` field of a decision record."""
        return {
            "active": [waiting.pod.key for waiting in sorted(self.active, key=self._active_order)],
            "backoff": [waiting.pod.key for waiting in sorted(self.backoff, key=self._backoff_order)],
            "unschedulable": sorted(waiting.pod.key for waiting in self.unschedulable),
            "gated": sorted(waiting.pod.key for waiting in self.unschedulable if waiting.gated),
        }

    # Rules

    def _event_may_help(self, waiting: Waiting, event: Event) -> bool:
        profile = self.profiles[waiting.pod.scheduler_name]
        return not waiting.rejectors or any(
            may_help(plugin, event, waiting.pod, profile, self.workloads) for plugin in waiting.rejectors
        )

    def _requeue(self, waiting: Waiting) -> None:
        """Move a pod to the active or backoff queue, or leave it with the unschedulable pods if it is gated.

        This is requeuePodWithQueueingStrategy for AfterBackoff.
        """
        if not self._is_backing_off(waiting):
            self._to_active(waiting)
        elif not self.pops_from_backoff or self._passes_gates(waiting):
            self._take(waiting)
            self.backoff.append(waiting)

    def _to_active(self, waiting: Waiting) -> None:
        if self._passes_gates(waiting):
            self._take(waiting)
            self.active.append(waiting)

    def _passes_gates(self, waiting: Waiting) -> bool:
        """Return whether PreEnqueue passes. Move a gated pod to the unschedulable pods."""
        plugins = self.profiles[waiting.pod.scheduler_name].plugins["pre_enqueue"]
        waiting.gated = bool(waiting.pod.scheduling_gates) and any(ref.name == "SchedulingGates" for ref in plugins)
        if waiting.gated:
            waiting.rejectors.add("SchedulingGates")
            self._take(waiting)
            self.unschedulable.append(waiting)
        return not waiting.gated

    def _take(self, waiting: Waiting) -> None:
        for places in (self.active, self.backoff, self.unschedulable):
            if waiting in places:
                places.remove(waiting)

    def _stamp(self, waiting: Waiting) -> None:
        self.sequence += 1
        waiting.timestamp, waiting.sequence = self.now, self.sequence

    def _expiry(self, waiting: Waiting) -> float:
        count = waiting.errors or waiting.unschedulable_count
        if count == 0 or self.max_backoff == 0:
            return -1.0
        if waiting.expiry is None:
            end = waiting.timestamp + min(self.initial_backoff * 2 ** min(count - 1, 60), self.max_backoff)
            waiting.expiry = math.floor(end) if self.pops_from_backoff else end
        return waiting.expiry

    def _is_backing_off(self, waiting: Waiting) -> bool:
        now = math.floor(self.now) if self.pops_from_backoff else self.now
        return self._expiry(waiting) >= now

    @staticmethod
    def _active_order(waiting: Waiting) -> tuple[float, ...]:
        return -waiting.pod.priority, waiting.timestamp, waiting.sequence

    def _backoff_order(self, waiting: Waiting) -> tuple[float, ...]:
        after_error = not waiting.rejectors
        if after_error or not self.pops_from_backoff:
            return after_error, self._expiry(waiting), waiting.sequence
        return after_error, self._expiry(waiting), *self._active_order(waiting)
