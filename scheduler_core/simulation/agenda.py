"""Actions at later times: timeline events, ends of terminations, steps of bindings and preemptions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import count

from scheduler_core.apis.core import PodKey
from scheduler_core.scenario.types import ObservedDecision, TimelineEvent
from scheduler_core.scheduler.scheduler import LaterCause
from scheduler_core.trace.events import Cause


class Agenda:
    """Actions by kind and time. Those of a kind at the same time run in the order in which they were added, except as
    `do_later` says.
    """

    def __init__(self, events: Sequence[TimelineEvent], observed: Sequence[ObservedDecision] = ()) -> None:
        self._timeline = list(events)[::-1]  # the next event is last
        self._observed = list(observed)[::-1]  # the next decision is last
        self._terminations: list[tuple[float, int, PodKey, str]] = []  # time, number, pod and uid
        self._later: list[tuple[float, int, int, Callable[[], None], Cause]] = []  # time, rank, number
        self._retries: list[tuple[float, int, Callable[[], None]]] = []  # of refused requests
        self._numbers = count()

    def terminate(self, time: float, key: PodKey, uid: str) -> None:
        """Add the end of a pod's termination."""
        heappush(self._terminations, (time, next(self._numbers), key, uid))

    def do_later(self, time: float, action: Callable[[], None], cause: LaterCause) -> None:
        """Add an action. At the same time, kubelets' actions come after those of controllers, and retries come last."""
        if cause == "retry":
            heappush(self._retries, (time, next(self._numbers), action))
            return
        heappush(self._later, (time, int(cause == "kubelet"), next(self._numbers), action, cause))

    def add(self, events: Sequence[TimelineEvent]) -> None:
        """Add more timeline events, which run after all existing ones."""
        self._timeline[:0] = events[::-1]

    def terminations(self, now: float) -> Iterator[tuple[PodKey, str]]:
        """Remove and yield the terminations that have ended, as (pod, uid), in order of time."""
        while self._terminations and self._terminations[0][0] <= now:
            yield heappop(self._terminations)[2:]

    def events(self, now: float) -> Iterator[TimelineEvent]:
        """Remove and yield the timeline events that are due."""
        while self._timeline and self._timeline[-1].at <= now:
            yield self._timeline.pop()

    def observed(self, now: float) -> Iterator[ObservedDecision]:
        """Remove and yield the observed decisions that are due."""
        while self._observed and self._observed[-1].at <= now:
            yield self._observed.pop()

    def actions(self, now: float) -> Iterator[Callable[[], None]]:
        """Remove and yield the other actions that are due, in order of time, and then the retries."""
        while self._later and self._later[0][0] <= now:
            yield heappop(self._later)[3]
        while self._retries and self._retries[0][0] <= now:
            yield heappop(self._retries)[2]

    def next_retry(self) -> float | None:
        """Return the time of the next retry of a refused request, None if there is none. `due` leaves retries out."""
        return self._retries[0][0] if self._retries else None

    def due(self) -> list[tuple[float, Cause]]:
        """Return the time and cause of the next action of each kind, except retries."""
        times: list[tuple[float, Cause]] = []
        if self._timeline:
            times.append((self._timeline[-1].at, "event"))
        if self._observed:
            times.append((self._observed[-1].at, "event"))
        if self._terminations:
            times.append((self._terminations[0][0], "termination"))
        if self._later:
            times.append((self._later[0][0], self._later[0][4]))
        return times
