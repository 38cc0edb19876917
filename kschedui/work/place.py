"""Runs CPU-bound work for visitors: reading, simulating, asking, comparing, explaining, rendering from a trace.

A piece of work is a function of a module in settings.WORK_MODULES, with plain data in and out. It is done in one of a
few processes (process.py) within limits (limits.py), when it is its party's turn (line.py). Work is taken for quick
until it proves to be slow: then it is begun anew among slow work, and so is for a while whatever else its party asks
for. Functions are pure, so that nothing but those seconds is lost.
"""

import threading
from collections import Counter
from collections.abc import Callable, Hashable
from functools import lru_cache
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from django.conf import settings
from django.db import connections
from django.utils import translation

from kschedui.work.fetched import call
from kschedui.work.gone import Gone
from kschedui.work.limits import TooManySeconds, TooMuch
from kschedui.work.line import Ahead, Client, Full, Line, Ticket
from kschedui.work.process import Allowance, Ended, Worker
from scheduler_core.apis.messages import Message

Result = TypeVar("Result")

SUSPECTED_SECONDS = 30.0  # that a party's work is taken for slow after some that was
SLOW, QUICK = "KSCHEDUI_MAX_WORK_SECONDS", "KSCHEDUI_MAX_QUICK_SECONDS"
TRIES = 2  # of work whose process ended for no reason of its own

counted: Counter[str] = Counter()  # pieces of work by name, and those refused, dropped or ended: there to be shown


class Busy(Exception):
    """It is not this work's turn yet; its place is kept for the same request soon. `ahead` None: too many are
    waiting."""

    def __init__(self, ahead: Ahead | None) -> None:
        super().__init__(ahead)
        self.ahead = ahead


class ClientGone(Exception):
    """The client has disconnected."""


class Wish(NamedTuple):
    """Options for a piece of work: `slow` from the start, `near` where the same was done before, within `patience`
    seconds of waiting, and only while the client is there."""

    slow: bool = False
    near: Hashable = None
    patience: float = 0.0
    gone: Gone = Gone()


def run(client: Client, wish: Wish, function: Callable[..., Result], *args: Any) -> Result:
    """The function's result, from a process; raises what the function raises, TooMuch, Busy, ClientGone."""
    counted[function.__name__] += 1
    if not settings.WORK_PROCESSES:  # in tests of one process
        return call(function, args)
    result: Result = place().run(client, wish, function, args)
    return result


class Place:
    """The processes that belong to this one, and the line before them."""

    def __init__(self, processes: int) -> None:
        quick = processes - 1
        self.workers = [Worker(settings.LIMITS["work_bytes"], slow=number != quick) for number in range(processes)]
        self.line = Line(processes, settings.LIMITS["waiting"])
        self.suspected: dict[str, float] = {}

    def run(self, client: Client, wish: Wish, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """See the function of this module."""
        slow, quick = settings.LIMITS["work_seconds"], settings.LIMITS["quick_seconds"]
        if not wish.slow and quick < slow and self.suspected.get(client.party, 0.0) < monotonic():
            try:
                return self.served(client, wish, Allowance.of(quick, QUICK), function, args)
            except TooManySeconds:
                counted["slow after all"] += 1
                self.suspect(client.party)
        return self.served(client, wish._replace(slow=True), Allowance.of(slow, SLOW), function, args)

    def suspect(self, party: str) -> None:
        """Take the party's work for slow from now on, for a while."""
        now = monotonic()
        known = {one: until for one, until in self.suspected.items() if until > now}
        self.suspected = {**known, party: now + SUSPECTED_SECONDS}

    def served(
        self, client: Client, wish: Wish, allowance: Allowance, function: Callable[..., Any], args: tuple[Any, ...]
    ) -> Any:
        """The result, in its turn; work whose process was ended is done again."""
        for _ in range(TRIES):
            ticket = self.turn(client, wish)
            assert ticket.process is not None
            worker, begun = self.workers[ticket.process], monotonic()
            try:
                return worker.run(allowance, wish.gone, translation.get_language(), function, args)
            except Ended:
                counted["lost"] += not wish.gone.left
            except TooMuch:
                counted["ended"] += 1
                raise
            finally:
                self.line.done(ticket, worker.took, monotonic() - begun)
            if wish.gone.left:
                counted["dropped"] += 1
                raise ClientGone
        sentence = Message("The process that computed this was killed twice. This machine may have too little memory.")
        raise TooMuch(sentence)

    def turn(self, client: Client, wish: Wish) -> Ticket:
        """A ticket that has a process; raises Busy, ClientGone."""
        try:
            ticket = self.line.join(client, slow=wish.slow, near=wish.near)
        except Full:
            counted["refused"] += 1
            raise Busy(None) from None
        if not ticket.turn.is_set():
            give_back_connections()
            with wish.gone.telling(ticket.turn.set):
                ticket.turn.wait(wish.patience)
            ahead = self.line.ahead(ticket)
            if self.line.leave(ticket, keep=not wish.gone.left):
                if wish.gone.left:
                    counted["dropped"] += 1
                    raise ClientGone
                counted["refused"] += 1
                raise Busy(ahead)
        return ticket

    def start(self) -> None:
        """Have the processes there before somebody needs them."""
        for worker in reversed(self.workers):
            worker.start()

    def stop(self) -> None:
        """End them."""
        for worker in self.workers:
            worker.stop()


def give_back_connections() -> None:
    """Hold no connection to the database while others work, except within a transaction."""
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()


@lru_cache(maxsize=1)
def place() -> Place:
    """Return the place of this process."""
    return Place(settings.WORK_PROCESSES)


def start_soon() -> None:
    """Start the processes while this one goes on: loading the code takes them a second or two."""
    if settings.WORK_PROCESSES:
        threading.Thread(target=place().start, name="work", daemon=True).start()
