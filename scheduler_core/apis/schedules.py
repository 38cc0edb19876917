"""Cron schedules, as Kubernetes reads them (github.com/robfig/cron/v3: ParseStandard), but for `@every`."""

from __future__ import annotations

from functools import lru_cache

RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
SHORTHANDS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
ScheduleFields = tuple[frozenset[int] | None, ...]  # the values that each of the five allows, None for *


@lru_cache(maxsize=256)
def schedule_fields(schedule: str) -> ScheduleFields | None:
    """Return the values that each of the five fields allows, None for `*`; None if the schedule cannot be read."""
    parts = SHORTHANDS.get(schedule, schedule).split()
    if len(parts) != len(RANGES):
        return None
    try:
        return tuple(_values(part.lower(), number) for number, part in enumerate(parts))
    except ValueError:
        return None


def _values(part: str, field: int) -> frozenset[int] | None:
    low, high = RANGES[field]
    allowed: set[int] = set()
    for item in filter(None, part.split(",")):
        span, slash, step = item.partition("/")
        first, dash, last = span.partition("-")
        is_any = first in ("*", "?")
        start = low if is_any else _number(first, field)
        if dash:
            end = _number(last, field)
        else:
            end = high if is_any or slash else start
        every = _digits(step) if slash else 1
        if not (low <= start <= end <= high and every > 0):
            raise ValueError(item)
        if is_any and every == 1:
            return None
        allowed.update(range(start, end + 1, every))
    return frozenset(allowed)


def _number(text: str, field: int) -> int:
    if field == 3 and text in MONTHS:
        return MONTHS.index(text) + 1
    if field == 4 and text in WEEKDAYS:
        return WEEKDAYS.index(text)
    return _digits(text)


def _digits(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise ValueError(text)
    return int(text)
