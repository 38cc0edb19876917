"""The keyframe that events fold into, the chunk that carries both, and how they are written: as JSON, by msgspec.

`Keyframe` is the whole visible state between two events. `fold.py` folds events into it here and `state.js` in the
browser; keyframe n plus the events of chunk n is keyframe n + 1.
"""

from __future__ import annotations

from typing import Any

import msgspec

from scheduler_core.trace.events import AnyEvent
from scheduler_core.trace.records import Hint, NodeName, NodeSummary, Place, PodKey, PodSummary, Resources


class PodState(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A pod in the keyframe: its summary and where it is now."""

    summary: PodSummary
    place: Place
    node: NodeName = ""  # bound, assumed or waiting there
    nominated_node: NodeName = ""
    timestamp: float = 0.0
    sequence: int = 0
    attempts: int = 0
    backoff_until: float | None = None
    error_backoff: bool = False
    unschedulable_plugins: list[str] = []
    message: str = ""  # of the PodScheduled condition
    gone_at: float | None = None  # terminating until then
    start_time: float | None = None
    deadline: float | None = None  # waiting on Permit until then
    moved_by: str = ""  # the cluster event of its last move
    hints: list[Hint] = []


class NodeState(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A node in the keyframe; `pods` are assumed and bound ones in order of arrival, `requested` their sum."""

    summary: NodeSummary
    requested: Resources = {}
    pods: list[PodKey] = []


class Keyframe(msgspec.Struct, omit_defaults=True):
    """Everything visible between two events.

    `cycle` holds the last CycleStarted and the events of that scheduling cycle since, by type (the last of each wins;
    VictimEvicted, NominationCleared and PodEnqueued are lists); it stays until the next CycleStarted. Binding cycles
    that go on beside it show in the places of their pods.
    """

    step: int  # number of the next event
    time: float
    attempt: int
    nodes: dict[NodeName, NodeState]
    order: list[NodeName]
    pods: dict[PodKey, PodState]
    cycle: dict[str, Any] = {}
    finished: bool = False
    deleted: list[PodKey] = []
    title: str = ""
    profiles: list[str] = []
    plugins: dict[str, dict[str, list[tuple[str, int]]]] = {}
    feature_gates: dict[str, bool] = {}
    kubernetes_version: str = ""


class TraceChunk(msgspec.Struct, frozen=True):
    """A self-contained piece of a run: the state before its first event, and the events.

    Chunk sizes grow by a fixed rule (`chunks.py`), so the same run always has the same chunks.
    """

    seq: int
    first_step: int
    keyframe: Keyframe
    events: list[AnyEvent]
    last: bool = False


_encoder = msgspec.json.Encoder()
_event_decoder = msgspec.json.Decoder(AnyEvent)
_chunk_decoder = msgspec.json.Decoder(TraceChunk)


def encode(record: AnyEvent | TraceChunk | Keyframe) -> bytes:
    """One event, keyframe or chunk as JSON."""
    return _encoder.encode(record)


def decode_event(data: bytes | str) -> AnyEvent:
    """The inverse of `encode` for an event; raises msgspec.ValidationError."""
    event: AnyEvent = _event_decoder.decode(data)
    return event


def decode_chunk(data: bytes) -> TraceChunk:
    """The inverse of `encode` for a chunk; raises msgspec.ValidationError."""
    return _chunk_decoder.decode(data)
