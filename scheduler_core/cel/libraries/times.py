"""Durations and timestamps (cel-go's `common/types/duration.go`, `timestamp.go`; Go's `time`)."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from scheduler_core.cel.declarations import Function, Overload
from scheduler_core.cel.types import DURATION, INT, STRING, TIMESTAMP
from scheduler_core.cel.values import (
    MAX_INT,
    MIN_INT,
    NO_SUCH_OVERLOAD,
    Duration,
    Error,
    Timestamp,
    Value,
    format_double_plainly,
)

SECOND = 10**9
_MIN_UNIX, _MAX_UNIX = -62135596800, 253402300799
_OVERFLOW = Error("timestamp overflow")
_INT_OVERFLOW = Error("integer overflow")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNITS = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "μs": 10**3,
    "ms": 10**6,
    "s": SECOND,
    "m": 60 * SECOND,
    "h": 3600 * SECOND,
}
_PART = re.compile(r"([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)")
_RFC_3339 = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?(?:(Z)|([+-])(\d\d):(\d\d))", re.ASCII
)


def parse_duration(text: str) -> Duration | None:
    """Parse a duration like Go's time.ParseDuration; None if it is invalid or too long."""
    negative = text.startswith("-")
    unsigned = text[1:] if text[:1] in ("+", "-") else text
    if unsigned == "0":
        return Duration(0)
    nanos, at = 0, 0
    while at < len(unsigned):
        part = _PART.match(unsigned, at)
        if part is None or not (part[1] or part[2]) or len(part[1].lstrip("0")) > 20:
            return None
        unit = _UNITS[part[3]]
        fraction = part[2] or ""
        nanos += int(part[1] or "0") * unit + (int(fraction[:18] or "0") * unit) // 10 ** len(fraction[:18])
        if nanos > MAX_INT + negative:
            return None
        at = part.end()
    if not at:
        return None
    return Duration(-nanos if negative else nanos)


def format_duration(duration: Value) -> str:
    """Format a duration in seconds ("5400s", "0.5s")."""
    assert isinstance(duration, Duration)
    whole, remainder = divmod(abs(duration.nanos), SECOND)
    seconds = whole + remainder / 1e9
    return format_double_plainly(-seconds if duration.nanos < 0 else seconds) + "s"


def parse_timestamp(text: str) -> Timestamp | Error | None:
    """Parse a timestamp like Go's time.Parse with RFC 3339: an Error if out of CEL's range, None if invalid."""
    match = _RFC_3339.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(match[index]) for index in range(1, 7))
    if hour > 23 or minute > 59 or second > 59 or (not match[8] and (int(match[10]) > 24 or int(match[11]) >= 60)):
        return None
    offset = 0 if match[8] else (int(match[10]) * 3600 + int(match[11]) * 60) * (-1 if match[9] == "-" else 1)
    if not 1 <= month <= 12 or not 1 <= day <= _days_of(year, month):
        return None
    days = _days_before_year(year) + sum(_days_of(year, each) for each in range(1, month)) + day - 1
    unix = days * 86400 + hour * 3600 + minute * 60 + second - offset
    if not _MIN_UNIX <= unix <= _MAX_UNIX:
        return _OVERFLOW
    return Timestamp(unix * SECOND + int((match[7] or "0")[:9].ljust(9, "0")), offset)


