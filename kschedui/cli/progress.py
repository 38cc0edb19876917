"""The progress of a run on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from time import monotonic

from scheduler_core.trace.events import AnyEvent, AttemptFinished, ClockAdvanced

PAUSE = 0.2  # seconds between two lines


def show_progress(events: Iterable[AnyEvent], *, quiet: bool) -> Iterator[AnyEvent]:
    """Yield the events, and show the progress on a terminal."""
    if quiet or not sys.stderr.isatty():
        yield from events
        return
    due, attempts, now = monotonic() + PAUSE, 0, 0.0
    for event in events:
        if isinstance(event, AttemptFinished):
            attempts = event.attempt
        elif isinstance(event, ClockAdvanced):
            now = event.time
        if monotonic() > due:
            sys.stderr.write(f"\r{attempts:,} attempts, {now:,.0f} virtual seconds ")
            sys.stderr.flush()
            due = monotonic() + PAUSE
        yield event
    sys.stderr.write("\r\033[K")
