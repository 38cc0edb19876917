"""A heap of queued pods with lookup and removal by key (kube-scheduler: backend/heap)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from typing import Any

from scheduler_core.apis.core import PodKey
from scheduler_core.queue.queued_pod import QueuedPod

SortKey = tuple[float, ...]


class PodHeap:
    """A heap; the smallest sort key is first. Removed entries stay in the list until they reach the top."""

    def __init__(self, sort_key: Callable[[QueuedPod], SortKey]) -> None:
        self._sort_key = sort_key
        self._heap: list[tuple[Any, ...]] = []  # the sort key's parts, a number, and the pod
        self._entries: dict[PodKey, tuple[int, QueuedPod]] = {}
        self._number = 0

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: PodKey) -> bool:
        return key in self._entries

    def __iter__(self) -> Iterator[QueuedPod]:
        """Iterate over the pods in no particular order."""
        return (queued for _, queued in self._entries.values())

    def get(self, key: PodKey) -> QueuedPod | None:
        """Return the pod, None if it is not in the heap."""
        entry = self._entries.get(key)
        return None if entry is None else entry[1]

    def add(self, queued: QueuedPod) -> None:
        self._number += 1
        self._entries[queued.key] = self._number, queued
        heappush(self._heap, (*self._sort_key(queued), self._number, queued))

    def remove(self, key: PodKey) -> QueuedPod | None:
        """Remove a pod and return it; None if it is not in the heap."""
        entry = self._entries.pop(key, None)
        return None if entry is None else entry[1]

    def peek(self) -> QueuedPod | None:
        """Return the first pod without removing it; None if the heap is empty."""
        while self._heap:
            number, queued = self._heap[0][-2:]
            if self._entries.get(queued.key, (0,))[0] == number:
                queued_pod: QueuedPod = queued
                return queued_pod
            heappop(self._heap)
        return None

    def pop(self) -> QueuedPod | None:
        """Remove and return the first pod; None if the heap is empty."""
        queued = self.peek()
        if queued is not None:
            heappop(self._heap)
            del self._entries[queued.key]
        return queued
