"""The order of waiting work: parties take turns, and the authors within a party; one process is reserved for quick
work.

The party that used the least processor time recently is served first, so that several browsers behind one address wait
for each other and not everybody for them. Of several processes, a party never gets all; an author gets one.
"""

import threading
from collections.abc import Callable
from time import monotonic
from typing import NamedTuple

HALF_LIFE = 30.0  # seconds after which the time that a party used counts half
FORGOTTEN = 0.001  # seconds of processor time
RESERVED_SECONDS = 15.0  # for which the place of a request that has to be repeated is kept


class Client(NamedTuple):
    """The party and the author for whom work is done. `request` identifies the work, to find its place again."""

    party: str
    author: str
    request: str = ""


class WorkWait(NamedTuple):
    """The expected wait of a piece of work: the number of pieces before it, and the estimated seconds."""

    others: int
    seconds: int


class Full(Exception):
    """The queue has reached its limit."""


class QueueEntry:
    """A piece of work in the queue; `turn` is set when it gets a process, or when its client disconnects."""

    def __init__(self, client: Client, number: int, *, slow: bool, near: object) -> None:
        self.client = client
        self.number = number  # in order of arrival
        self.slow = slow
        self.near = near
        self.turn = threading.Event()
        self.process: int | None = None


class ProcessorUsage:
    """The recently used seconds of processor time, which decay over time."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.used: dict[str, tuple[float, float]] = {}

    def of(self, name: str) -> float:
        """Return the seconds that count for the party or author now."""
        seconds, at = self.used.get(name, (0.0, 0.0))
        return seconds * 0.5 ** ((self.clock() - at) / HALF_LIFE) if seconds else 0.0

    def add(self, name: str, seconds: float) -> None:
        """Count seconds for a party or author."""
        self.used[name] = (self.of(name) + seconds, self.clock())
        if len(self.used) > 1000:
            self.used = {other: usage for other, usage in self.used.items() if self.of(other) > FORGOTTEN}


class WorkQueue:
    """The work that waits for one of `processes`; the last of them is for quick work only, if there are several.

    Thread-safe. `clock` is monotonic, in seconds.
    """

    def __init__(self, processes: int, most: int, clock: Callable[[], float] = monotonic) -> None:
        self.processes = processes
        self.most = most
        self.clock = clock
        self.free = list(range(processes))  # the one that was used last is at the end
        self.waiting: list[QueueEntry] = []
        self.going_on: list[QueueEntry] = []
        self.parties, self.authors = ProcessorUsage(clock), ProcessorUsage(clock)
        self.reserved: dict[Client, tuple[int, float]] = {}  # kept places: number, and time until which it is kept
        self.near: dict[object, int] = {}  # by `near` of a piece of work: the process that did the last one
        self.seconds = 0.1  # mean real time of a piece of work
        self._numbers = 0
        self._lock = threading.Lock()

    def join(self, client: Client, *, slow: bool = False, near: object = None) -> QueueEntry:
        """Return a new entry at the end, or in the place that the same request had a moment ago. Raises Full."""
        with self._lock:
            mine = sum(entry.client.party == client.party for entry in self.waiting)
            if len(self.waiting) >= self.most or mine >= max(1, self.most // 2):
                raise Full
            self._numbers += 1
            number, until = self.reserved.pop(client, (self._numbers, 0.0))
            entry = QueueEntry(client, number if until > self.clock() else self._numbers, slow=slow, near=near)
            self.waiting.append(entry)
            self._assign()
            return entry

    def leave(self, entry: QueueEntry, *, keep: bool = False) -> bool:
        """Stop waiting; with `keep`, the place is kept for a while. Return False if the entry already has a process."""
        with self._lock:
            if entry not in self.waiting:
                return False
            self.waiting.remove(entry)
            now = self.clock()
            self.reserved = {client: place for client, place in self.reserved.items() if place[1] > now}
            if keep:
                self.reserved[entry.client] = entry.number, now + RESERVED_SECONDS
            return True

    def done(self, entry: QueueEntry, processor: float, clock: float) -> None:
        """Free the process of an entry. Count its processor time for the client, its real time for estimates."""
        assert entry.process is not None
        with self._lock:
            self.going_on.remove(entry)
            self.free.append(entry.process)
            self.parties.add(entry.client.party, processor)
            self.authors.add(entry.client.author, processor)
            self.seconds += (clock - self.seconds) / 8
            self._assign()

    def ahead(self, entry: QueueEntry) -> WorkWait:
        """Return the number of pieces of work before this one, and the estimated wait."""
        with self._lock:
            order = self._order()
            others = len(self.going_on) + (order.index(entry) if entry in order else 0)
            return WorkWait(others, max(1, round(others * self.seconds / max(1, self.processes))))

    def _order(self) -> list[QueueEntry]:
        """Return the waiting entries in the order of their turns: the first of each party, then the second of each, and
        so on.
        """
        parties: dict[str, list[QueueEntry]] = {}
        for entry in sorted(self.waiting, key=lambda entry: (self.authors.of(entry.client.author), entry.number)):
            parties.setdefault(entry.client.party, []).append(entry)
        busy = [entry.client.party for entry in self.going_on]
        rounds = [
            (busy.count(party) + turn, self.parties.of(party), min(entry.number for entry in mine), entry)
            for party, mine in parties.items()
            for turn, entry in enumerate(mine)
        ]
        return [entry for *_, entry in sorted(rounds, key=lambda place: place[:3])]

    def _assign(self) -> None:
        """Assign free processes to the entries whose turn it is."""
        for entry in self._order() if self.free and self.waiting else ():
            process = self._process_for(entry)
            if process is not None:
                self.free.remove(process)
                self.waiting.remove(entry)
                self.going_on.append(entry)
                entry.process = process
                if entry.near is not None:
                    self.near.pop(entry.near, None)
                    self.near[entry.near] = process
                    if len(self.near) > 256:
                        self.near.pop(next(iter(self.near)))
                entry.turn.set()

    def _process_for(self, entry: QueueEntry) -> int | None:
        """Return a free process for the work, or None if its client uses enough of them or none is free.

        One where similar work ran is preferred, then the one that is reserved for quick work.
        """
        mine = [other for other in self.going_on if other.client.party == entry.client.party]
        alike = sum(other.slow == entry.slow for other in mine)
        most = max(1, self.processes - (2 if entry.slow else 1))
        if alike >= most or any(other.client.author == entry.client.author for other in mine):
            return None
        quick = self.processes - 1
        fitting = [process for process in self.free if not entry.slow or process != quick or self.processes == 1]
        preferred = self.near.get(entry.near) if entry.near is not None else None
        if preferred in fitting:
            return preferred
        if quick in fitting:
            return quick
        return fitting[0] if fitting else None
