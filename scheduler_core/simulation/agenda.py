"""What is due when: events of the timeline, ends of terminations, and what bindings and preemptions do later."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import count

from scheduler_core.apis.core import PodKey
from scheduler_core.scenario.types import TimelineEvent
from scheduler_core.scheduler.scheduler import LaterCause
from scheduler_core.trace.events import Cause


class Agenda:
    """What is due at the same time comes in the order in which it was put down."""

    def __init__(self, events: Sequence[TimelineEvent]) -> None:
        self._timeline = list(events)[::-1]  # the next one last
        self._terminations: list[tuple[float, int, PodKey, str]] = []  # when, number, whose, and that pod's uid
        self._later: list[tuple[float, int, Callable[[], None], LaterCause]] = []
        self._numbers = count()

    def terminate(self, time: float, key: PodKey, uid: str) -> None:
        """The pod's termination ends then."""
        heappush(self._terminations, (time, next(self._numbers), key, uid))

    def do_later(self, time: float, action: Callable[[], None], cause: LaterCause) -> None:
        heappush(self._later, (time, next(self._numbers), action, cause))

    def terminations(self, now: float) -> Iterator[tuple[PodKey, str]]:
        """Take those that have ended: whose, and that pod's uid."""
        while self._terminations and self._terminations[0][0] <= now:
            yield heappop(self._terminations)[2:]

    def events(self, now: float) -> Iterator[TimelineEvent]:
        """Take the timeline's events that are due."""
        while self._timeline and self._timeline[-1].at <= now:
            yield self._timeline.pop()

    def actions(self, now: float) -> Iterator[Callable[[], None]]:
        """Take what was to be done later and is due."""
        while self._later and self._later[0][0] <= now:
            yield heappop(self._later)[2]

    def due(self) -> list[tuple[float, Cause]]:
        """When the next of each is due."""
        found: list[tuple[float, Cause]] = []
        if self._timeline:
            found.append((self._timeline[-1].at, "event"))
        if self._terminations:
            found.append((self._terminations[0][0], "termination"))
        if self._later:
            found.append((self._later[0][0], self._later[0][3]))
        return found
