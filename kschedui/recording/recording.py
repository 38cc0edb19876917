"""A recording of a cluster as a scenario with a timeline, and the decisions of its scheduler.

Only a few numbers per change are kept in memory. The changes themselves are stored in a temporary file until the end,
when they are sorted by their resource versions, which all kinds share.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from array import array
from collections import Counter
from collections.abc import Iterator
from typing import IO, Any

import msgspec

from kschedui.recording.decisions import BEFORE, IN_A_GAP, DecisionReader
from kschedui.recording.reflector import Gap, Seen
from kschedui.recording.resources import EVENTS, NEEDED
from kschedui.scenarios import compact_yaml
from kschedui.scenarios.importers import cleaning
from kschedui.scenarios.importers.cluster_release import release_of
from scheduler_core.apis.selectors import parse_int64
from scheduler_core.scenario.objects.admission import SYSTEM_PRIORITY_CLASSES

Manifest = dict[str, Any]

SHORTEST_STEP = 0.001  # seconds between two changes; a decision precedes the change that shows it
RECORDED = "kschedui.io/recorded"  # an annotation: the version of the API server, or the tool that recorded
SCENARIO = {"apiVersion": "kschedui.io/v1alpha1", "kind": "Scenario"}


class _Change(msgspec.Struct, frozen=True):
    """The position of a change in the order of all changes, and its time in seconds."""

    order: int
    time: float


class _Spool(msgspec.Struct):
    """The changes on disk; memory holds three numbers for each."""

    file: IO[bytes] = msgspec.field(default_factory=tempfile.TemporaryFile)
    orders: array[int] = msgspec.field(default_factory=lambda: array("q"))
    times: array[float] = msgspec.field(default_factory=lambda: array("d"))
    offsets: array[int] = msgspec.field(default_factory=lambda: array("q"))
    in_first_lists: int = 0  # changes

    def add(self, order: int, time_seen: float, entry: list[Any]) -> None:
        self.orders.append(order)
        self.times.append(time_seen)
        self.offsets.append(self.file.tell())
        self.in_first_lists += not time_seen
        self.file.write(json.dumps(entry, separators=(",", ":")).encode() + b"\n")

    def in_order(self) -> Iterator[tuple[_Change, list[Any]]]:
        for number in sorted(range(len(self.orders)), key=self.orders.__getitem__):
            self.file.seek(self.offsets[number])
            yield _Change(self.orders[number], self.times[number]), json.loads(self.file.readline())


class Recording:
    """A recording: `take` observations, then `write` the scenario. `version`: of the API server, "" if unknown."""

    def __init__(self, version: str = "") -> None:
        self.version = version
        self.notes: list[str] = []  # resources that could not be read
        self.gaps: list[Gap] = []
        self.events_share_versions = True  # Event objects have resource versions from the same counter
        self._spool = _Spool()
        self._images: set[str] = set()
        self._uids: set[str] = set()
        self._classes: dict[str, int] = {}
        self._global_default = False
        self._latest = 0  # the highest resource version of objects other than events

    def counts(self) -> tuple[int, int]:
        """Return the number of objects at the start, and of changes after it."""
        return self._spool.in_first_lists, len(self._spool.orders) - self._spool.in_first_lists

    def take(self, observation: Seen | Gap) -> None:
        """Store an observation."""
        if isinstance(observation, Gap):
            self.gaps.append(observation)
            return
        item = observation.object
        if item is not None:
            self._images |= set(cleaning.images_of(item))
            self._uids |= set(cleaning.used_uids([item]))
            if observation.resource.kind == "PriorityClass":
                self._classes[observation.key[1]] = item.get("value") or 0
                self._global_default |= bool(item.get("globalDefault"))
        version = parse_int64(observation.resource_version)
        order = self._latest if version is None else version
        if observation.resource == EVENTS and not self.events_share_versions:
            order = self._latest
        elif observation.resource != EVENTS:
            self._latest = max(self._latest, order)
        if observation.action == "initial":
            order = 0
        self._spool.add(order, observation.at, [observation.action, observation.resource.kind, observation.key, item])

    def write(self, out: IO[str]) -> Counter[str]:
        """Write the scenario. Return the numbers of initial objects by kind, of "changes" and of "decisions"."""
        with tempfile.TemporaryFile("w+", encoding="utf-8") as timeline:
            return self._write(out, timeline)

    def _write(self, out: IO[str], timeline: IO[str]) -> Counter[str]:
        counts: Counter[str] = Counter()
        reader = DecisionReader()
        existing: set[tuple[str, str]] = set()  # kinds and names
        now = 0.0
        for change, (action, kind, key, item) in self._spool.in_order():
            name = "/".join(filter(None, key))
            first = action == "initial"
            now = 0.0 if first else round(max(now + SHORTEST_STEP, change.time), 3)
            if kind == EVENTS.kind:
                if item is not None:
                    in_gap = IN_A_GAP if self._in_gap(change.order) else ""
                    note = BEFORE if first else in_gap
                    reader.event_applied(name, item, change.order, now, note)
                continue
            if kind == "Pod":
                self._read_pod(reader, action, name, item, change.order, now)
            tidied = None if item is None else self._tidy(item)
            if first:
                if tidied is not None and not cleaning.is_built_in(item) and not cleaning.has_ended(item):
                    existing.add((kind, name))
                    counts[kind] += 1
                    out.write(compact_yaml.write_all([tidied]) + "---\n")
                continue
            event = _timeline_event(action, kind, key, tidied, existed=(kind, name) in existing)
            if event is not None:
                (existing.discard if "delete" in event else existing.add)((kind, name))
                counts["changes"] += 1
                timeline.write(f"  - {json.dumps({'at': now, **event}, separators=(', ', ': '))}\n")
        decisions = reader.decisions()
        counts["decisions"] = len(decisions)
        self._write_scenario(out, timeline, [decision.row() for decision in decisions], now)
        return counts

    def _read_pod(
        self, reader: DecisionReader, action: str, key: str, pod: Manifest | None, order: int, now: float
    ) -> None:
        if pod is None:
            reader.pod_deleted(key)
        elif action == "initial":
            reader.pod_listed(key, pod)
        else:
            reader.pod_applied(
                key, pod, order, round(now - SHORTEST_STEP / 2, 4), IN_A_GAP if self._in_gap(order) else ""
            )

    def _in_gap(self, order: int) -> bool:
        """Return whether changes of nodes or pods may be missing before this one."""
        return any(_number(gap.after) < order <= _number(gap.until) for gap in self.gaps if gap.resource.kind in NEEDED)

    def _tidy(self, item: Manifest) -> Manifest:
        """Return the object as an import writes it; a pod keeps its own priority if that of its class differs."""
        tidied = cleaning.tidy(cleaning.in_version(item), self._images, self._uids, keep_priority=self._global_default)
        if item.get("kind") == "Pod":
            spec = tidied.get("spec") or {}
            name = spec.get("priorityClassName")
            classes = {
                **self._classes,
                **{priority_class.name: priority_class.value for priority_class in SYSTEM_PRIORITY_CLASSES},
            }
            if name and ("priority" in spec) and classes.get(name) != spec["priority"]:
                del spec["priorityClassName"]
        return tidied

    def _write_scenario(self, out: IO[str], timeline: IO[str], observed: list[Manifest], end: float) -> None:
        """Write the Scenario document at the end: its lists are long, so each item is one line."""
        release = release_of(self.version)
        spec: Manifest = {"title": f"Recorded for {end:.0f} seconds"}
        spec |= {"kubernetesVersion": release} if release else {}
        gaps = _merge(self.gaps)
        gaps += [{"from": 0, "until": end, "what": note} for note in self.notes]
        metadata = {"name": "recorded", "annotations": {RECORDED: self.version}}
        out.write(compact_yaml.write_all([{**SCENARIO, "metadata": metadata, "spec": {**spec, "unobserved": gaps}}]))
        out.write("  events:\n")
        timeline.seek(0)
        shutil.copyfileobj(timeline, out)
        out.write("  observed:\n")
        out.writelines(f"  - {json.dumps(row, separators=(', ', ': '))}\n" for row in observed)


def _merge(gaps: list[Gap]) -> list[Manifest]:
    """Return the rows of spec.unobserved: one for all resources with overlapping gaps."""
    rows: list[Manifest] = []
    for gap in sorted(gaps, key=lambda gap: gap.start):
        if not rows or gap.start > rows[-1]["until"]:
            rows.append({"from": round(gap.start, 3), "until": 0.0, "what": set()})
        rows[-1]["until"] = max(rows[-1]["until"], round(gap.end, 3))
        rows[-1]["what"].add(gap.resource.name)
    return [
        {**row, "what": f"{', '.join(sorted(row['what']))} could not be watched, and were listed again"} for row in rows
    ]


def _number(resource_version: str) -> int:
    return parse_int64(resource_version) or 0


def _timeline_event(action: str, kind: str, key: list[str], item: Manifest | None, *, existed: bool) -> Manifest | None:
    """Return one entry of spec.events; None for a change that has no effect."""
    if action == "deleted" or item is None:
        namespaced = {"namespace": key[0]} if key[0] else {}
        return {"delete": {"kind": kind, **namespaced, "name": key[1]}} if existed else None
    if not existed and cleaning.has_ended(item):
        return None
    return {"update" if existed else "create": item}
