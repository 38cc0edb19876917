"""The order of waiting work: parties take turns, and the authors within a party; one process is reserved for quick
work.

The party that used the least processor time recently is served first, so that several browsers behind one address wait
for each other and not everybody for them. A party never gets all processes; an author gets one.
"""

import threading
from collections.abc import Callable
from time import monotonic
from typing import NamedTuple

HALF_LIFE = 30.0  # seconds after which half of what a party took is forgotten
FORGOTTEN = 0.001  # seconds of processor time
RESERVED_SECONDS = 15.0  # that the place of somebody who asks again is kept


class Client(NamedTuple):
    """The party and the author whose turn a piece of work takes. `request` identifies it, to find its place again."""

    party: str
    author: str
    request: str = ""


class WorkWait(NamedTuple):
    """The wait of a piece of work: the number of pieces before it, and the estimated seconds."""

    others: int
    seconds: int


class Full(Exception):
    """The line has reached its limit."""


class Ticket:
    """The ticket of waiting work; `turn` is set when it gets a process, or when its client disconnects."""

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
        seconds, at = self.used.get(name, (0.0, 0.0))
        return seconds * 0.5 ** ((self.clock() - at) / HALF_LIFE) if seconds else 0.0

    def add(self, name: str, seconds: float) -> None:
        self.used[name] = (self.of(name) + seconds, self.clock())
        if len(self.used) > 1000:
            self.used = {name: usage for name, usage in self.used.items() if self.of(name) > FORGOTTEN}


class WorkQueue:
    """The work that waits for one of `processes`; the last of them is for quick work only, if there are several.

    Thread-safe. `clock` is monotonic, in seconds.
    """

    def __init__(self, processes: int, most: int, clock: Callable[[], float] = monotonic) -> None:
        self.processes = processes
        self.most = most
        self.clock = clock
        self.free = list(range(processes))  # the one that was busy last comes last
        self.waiting: list[Ticket] = []
        self.going_on: list[Ticket] = []
        self.parties, self.authors = ProcessorUsage(clock), ProcessorUsage(clock)
        self.reserved: dict[Client, tuple[int, float]] = {}  # places of those who ask again: number, until when
        self.near: dict[object, int] = {}  # where the like was asked before
        self.seconds = 0.1  # that a piece of work takes by the clock, in the mean
        self._numbers = 0
        self._guard = threading.Lock()

    def join(self, client: Client, *, slow: bool = False, near: object = None) -> Ticket:
        """Wait at the end, or in the place that the same request had a moment ago. Raises Full."""
        with self._guard:
            mine = sum(ticket.client.party == client.party for ticket in self.waiting)
            if len(self.waiting) >= self.most or mine >= max(1, self.most // 2):
                raise Full
            self._numbers += 1
            number, until = self.reserved.pop(client, (self._numbers, 0.0))
            ticket = Ticket(client, number if until > self.clock() else self._numbers, slow=slow, near=near)
            self.waiting.append(ticket)
            self._assign()
            return ticket

    def leave(self, ticket: Ticket, *, keep: bool = False) -> bool:
        """Stop waiting; `keep` the place for a while. False: it already has its turn."""
        with self._guard:
            if ticket not in self.waiting:
                return False
            self.waiting.remove(ticket)
            now = self.clock()
            self.reserved = {client: place for client, place in self.reserved.items() if place[1] > now}
            if keep:
                self.reserved[ticket.client] = ticket.number, now + RESERVED_SECONDS
            return True

    def done(self, ticket: Ticket, processor: float, clock: float) -> None:
        """Free the process of a ticket, and count the seconds of its time and of real time for the client."""
        assert ticket.process is not None
        with self._guard:
            self.going_on.remove(ticket)
            self.free.append(ticket.process)
            self.parties.add(ticket.client.party, processor)
            self.authors.add(ticket.client.author, processor)
            self.seconds += (clock - self.seconds) / 8
            self._assign()

    def ahead(self, ticket: Ticket) -> WorkWait:
        """Return the current wait."""
        with self._guard:
            order = self._order()
            others = len(self.going_on) + (order.index(ticket) if ticket in order else 0)
            return WorkWait(others, max(1, round(others * self.seconds / max(1, self.processes))))

    def _order(self) -> list[Ticket]:
        """Return the waiting tickets by turn: the first of each party, then the second of each, and so on."""
        parties: dict[str, list[Ticket]] = {}
        for ticket in sorted(self.waiting, key=lambda ticket: (self.authors.of(ticket.client.author), ticket.number)):
            parties.setdefault(ticket.client.party, []).append(ticket)
        busy = [ticket.client.party for ticket in self.going_on]
        rounds = [
            (busy.count(party) + turn, self.parties.of(party), min(ticket.number for ticket in mine), ticket)
            for party, mine in parties.items()
            for turn, ticket in enumerate(mine)
        ]
        return [ticket for *_, ticket in sorted(rounds, key=lambda place: place[:3])]

    def _assign(self) -> None:
        """Give free processes to those whose turn it is."""
        for ticket in self._order() if self.free and self.waiting else ():
            process = self._process_for(ticket)
            if process is not None:
                self.free.remove(process)
                self.waiting.remove(ticket)
                self.going_on.append(ticket)
                ticket.process = process
                if ticket.near is not None:
                    self.near.pop(ticket.near, None)
                    self.near[ticket.near] = process
                    if len(self.near) > 256:
                        self.near.pop(next(iter(self.near)))
                ticket.turn.set()

    def _process_for(self, ticket: Ticket) -> int | None:
        """Return a free process for the work: one where similar work ran, or for quick work the reserved one."""
        mine = [other for other in self.going_on if other.client.party == ticket.client.party]
        alike = sum(other.slow == ticket.slow for other in mine)
        most = max(1, self.processes - (2 if ticket.slow else 1))
        if alike >= most or any(other.client.author == ticket.client.author for other in mine):
            return None
        quick = self.processes - 1
        fitting = [process for process in self.free if not ticket.slow or process != quick or self.processes == 1]
        there = self.near.get(ticket.near) if ticket.near is not None else None
        if there in fitting:
            return there
        return quick if quick in fitting else fitting[0] if fitting else None
