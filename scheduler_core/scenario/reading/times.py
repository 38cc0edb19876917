"""Converts Kubernetes times to virtual seconds (0 is 2025-01-01T00:00:00Z) and Go durations to seconds."""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache

START = datetime.fromisoformat("2025-01-01T00:00:00+00:00")

_RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)", re.ASCII)
UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


def is_time(text: str) -> bool:
    """Return whether the text is an RFC 3339 time that exists in the calendar."""
    return _parse(text) is not None


def parse_time(text: str) -> float:
    """Return a valid time in seconds since virtual 0, negative before it, without fractions, as in metav1.Time."""
    moment = _parse(text)
    assert moment is not None, text
    return float((moment - START).total_seconds() // 1)


@lru_cache(maxsize=4096)
def _parse(text: str) -> datetime | None:
    if not _RFC3339.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(re.sub(r"\.\d+", "", text))
    except ValueError:
        return None


def parse_duration(text: str) -> float:
    """Return the seconds of a valid Go duration, such as `schema.Duration` accepts."""
    sign = -1.0 if text.startswith("-") else 1.0
    parts = re.findall(r"(?<![0-9.])([0-9.]+)(ns|us|µs|μs|ms|s|m|h)", text)
    return sign * sum(float(number) * UNITS[unit] for number, unit in parts)
