"""The first difference between two runs with the same decisions: in messages, verdicts, scores, time, or the queues."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any

import msgspec

from scheduler_core import attempt_records
from scheduler_core.trace.events import AnyEvent

MAX_ATTEMPTS = 2000  # that are looked at
# The fields of a decision record that show each difference, the most informative difference first.
PARTS: Mapping[str, tuple[str, ...]] = {
    "message": ("message", "outcome"),
    "verdicts": ("preFilter", "filter", "feasible"),
    "scores": ("scores", "totals"),
    "preemption": ("preemption",),
    "time": ("time",),
    "queues": ("queues",),
}


class Unlike(msgspec.Struct, frozen=True):
    """A difference in `what`, one of PARTS. If messages differ, `before` and `after` are these messages."""

    attempt: int
    pod: str
    time: float
    what: str
    before: str = ""
    after: str = ""


def first_unlike(before: Callable[[], Iterable[AnyEvent]], after: Callable[[], Iterable[AnyEvent]]) -> Unlike | None:
    """Return the first difference in any of PARTS; None if the first MAX_ATTEMPTS attempts have none."""
    pairs = zip(attempt_records(before()), attempt_records(after()), strict=False)
    for attempt, other in islice(pairs, MAX_ATTEMPTS):
        part = next(
            (name for name, fields in PARTS.items() if any(attempt[field] != other[field] for field in fields)), ""
        )
        if part:
            return _difference(attempt, other, part)
    return None


def _difference(attempt: Mapping[str, Any], other: Mapping[str, Any], part: str) -> Unlike:
    messages = (str(attempt["message"] or ""), str(other["message"] or "")) if part == "message" else ("", "")
    return Unlike(attempt["attempt"], attempt["pod"], attempt["time"], part, *messages)
