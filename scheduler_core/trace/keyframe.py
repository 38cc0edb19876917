"""The keyframe, the chunk that carries it with the events after it, and how they are written: as JSON, by msgspec.

A keyframe is the run so far as a compacted log: of the events that say the same of the same pod or node, the last.
Whoever folds RunStarted and a keyframe's events has the state before the chunk; only the browser does
(`static/js/trace/fold.js`).
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from scheduler_core.trace import events as trace
from scheduler_core.trace import pod_group_events as groups
from scheduler_core.trace import preemption_events as preemption
from scheduler_core.trace.events import AnyEvent
from scheduler_core.trace.records import NodeName

OF_A_POD = (
    trace.PodEnqueued,
    trace.PodGated,
    trace.PodIgnored,
    trace.CycleStarted,
    preemption.VictimEvicted,
    preemption.PodNominated,
    preemption.NominationCleared,
    trace.PodAssumed,
    trace.PodUnreserved,
    trace.PermitEvaluated,
    trace.PermitDecided,
    trace.PodBound,
    trace.SchedulingFailed,
)  # each sets the same fields of the pod, whatever they were before
_OF_ITS_POD = (trace.PermitDecided, trace.PodPreBound, trace.PodBound, trace.BindingFailed)
_OF_A_GROUP = frozenset(
    (
        groups.PodGroupCycleStarted,
        groups.PlacementStarted,
        groups.PodGroupEvaluated,
        groups.PlacementsScored,
        groups.PodGroupPreemptionEvaluated,
        groups.PodGroupDecided,
        groups.PodGroupMemberDecided,
        groups.PodGroupConditionWritten,
        groups.PodGroupCycleFinished,
    )
)
OF_AN_OBJECT = (trace.ObjectApplied, trace.ObjectDeleted)
_KEPT = frozenset((*OF_A_POD, *OF_AN_OBJECT))
_OF_NO_CYCLE = frozenset(
    (
        trace.RunStarted,
        trace.ClockAdvanced,
        trace.PodsKeptWaiting,
        trace.PodGated,
        trace.PodIgnored,
        trace.PodActivated,
        preemption.PreemptionFinished,
        trace.RunFinished,
        *OF_AN_OBJECT,
    )
)


_MORE_THAN_A_PART_OF_ITS_CYCLE = _OF_A_GROUP | _OF_NO_CYCLE | _KEPT


class Keyframe(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the events before a chunk have left, beside RunStarted. `order` None: as when the run began."""

    step: int  # number of the next event
    time: float
    since: list[AnyEvent] = []  # in order
    cycle: list[AnyEvent] = []  # the scheduling cycle under way or last ended: CycleStarted and what followed it
    group: list[AnyEvent] = []  # the pod group cycle under way or last ended: what is told of the group as a whole
    order: list[NodeName] | None = None


class TraceChunk(msgspec.Struct, frozen=True):
    """A piece of a run that is read with the run's first one: the state before its first event, and the events.

    Chunk sizes grow by a fixed rule (`chunks.py`), so the same run always has the same chunks.
    """

    seq: int
    first_step: int
    keyframe: Keyframe
    events: list[AnyEvent]
    last: bool = False


class CompactedLog:
    """The events so far, without those that later ones have made void."""

    def __init__(self) -> None:
        self._step = 0
        self._time = 0.0
        self._latest: dict[tuple[str, object], AnyEvent] = {}  # by what it is about, and its type
        self._cycle: list[AnyEvent] = []
        self._group: list[AnyEvent] = []
        self._order: list[NodeName] | None = None

    def keyframe(self) -> Keyframe:
        """What is left of the events taken so far."""
        return Keyframe(
            self._step, self._time, list(self._latest.values()), list(self._cycle), list(self._group), self._order
        )

    def take(self, events: Iterable[AnyEvent]) -> None:
        """Go on by some events."""
        latest = self._latest
        for event in events:
            self._step += 1
            kind = type(event)
            if kind not in _MORE_THAN_A_PART_OF_ITS_CYCLE and not self._group:  # most of them
                if self._cycle:
                    self._cycle.append(event)
                continue
            if kind in _OF_A_GROUP:
                self._take_of_group(event)
            elif isinstance(event, trace.CycleStarted):
                self._cycle = [event]
                self._group = self._group if event.pod_group else []
            elif (
                self._cycle
                and kind not in _OF_NO_CYCLE
                and not ((self._group or kind is preemption.VictimEvicted) and self._is_beside_the_cycle(event))
            ):
                self._cycle.append(event)
            if kind not in _KEPT:
                if isinstance(event, trace.ClockAdvanced):
                    self._time = event.time
            elif isinstance(event, OF_AN_OBJECT):
                self._object(event)
            else:
                about = event.pod, kind  # type: ignore[union-attr]
                latest.pop(about, None)
                latest[about] = event

    def _is_beside_the_cycle(self, event: AnyEvent) -> bool:
        """A victim of SchedulerAsyncPreemption, deleted when its preemptor's attempt was over; what is told of another
        member of a group, since they are bound one after the other when all have been tried."""
        if self._group and isinstance(event, _OF_ITS_POD):
            return event.pod != self._cycle[0].pod  # type: ignore[union-attr]
        if not isinstance(event, preemption.VictimEvicted):
            return False
        started = self._cycle[0]
        own = isinstance(started, trace.CycleStarted) and started.pod == event.preemptor
        return not own or any(isinstance(one, trace.AttemptFinished) for one in self._cycle)

    def _take_of_group(self, event: AnyEvent) -> None:
        """What a member's try has told is void when another one's turn comes, or the group's."""
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

    def _object(self, event: trace.ObjectApplied | trace.ObjectDeleted) -> None:
        """A new manifest replaces the one before; what was said of an object that is gone is void."""
        if event.order is not None:
            self._order = event.order
            event = msgspec.structs.replace(event, order=None)
        key = f"{event.namespace}/{event.name}" if event.namespace else event.name
        if event.kind.startswith("PersistentVolume"):  # a claim may be called as a pod is
            key = f"{event.kind} {key}"
        if isinstance(event, trace.ObjectDeleted):
            for kind in (*OF_A_POD, trace.ObjectApplied, groups.PodGroupConditionWritten):
                self._latest.pop((key, kind), None)
            self._latest[key, self._step] = event
        elif (event.node or event.pod or event.storage or event.pod_group) is not None:
            self._latest.pop((key, trace.ObjectApplied), None)
            self._latest[key, trace.ObjectApplied] = event


_encoder = msgspec.json.Encoder()
_event_decoder = msgspec.json.Decoder(AnyEvent)
_chunk_decoder = msgspec.json.Decoder(TraceChunk)


class _Events(msgspec.Struct):
    """Of a chunk of any version, what all have in common."""

    events: list[AnyEvent]


_events_decoder = msgspec.json.Decoder(_Events)


def encode(record: AnyEvent | TraceChunk) -> bytes:
    """One event or chunk as JSON."""
    return _encoder.encode(record)


def decode_event(data: bytes | str) -> AnyEvent:
    """The inverse of `encode` for an event; raises msgspec.ValidationError."""
    event: AnyEvent = _event_decoder.decode(data)
    return event


def decode_chunk(data: bytes) -> TraceChunk:
    """The inverse of `encode` for a chunk; raises msgspec.ValidationError."""
    return _chunk_decoder.decode(data)


def events_in(data: bytes) -> list[AnyEvent]:
    """The events of a chunk's JSON, also of one with an older schema; raises msgspec.ValidationError."""
    return _events_decoder.decode(data).events
