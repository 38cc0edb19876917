"""Detects that the machine's clock was set; the age of times that were stored before is then unknown."""

from time import monotonic

from django.utils import timezone

TOLERANCE = 1.0  # seconds between two looks by which a clock is corrected, not set


class SteadyClock:
    """Detects changes of the machine's clock by comparing it with a monotonic one at each call."""

    def __init__(self) -> None:
        self.offset: float | None = None
        self.since = 0.0

    def has_been_steady(self, seconds: float) -> bool:
        """Return whether the clock has not been changed for this many seconds, as far as this process knows."""
        now = monotonic()
        offset = timezone.now().timestamp() - now
        if self.offset is None or abs(offset - self.offset) > TOLERANCE:
            self.since = now
        self.offset = offset
        return now - self.since >= seconds


clock = SteadyClock()
