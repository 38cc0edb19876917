"""Chunks of events: a keyframe and the events after it. The same run always has the same chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, islice, repeat

from scheduler_core.trace.events import AnyEvent
from scheduler_core.trace.keyframe import CompactedLog, TraceChunk

FIRST_SIZES = 64, 256, 1024  # small, so that the first steps are displayed soon
CHUNK_EVENTS = 4096  # a browser applies this many in a few milliseconds


def first_steps(count: int) -> list[int]:
    """Return the first step of each of the first `count` chunks; it is the same in every run."""
    return list(islice(accumulate(chain((0,), FIRST_SIZES, repeat(CHUNK_EVENTS))), count))


def chunked(events: Iterable[AnyEvent], first_sizes: Sequence[int] = FIRST_SIZES) -> Iterator[TraceChunk]:
    """Yield chunks of `first_sizes` events, then of CHUNK_EVENTS each; the last one is marked."""
    source, log = iter(events), CompactedLog()
    sizes = chain(first_sizes, repeat(CHUNK_EVENTS))
    seq, step = 0, 0
    chunk = list(islice(source, next(sizes)))
    while True:
        following = list(islice(source, 1)) if chunk else []
        yield TraceChunk(seq, step, log.keyframe(), chunk, last=not following)
        if not following:
            return
        log.take(chunk)
        seq, step = seq + 1, step + len(chunk)
        chunk = [*following, *islice(source, next(sizes) - 1)]
