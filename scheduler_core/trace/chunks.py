"""Events in self-contained pieces: a keyframe and the events after it. The same run always has the same chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from scheduler_core.trace.events import AnyEvent
from scheduler_core.trace.fold import apply, empty_keyframe, snapshot
from scheduler_core.trace.keyframe import TraceChunk

FIRST_CHUNK_EVENTS = 64  # small, so that the first steps are on the screen soon
GROWTH = 4
CHUNK_EVENTS = 4096  # a browser folds as many in a few milliseconds; a keyframe of 5,000 nodes weighs as much


def chunked(events: Iterable[AnyEvent]) -> Iterator[TraceChunk]:
    """Chunks of 64, 256, 1024, then 4096 events each; the last one says so."""
    source = iter(events)
    keyframe = empty_keyframe()
    seq, size = 0, FIRST_CHUNK_EVENTS
    chunk = list(islice(source, size))
    while True:
        size = min(GROWTH * size, CHUNK_EVENTS)
        following = list(islice(source, 1)) if chunk else []
        yield TraceChunk(seq, keyframe.step, snapshot(keyframe), chunk, last=not following)
        for event in chunk:
            apply(keyframe, event)
        if not following:
            return
        seq += 1
        chunk = [*following, *islice(source, size - 1)]
