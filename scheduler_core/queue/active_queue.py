"""activeQ: pods that are ready to be scheduled, and events during the cycles of in-flight pods (active_queue.go)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from scheduler_core.apis.core import PodKey
from scheduler_core.framework.cluster_event import ClusterEvent
from scheduler_core.queue.pod_heap import PodHeap, SortKey
from scheduler_core.queue.queued_pod import QueuedPod


class InFlightEvent(msgspec.Struct, frozen=True):
    """A cluster event that occurred while a pod was in flight."""

    event: ClusterEvent
    old: Any
    new: Any


class ActiveQueue(PodHeap):
    """The active queue. A popped pod is in flight until `done`; if its attempt fails, the events since its pop are
    replayed. Events that occurred before the pops of all in-flight pods are dropped.
    """

    def __init__(self, sort_key: Callable[[QueuedPod], SortKey]) -> None:
        super().__init__(sort_key)
        self._in_flight: dict[PodKey, int] = {}  # the number of events recorded before its pop; oldest pop first
        self._events: list[InFlightEvent] = []
        self._forgotten = 0  # the number of dropped events, which precede `_events`

    def start_attempt(self, queued: QueuedPod) -> None:
        """Mark a popped pod as in flight, count the attempt, and clear the plugins that rejected or gated it."""
        queued.attempts += 1
        self._in_flight[queued.key] = self._forgotten + len(self._events)
        queued.unschedulable_plugins = {}
        queued.pending_plugins = {}
        queued.gating_plugin = ""

    @property
    def any_in_flight(self) -> bool:
        return bool(self._in_flight)

    def in_flight(self, key: PodKey) -> bool:
        return key in self._in_flight

    def record(self, event: ClusterEvent, old: Any, new: Any) -> None:
        """Store an event if any pod is in flight."""
        if self._in_flight:
            self._events.append(InFlightEvent(event, old, new))

    def events_for(self, key: PodKey) -> list[InFlightEvent]:
        """Return the events since the pod was popped; it must be in flight."""
        return self._events[self._in_flight[key] - self._forgotten :]

    def done(self, key: PodKey) -> None:
        """Mark the pod as no longer in flight, if it is, and drop events that no pod in flight needs."""
        if self._in_flight.pop(key, None) is None or not self._events:
            return
        recorded = self._forgotten + len(self._events)
        oldest = next(iter(self._in_flight.values()), recorded)
        del self._events[: oldest - self._forgotten]
        self._forgotten = oldest
