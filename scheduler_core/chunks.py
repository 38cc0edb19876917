"""Events in self-contained pieces: a keyframe and the events after it. The same run always has the same chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from scheduler_core.fold import apply, empty_keyframe, snapshot
from scheduler_core.trace import AnyEvent, TraceChunk

FIRST_CHUNK_EVENTS = 64  # small, so that the first steps are on the screen soon
CHUNK_EVENTS = 1000


def chunked(events: Iterable[AnyEvent]) -> Iterator[TraceChunk]:
    """Chunks of 64, 128, 256, 512, then 1000 events each; the last one says so."""
    source = iter(events)
    keyframe = empty_keyframe()
    seq, size = 0, FIRST_CHUNK_EVENTS
    chunk = list(islice(source, size))
    while True:
        size = min(2 * size, CHUNK_EVENTS)
        following = list(islice(source, 1)) if chunk else []
        yield TraceChunk(seq, keyframe.step, snapshot(keyframe), chunk, last=not following)
        for event in chunk:
            apply(keyframe, event)
        if not following:
            return
        seq += 1
        chunk = [*following, *islice(source, size - 1)]
