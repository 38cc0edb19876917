"""The keyframe, and the chunk that consists of a keyframe and the events after it, encoded as JSON by msgspec.

A keyframe is the run so far as a compacted log: of the events that set the same fields of the same pod or object, only
the last. Each event declares what it updates and the cycle to which it belongs (`event.py`). Folding the events of
RunStarted and of a keyframe results in the state before the chunk; only the browser does that
(`static/js/trace/state.js`).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import msgspec
from msgspec.structs import replace

from scheduler_core.trace import events as trace
from scheduler_core.trace import pod_group_events as groups
from scheduler_core.trace.event import Event
from scheduler_core.trace.events import AnyEvent
from scheduler_core.trace.records import NodeName

_ABOUT_A_POD = frozenset(event for event in trace.EVENTS if event.updates == "pod")
_ABOUT_AN_OBJECT = frozenset(event for event in trace.EVENTS if event.updates == "object")
_OF_A_GROUP = frozenset(event for event in trace.EVENTS if event.part_of == "group cycle")
_OF_NO_CYCLE = frozenset(event for event in trace.EVENTS if event.part_of == "run")
_OF_ONE_POD = frozenset(event for event in trace.EVENTS if event.part_of == "cycle of its pod")
_OF_THE_PREEMPTOR = frozenset(event for event in trace.EVENTS if event.part_of == "cycle of the preemptor")
_ONLY_A_PART_OF_ITS_CYCLE = frozenset(trace.EVENTS) - _OF_A_GROUP - _OF_NO_CYCLE - _ABOUT_A_POD - _ABOUT_AN_OBJECT
_NAMED_ALONE = ("Pod", "Node", "PodGroup")
_UPDATE = "update"  # of a pod or node, kept in addition to its creation
_VOID_WITH_THEIR_OBJECT = (*_ABOUT_A_POD, *_ABOUT_AN_OBJECT, groups.PodGroupConditionWritten)


class Keyframe(msgspec.Struct, frozen=True, omit_defaults=True):
    """The state before a chunk, as events that follow RunStarted. `order` None: the order at the start of the run."""

    step: int  # the number of the next event
    time: float
    since: list[AnyEvent] = []  # in order
    cycle: list[AnyEvent] = []  # the current or last scheduling cycle: CycleStarted and the events after it
    group: list[AnyEvent] = []  # the current or last pod group cycle: the events about the group as a whole
    order: list[NodeName] | None = None


class TraceChunk(msgspec.Struct, frozen=True):
    """A piece of a run: the state before its first event, and the events. It is read together with the first chunk.

    Chunk sizes grow by a fixed rule (`chunks.py`), so the same run always has the same chunks.
    """

    seq: int
    first_step: int
    keyframe: Keyframe
    events: list[AnyEvent]
    last: bool = False


class CompactedLog:
    """The events so far, without superseded ones."""

    def __init__(self) -> None:
        self._step = 0
        self._time = 0.0
        self._latest: dict[tuple[str, object], AnyEvent] = {}  # by object and type
        self._cycle: list[AnyEvent] = []
        self._group: list[AnyEvent] = []
        self._order: list[NodeName] | None = None

    def keyframe(self) -> Keyframe:
        """Return the keyframe after the events so far."""
        return Keyframe(
            self._step, self._time, list(self._latest.values()), list(self._cycle), list(self._group), self._order
        )

    def take(self, events: Iterable[AnyEvent]) -> None:
        """Process the next events."""
        latest = self._latest
        for event in events:
            self._step += 1
            kind = type(event)
            if kind in _ONLY_A_PART_OF_ITS_CYCLE and not self._group:  # the usual case
                if self._cycle:
                    self._cycle.append(event)
                continue
            if kind in _OF_A_GROUP:
                self._take_of_group(event)
            elif isinstance(event, trace.CycleStarted):
                self._cycle = [event]
                self._group = self._group if event.pod_group else []
            elif self._cycle and kind not in _OF_NO_CYCLE and self._is_of_the_cycle(kind, event):
                self._cycle.append(event)
            if kind in _ABOUT_A_POD:
                about = event.pod, kind  # type: ignore[attr-defined]
                latest.pop(about, None)
                latest[about] = event
            elif kind in _ABOUT_AN_OBJECT:
                self._take_of_object(event)
            elif isinstance(event, trace.ClockAdvanced):
                self._time = event.time

    def _is_of_the_cycle(self, kind: type[Event], event: Any) -> bool:
        """Return whether the event belongs to the current cycle; see `Event.part_of`."""
        started = self._cycle[0]
        if self._group and kind in _OF_ONE_POD:
            return bool(event.pod == started.pod)  # type: ignore[attr-defined]
        if kind not in _OF_THE_PREEMPTOR:
            return True
        own = isinstance(started, trace.CycleStarted) and started.pod == event.preemptor
        return own and not any(isinstance(earlier, trace.AttemptFinished) for earlier in self._cycle)

    def _take_of_group(self, event: AnyEvent) -> None:
        """Process an event of the pod group cycle, which may end the record of a member's cycle."""
        match event:
            case groups.PodGroupCycleStarted():
                self._group, self._cycle = [event], []
                self._latest.pop((event.pod_group, type(event)), None)
                self._latest[event.pod_group, type(event)] = event
                return
            case groups.PodGroupMemberDecided():
                self._cycle = [event]
                return
            case groups.PodGroupConditionWritten() if not event.kept and not event.absent:
                self._latest[event.pod_group, type(event)] = event
            case groups.PodGroupEvaluated() | groups.PodGroupCycleFinished():
                self._cycle = []
        self._group.append(event)

    def _take_of_object(self, event: Any) -> None:
        """Replace the previous manifest; of a deleted object, only the deletion is kept.

        The creation of a pod or node keeps its place; the last update follows at its own place.
        """
        if event.order is not None:
            self._order = event.order
            event = replace(event, order=None)
        key = f"{event.namespace}/{event.name}" if event.namespace else event.name
        if event.kind not in _NAMED_ALONE:  # a claim can have the same name as a pod
            key = f"{event.kind} {key}"
        if isinstance(event, trace.ObjectDeleted):
            for kind in (*_VOID_WITH_THEIR_OBJECT, _UPDATE):
                self._latest.pop((key, kind), None)
            self._latest[key, self._step] = event
        elif not isinstance(event, trace.ObjectApplied):
            self._latest.pop((key, type(event)), None)
            self._latest[key, type(event)] = event
        elif any((event.node, event.pod, event.storage, event.pod_group, event.claim, event.slice, event.workload)):
            about = key, _UPDATE if event.action == "update" and (event.pod or event.node) else trace.ObjectApplied
            self._latest.pop(about, None)
            self._latest[about] = event


_encoder = msgspec.json.Encoder()


class _Events(msgspec.Struct):
    """The common part of chunks of all versions."""

    events: list[AnyEvent]


@cache
def _decoder(record: Any) -> msgspec.json.Decoder[Any]:
    """Return the decoder of a type. It is created on first use, since that takes longer than a small run."""
    return msgspec.json.Decoder(record)


def encode(record: AnyEvent | TraceChunk) -> bytes:
    """Return an event or chunk as JSON."""
    return _encoder.encode(record)


def decode_event(data: bytes | str) -> AnyEvent:
    """Return the decoded event. Raises msgspec.ValidationError."""
    event: AnyEvent = _decoder(AnyEvent).decode(data)
    return event


def decode_chunk(data: bytes) -> TraceChunk:
    """Return the decoded chunk. Raises msgspec.ValidationError."""
    chunk: TraceChunk = _decoder(TraceChunk).decode(data)
    return chunk


def events_in(data: bytes) -> list[AnyEvent]:
    """Return the events in the JSON of a chunk, also of an older schema. Raises msgspec.ValidationError."""
    chunk: _Events = _decoder(_Events).decode(data)
    return chunk.events
