"""Records an API server: every resource is listed, then watched by a thread of its own."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from operator import itemgetter

import msgspec

from kschedui.recording.api_server import ApiError, ApiServer
from kschedui.recording.decisions import prune_event
from kschedui.recording.recording import Recording
from kschedui.recording.reflector import Gap, Reflector, Seen
from kschedui.recording.resources import EVENTS, Resource, refusal_note, resources_to_record
from kschedui.scenarios.importers.reading.left_out import LeftOut
from kschedui.scenarios.importers.reading.pruning import prune
from scheduler_core.apis.selectors import parse_int64

WAITING_CHANGES = 10_000  # of the watches, before they have to wait for the disk
POLL_SECONDS = 0.2


class RecordingProgress(msgspec.Struct):
    """The progress of a recording: the seconds since its start, and counts of what was recorded."""

    seconds: float
    objects: int
    changes: int
    gaps: int


class Recorder:
    """Records a cluster: `begin` lists, `watch` runs until `stop` is set; then `recording` is complete."""

    def __init__(self, server: ApiServer, *, namespace: str = "", stop: threading.Event | None = None) -> None:
        self.stop = stop or threading.Event()
        self.recording = Recording()
        self._server, self._namespace = server, namespace
        self._left_out = LeftOut()
        self._observations: queue.Queue[Seen | Gap] = queue.Queue(WAITING_CHANGES)
        self._began = 0.0
        self._reflectors: list[Reflector] = []

    def begin(self) -> list[str]:
        """List everything. Return notes on the resources that cannot be read.

        Raises MissingPermission, ApiError, Unreachable.
        """
        self.recording.version = str(self._server.get("/version").get("gitVersion") or "")
        self._began = time.monotonic()
        versions: list[tuple[Resource, int]] = []
        resources = resources_to_record()
        for resource in [*resources[:-1], EVENTS, resources[-1]]:  # between others, to compare their versions
            try:
                reflector, observations = resource.read_served(self._list_first)
            except ApiError as refusal:
                self.recording.notes.append(refusal_note(resource, refusal))
                continue
            for observation in observations:
                self.recording.take(observation)
            self._reflectors.append(reflector)
            if (version := parse_int64(reflector.resource_version)) is not None:
                versions.append((resource, version))
        self.recording.events_share_versions = versions == sorted(versions, key=itemgetter(1))
        return self.recording.notes

    def watch(
        self, seconds: float | None = None, show: Callable[[RecordingProgress], None] = lambda progress: None
    ) -> None:
        """Watch until `stop` is set, or until `seconds` after `begin`; `show` is called with the progress meanwhile."""
        for reflector in self._reflectors:
            threading.Thread(target=reflector.watch, daemon=True, name=reflector.resource.name).start()
        until = None if seconds is None else self._began + seconds
        while not self.stop.is_set() and (until is None or time.monotonic() < until):
            self._store(POLL_SECONDS)
            show(self.progress())
        self.stop.set()
        self._store(POLL_SECONDS)

    def progress(self) -> RecordingProgress:
        """Return the progress of the recording."""
        objects, changes = self.recording.counts()
        return RecordingProgress(time.monotonic() - self._began, objects, changes, len(self.recording.gaps))

    def _list_first(self, resource: Resource) -> tuple[Reflector, list[Seen]]:
        reflector = self._reflector(resource)
        return reflector, reflector.list_first(self._began)

    def _reflector(self, resource: Resource) -> Reflector:
        prune_item = prune_event if resource == EVENTS else lambda item: prune(item, self._left_out)
        return Reflector(
            self._server,
            resource,
            namespace=self._namespace,
            prune=prune_item,
            sink=self._observations.put,
            stop=self.stop,
        )

    def _store(self, wait: float) -> None:
        """Write the observations of the watches to disk; wait at most the given number of seconds for the first one."""
        try:
            observation = self._observations.get(timeout=wait)
            while True:
                self.recording.take(observation)
                observation = self._observations.get_nowait()
        except queue.Empty:
            return
