"""Times and durations of a Scenario document."""

from __future__ import annotations

import math

from scheduler_core.apis.messages import Message
from scheduler_core.scenario.reading.problems import Path, Problems, invalid

LONGEST = 10.0 * 365 * 86_400  # the largest time or duration, in virtual seconds


def seconds(number: float, path: Path, problems: Problems) -> float:
    """Return a duration or time in virtual seconds; 0 for an invalid one, which is reported."""
    if not (0 <= number <= LONGEST and math.isfinite(number)):
        problems.error(path, invalid(number, Message("must be a number of seconds from 0 to ten years")))
        return 0.0
    return float(number)
