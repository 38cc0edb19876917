"""The queues according to the events, always sorted so that records are cheap to create."""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import Any

import msgspec

from scheduler_core.trace.events import PodEnqueued, PodGated
from scheduler_core.trace.records import PodKey

Entry = tuple[Any, ...]  # the sort key of a pod in its queue, which ends with the pod's key


class Queues(msgspec.Struct):
    """activeQ and backoffQ in the order in which pods would be popped, the others by name."""

    aligned: bool = True  # whether pods in backoffQ that expire in the same second are ordered as in activeQ
    priority: dict[PodKey, int] = {}
    _entries: dict[str, list[Entry]] = msgspec.field(
        default_factory=lambda: {"active": [], "backoff": [], "unschedulable": [], "gated": []}
    )
    _waiting: dict[PodKey, tuple[PodEnqueued | PodGated, dict[str, Entry]]] = {}

    def put(self, event: PodEnqueued | PodGated) -> None:
        """Move the pod to the queue that the event names."""
        self.remove(event.pod)
        if isinstance(event, PodGated):
            entries: dict[str, Entry] = {"unschedulable": (event.pod,), "gated": (event.pod,)}
        else:
            entries = {event.queue: self._entry(event)}
        for queue, entry in entries.items():
            insort(self._entries[queue], entry)
        self._waiting[event.pod] = event, entries

    def remove(self, key: PodKey) -> None:
        """Remove the pod from its queue, if it is in one."""
        _, entries = self._waiting.pop(key, (None, _NOWHERE))
        for queue, entry in entries.items():
            del self._entries[queue][bisect_left(self._entries[queue], entry)]

    def set_priority(self, key: PodKey, priority: int) -> None:
        """Set the priority of a pod that was created or updated."""
        self.priority[key] = priority
        if key in self._waiting:
            self.put(self._waiting[key][0])

    def record(self) -> dict[str, list[PodKey]]:
        """Return the waiting pods by queue."""
        return {queue: [entry[-1] for entry in entries] for queue, entries in self._entries.items()}

    def _entry(self, event: PodEnqueued) -> Entry:
        if event.queue == "unschedulable":
            return (event.pod,)
        as_active = -self.priority[event.pod], event.timestamp, event.sequence
        if event.queue == "active":
            return *as_active, event.pod
        sort_key = as_active if self.aligned and not event.error_backoff else (event.sequence,)
        return event.error_backoff, event.backoff_until or 0.0, *sort_key, event.pod


_NOWHERE: dict[str, Entry] = {}