def format_timestamp(timestamp: Value) -> str:
    """Format a timestamp in RFC 3339, with the decimals of its seconds and no trailing zeros."""
    assert isinstance(timestamp, Timestamp)
    seconds, nanos = divmod(timestamp.nanos, SECOND)
    local = _EPOCH + timedelta(seconds=seconds + timestamp.offset)
    decimals = f".{nanos:09d}".rstrip("0") if nanos else ""
    sign, minutes = ("-", -timestamp.offset // 60) if timestamp.offset < 0 else ("+", timestamp.offset // 60)
    zone = "Z" if timestamp.offset == 0 else f"{sign}{minutes // 60:02d}:{minutes % 60:02d}"
    return f"{local.year:04d}-{local:%m-%dT%H:%M:%S}{decimals}{zone}"


def timestamp_of_seconds(seconds: Value) -> Value:
    """Return the timestamp of the seconds since 1970, or an Error if it is out of range."""
    assert isinstance(seconds, int)
    return Timestamp(seconds * SECOND) if _MIN_UNIX <= seconds <= _MAX_UNIX else _OVERFLOW


def add(value: Value, other: Value) -> Value:
    """Return the sum of two durations, or a timestamp moved by a duration; or else an Error."""
    if type(value) is Timestamp and type(other) is Duration:
        return _moved(value, other.nanos)
    if type(value) is Duration and type(other) is Timestamp:
        return _moved(other, value.nanos)
    if type(value) is Duration and type(other) is Duration:
        return _duration(value.nanos + other.nanos)
    return NO_SUCH_OVERLOAD


def subtract(value: Value, other: Value) -> Value:
    """Return the difference of two durations or timestamps, or a timestamp less a duration; or else an Error."""
    if type(value) is Timestamp and type(other) is Duration:
        return _INT_OVERFLOW if other.nanos == MIN_INT else _moved(value, -other.nanos)
    if type(value) is Timestamp and type(other) is Timestamp:
        return _duration(value.nanos - other.nanos)
    if type(value) is Duration and type(other) is Duration:
        return _duration(value.nanos - other.nanos)
    return NO_SUCH_OVERLOAD


def negate(duration: Value) -> Value:
    """Return the negative of a duration, or an Error if it overflows."""
    assert isinstance(duration, Duration)
    return _duration(-duration.nanos)


def _duration(nanos: int) -> Value:
    return Duration(nanos) if MIN_INT <= nanos <= MAX_INT else _INT_OVERFLOW


def _moved(timestamp: Timestamp, nanos: int) -> Value:
    moved = timestamp.nanos + nanos
    if not _MIN_UNIX <= moved // SECOND <= _MAX_UNIX:
        return _OVERFLOW
    return Timestamp(moved, timestamp.offset)


def _days_before_year(year: int) -> int:
    """Return the days from 1970 to the first day of a year, in the Gregorian calendar extended back to year 0."""
    before = year - 1
    return before * 365 + before // 4 - before // 100 + before // 400 - 719162


def _days_of(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def _in_zone(timestamp: Timestamp, zone: Value) -> tuple[datetime, int] | Error:
    """Return the date and time of a timestamp in a time zone: a name, or an offset such as "-08:00".

    An offset can move a moment by up to 292 years, and so out of the years 1 to 9999 of `datetime`. Moments in the
    first and the last centuries are returned 400 years away, where the calendar is the same; the second value is the
    number of years to add. An Error is returned for an unknown zone or an invalid offset.
    """
    moment = _EPOCH + timedelta(seconds=timestamp.nanos // SECOND)
    years = -400 if moment.year < 400 else 400 if moment.year > 9600 else 0
    moment = moment.replace(year=moment.year - years)
    assert isinstance(zone, str)
    hours, colon, minutes = zone.partition(":")
    if not colon:
        if zone in ("", "UTC"):
            return moment, years
        try:
            return moment.astimezone(ZoneInfo(zone)), years
        except (KeyError, ValueError, OverflowError, OSError):
            return Error(f"unknown time zone {zone}")
    for part in (hours, minutes):
        if not re.fullmatch(r"[+-]?[0-9]+", part):
            return Error(f'strconv.Atoi: parsing "{part}": invalid syntax')
        if len(part.lstrip("+-0")) > 19 or not -(2**63) <= int(part) < 2**63:
            return Error(f'strconv.Atoi: parsing "{part}": value out of range')
    offset = int(hours) * 60 - int(minutes) if zone[0] == "-" else int(hours) * 60 + int(minutes)
    nanos = _wrapped(offset * 60 * SECOND)
    seconds = abs(nanos) // SECOND + abs(nanos) % SECOND / SECOND
    return moment + timedelta(seconds=int(-seconds if nanos < 0 else seconds)), years


def _wrapped(number: int) -> int:
    """Return the number after an overflow of Go's int64."""
    return (number + 2**63) % 2**64 - 2**63


def _getter(
    name: str, overload: str, read: Callable[[datetime], int], zoned: str | None = None
) -> tuple[Overload, ...]:
    def in_utc(timestamp: Value) -> Value:
        return in_zone(timestamp, "UTC")

    def in_zone(timestamp: Value, zone: Value) -> Value:
        assert isinstance(timestamp, Timestamp)
        local = _in_zone(timestamp, zone)
        if isinstance(local, Error):
            return local
        at, years = local
        return read(at) + (years if name == "getFullYear" else 0)

    return (
        Overload(overload, (TIMESTAMP,), INT, True, in_utc),
        Overload(zoned or f"{overload}_with_tz", (TIMESTAMP, STRING), INT, True, in_zone),
    )


def _milliseconds(timestamp: Value, zone: Value = "UTC") -> Value:
    assert isinstance(timestamp, Timestamp)
    local = _in_zone(timestamp, zone)
    return local if type(local) is Error else timestamp.nanos % SECOND // 10**6


def _of_duration(overload: str, unit: int) -> Overload:
    def read(duration: Value) -> Value:
        assert isinstance(duration, Duration)
        whole = abs(duration.nanos) // unit
        return whole if duration.nanos >= 0 else -whole

    return Overload(overload, (DURATION,), INT, True, read)


GETTERS = (
    Function("getFullYear", _getter("getFullYear", "timestamp_to_year", lambda at: at.year)),
    Function("getMonth", _getter("getMonth", "timestamp_to_month", lambda at: at.month - 1)),
    Function(
        "getDayOfYear", _getter("getDayOfYear", "timestamp_to_day_of_year", lambda at: at.timetuple().tm_yday - 1)
    ),
    Function("getDayOfMonth", _getter("getDayOfMonth", "timestamp_to_day_of_month", lambda at: at.day - 1)),
    Function("getDate", _getter("getDate", "timestamp_to_day_of_month_1_based", lambda at: at.day)),
    Function("getDayOfWeek", _getter("getDayOfWeek", "timestamp_to_day_of_week", lambda at: at.isoweekday() % 7)),
    Function(
        "getHours",
        (
            *_getter("getHours", "timestamp_to_hours", lambda at: at.hour),
            _of_duration("duration_to_hours", 3600 * SECOND),
        ),
    ),
    Function(
        "getMinutes",
        (
            *_getter("getMinutes", "timestamp_to_minutes", lambda at: at.minute),
            _of_duration("duration_to_minutes", 60 * SECOND),
        ),
    ),
    Function(
        "getSeconds",
        (
            *_getter("getSeconds", "timestamp_to_seconds", lambda at: at.second, "timestamp_to_seconds_tz"),
            _of_duration("duration_to_seconds", SECOND),
        ),
    ),
    Function(
        "getMilliseconds",
        (
            Overload("timestamp_to_milliseconds", (TIMESTAMP,), INT, True, _milliseconds),
            Overload("timestamp_to_milliseconds_with_tz", (TIMESTAMP, STRING), INT, True, _milliseconds),
            _of_duration("duration_to_milliseconds", 10**6),
        ),
    ),
)
