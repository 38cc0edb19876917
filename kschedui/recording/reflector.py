"""A list and watch of one resource, as in client-go's Reflector: it resumes, lists again after 410, and retries.

Every object is passed to `sink` pruned. If a watch is interrupted and cannot be resumed, only the result of the changes
is known; such times are reported as gaps.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable
from hashlib import blake2b
from typing import Any, Literal

import msgspec

from kschedui.recording.api_server import GONE, ApiError, ApiServer, Unreachable
from kschedui.recording.resources import Resource

Manifest = dict[str, Any]
Key = tuple[str, str]

WATCH_SECONDS = (240, 480)  # the server ends a watch after a random time between these
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 10.0


class Seen(msgspec.Struct, frozen=True):
    """An observation of an object: in the first list, created or changed ("applied"), or deleted."""

    resource: Resource
    action: Literal["initial", "applied", "deleted"]
    key: Key
    resource_version: str
    at: float  # seconds since the recording began
    object: Manifest | None


class Gap(msgspec.Struct, frozen=True):
    """A time in which changes of a resource could not be watched: after one resource version, up to another."""

    resource: Resource
    start: float
    end: float
    after: str = ""
    until: str = ""


Sink = Callable[[Seen | Gap], None]
Prune = Callable[[Manifest], Manifest | None]


class Reflector:
    """Runs in a thread of its own from `watch` on; `stop` ends it at the next event or pause."""

    def __init__(
        self, server: ApiServer, resource: Resource, *, namespace: str, prune: Prune, sink: Sink, stop: threading.Event
    ) -> None:
        self.resource = resource
        self._server, self._path = server, resource.path(namespace)
        self._prune, self._sink, self._stop = prune, sink, stop
        self._began = time.monotonic()
        self._known: dict[Key, bytes] = {}  # the digest of each object, to skip updates that change nothing
        self._version = ""
        self._lost_since: float | None = None
        self._pause = FIRST_PAUSE

    def list_first(self, began: float) -> list[Seen]:
        """Read the whole list, and return its objects.

        Raises ApiError or Unreachable. `began`: time.monotonic() at the start of the recording.
        """
        self._began = began
        objects, versions = self._list()
        self._known = {key: _digest(item) for key, item in objects.items()}
        return [Seen(self.resource, "initial", key, versions[key], 0.0, item) for key, item in objects.items()]

    @property
    def resource_version(self) -> str:
        """Return the resource version of the last list or event."""
        return self._version

    def watch(self) -> None:
        """Watch, resume and list again until the recording stops."""
        while not self._stop.is_set():
            try:
                self._watch_once()
                self._pause = FIRST_PAUSE
            except ApiError as refusal:
                self._mark_lost()
                if refusal.status == GONE:
                    self._list_again()
                else:
                    self._wait()
            except Unreachable:
                self._mark_lost()
                self._wait()

    def _now(self) -> float:
        return time.monotonic() - self._began

    def _mark_lost(self) -> None:
        """Remember the time at which the watch was interrupted, until it resumes or a list replaces it."""
        if self._lost_since is None:
            self._lost_since = self._now()

    def _wait(self) -> None:
        """Wait before the next try, longer each time, so that a recovering server is not overloaded."""
        self._stop.wait(self._pause * random.uniform(0.75, 1.25))  # noqa: S311 - no secret
        self._pause = min(self._pause * 2, LONGEST_PAUSE)

    def _list(self) -> tuple[dict[Key, Manifest], dict[Key, str]]:
        """Return all objects, pruned, and their resource versions. A list whose token expires half-way starts again."""
        for _ in range(3):
            try:
                return self._list_once()
            except ApiError as refusal:
                if refusal.status != GONE:
                    raise
        return self._list_once()

    def _list_once(self) -> tuple[dict[Key, Manifest], dict[Key, str]]:
        objects: dict[Key, Manifest] = {}
        versions: dict[Key, str] = {}
        for page in self._server.pages(self._path):
            self._version = str((page.get("metadata") or {}).get("resourceVersion") or "")
            for item in page.get("items") or ():
                manifest = self._complete_and_prune(item)
                if manifest is not None:
                    objects[_key(item)] = manifest
                    versions[_key(item)] = _version(item)
        return objects, versions

    def _list_again(self) -> None:
        """Replace the known objects: those missing from the list were deleted in the meantime."""
        before = self._version
        try:
            objects, versions = self._list()
        except (ApiError, Unreachable):
            self._wait()
            return
        now = self._now()
        for key in self._known.keys() - objects.keys():
            self._sink(Seen(self.resource, "deleted", key, self._version, now, None))
        for key, item in objects.items():
            if self._known.get(key) != _digest(item):
                self._sink(Seen(self.resource, "applied", key, versions[key], now, item))
        self._known = {key: _digest(item) for key, item in objects.items()}
        start, self._lost_since = self._lost_since, None
        self._pause = FIRST_PAUSE
        self._sink(Gap(self.resource, now if start is None else start, now, before, self._version))

    def _watch_once(self) -> None:
        seconds = random.randint(*WATCH_SECONDS)  # noqa: S311 - no secret
        for event in self._server.watch(self._path, self._version, seconds):
            if self._stop.is_set():
                return
            self._lost_since = None  # a resumed watch has everything that was missed
            self._take(event)

    def _take(self, event: Manifest) -> None:
        item = event.get("object") or {}
        self._version = _version(item) or self._version
        if event.get("type") == "BOOKMARK":
            return
        key = _key(item)
        if event.get("type") == "DELETED":
            if self._known.pop(key, None) is not None:
                self._sink(Seen(self.resource, "deleted", key, _version(item), self._now(), None))
            return
        manifest = self._complete_and_prune(item)
        if manifest is None or self._known.get(key) == (digest := _digest(manifest)):
            return
        self._known[key] = digest
        self._sink(Seen(self.resource, "applied", key, _version(item), self._now(), manifest))

    def _complete_and_prune(self, item: Manifest) -> Manifest | None:
        named = {"apiVersion": self.resource.group_version, "kind": self.resource.kind, **item}
        return self._prune(named)


def _digest(item: Manifest) -> bytes:
    return blake2b(json.dumps(item, separators=(",", ":")).encode(), digest_size=16).digest()


def _key(item: Manifest) -> Key:
    metadata = item.get("metadata") or {}
    return str(metadata.get("namespace") or ""), str(metadata.get("name") or "")


def _version(item: Manifest) -> str:
    return str((item.get("metadata") or {}).get("resourceVersion") or "")
