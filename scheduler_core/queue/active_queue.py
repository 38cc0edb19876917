"""activeQ: pods that are ready to be tried, and the events seen while pods are in flight (active_queue.go)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from scheduler_core.apis.core import PodKey
from scheduler_core.framework.cluster_event import ClusterEvent
from scheduler_core.queue.pod_heap import PodHeap, SortKey
from scheduler_core.queue.queued_pod import QueuedPod


@dataclass(frozen=True, slots=True)
class InFlightEvent:
    """A cluster event that happened while some pod was being scheduled."""

    event: ClusterEvent
    old: Any
    new: Any


class ActiveQueue(PodHeap):
    """A popped pod is in flight until `done`; events after its pop are replayed if it comes back.

    `_flight` holds, in order, keys of pods in flight and events; a pod cares about the events behind its own key.
    """

    def __init__(self, sort_key: Callable[[QueuedPod], SortKey]) -> None:
        super().__init__(sort_key)
        self._in_flight: dict[PodKey, None] = {}
        self._flight: list[PodKey | InFlightEvent] = []

    def take_off(self, queued: QueuedPod) -> None:
        """The pod was popped (here or from backoffQ): its scheduling begins."""
        queued.attempts += 1
        self._in_flight[queued.key] = None
        self._flight.append(queued.key)
        queued.unschedulable_plugins = {}
        queued.pending_plugins = {}
        queued.gating_plugin = ""

    def in_flight(self, key: PodKey) -> bool:
        return key in self._in_flight

    def record(self, event: ClusterEvent, old: Any, new: Any) -> None:
        """Keep an event for the pods in flight, if there are any."""
        if self._in_flight:
            self._flight.append(InFlightEvent(event, old, new))

    def events_for(self, key: PodKey) -> list[InFlightEvent]:
        """The events since the pod was popped."""
        later = self._flight[self._flight.index(key) + 1 :]
        return [entry for entry in later if isinstance(entry, InFlightEvent)]

    def done(self, key: PodKey) -> None:
        """The pod is not in flight any more; events that nobody waits for are dropped. May be called twice."""
        if key not in self._in_flight:
            return
        del self._in_flight[key]
        self._flight.remove(key)
        while self._flight and isinstance(self._flight[0], InFlightEvent):
            self._flight.pop(0)
