"""unschedulablePods: pods that wait for an event, indexed by the plugins that rejected them (scheduling_queue.go)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scheduler_core.apis.core import PodKey
from scheduler_core.queue.queued_pod import QueuedPod

_NONE: dict[PodKey, None] = {}


class UnschedulablePods:
    """Waiting pods in order of arrival. A pod keeps its position if it is put again with other rejectors."""

    def __init__(self) -> None:
        self._pods: dict[PodKey, QueuedPod] = {}
        self._number: dict[PodKey, int] = {}  # its position in the order
        self._rejected_by: dict[str, dict[PodKey, None]] = {}  # "": pods that no plugin rejected
        self._next = 0

    def __bool__(self) -> bool:
        return bool(self._pods)

    def __iter__(self) -> Iterator[QueuedPod]:
        return iter(list(self._pods.values()))

    def get(self, key: PodKey) -> QueuedPod | None:
        return self._pods.get(key)

    def put(self, queued: QueuedPod) -> None:
        """Add or replace a pod."""
        key = queued.key
        self._pods[key] = queued
        if key not in self._number:
            self._next += 1
            self._number[key] = self._next
        for plugin in queued.rejectors or ("",):
            self._rejected_by.setdefault(plugin, {})[key] = None

    def pop(self, key: PodKey) -> QueuedPod | None:
        """Remove and return a pod; None if it is not here."""
        queued = self._pods.pop(key, None)
        if queued is not None:
            del self._number[key]
            for plugin in ("", *queued.rejectors):
                self._rejected_by.get(plugin, _NONE).pop(key, None)
        return queued

    def rejected_by(self, plugins: Iterable[str]) -> list[QueuedPod]:
        """Return the pods that one of the plugins rejected and those that no plugin rejected, in order of arrival."""
        if not self._pods:
            return []
        keys = set(self._rejected_by.get("", _NONE))
        for plugin in plugins:
            keys.update(self._rejected_by.get(plugin, _NONE))
        return [self._pods[key] for key in sorted(keys, key=self._number.__getitem__)]
