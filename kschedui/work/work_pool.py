"""Runs CPU-bound work for visitors: parsing, simulating, answering questions, comparing, explaining, drawing.

A piece of work is a function of a module in settings.WORK_MODULES, with plain data as input and output. It runs in one
of a few processes (process.py) within limits (limits.py), when it is its party's turn (work_queue.py). Work is assumed
to be quick until it proves to be slow: it is then restarted as slow work, and for a while all work of its party is
assumed to be slow. Functions are pure, so that nothing but those seconds is lost.
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

from kschedui.work.client_disconnect import ClientDisconnect
from kschedui.work.fetched import call
from kschedui.work.limits import TooManySeconds, TooMuch
from kschedui.work.process import Allowance, Ended, Worker
from kschedui.work.request_turns import end_turn
from kschedui.work.work_queue import Client, Full, QueueEntry, WorkQueue, WorkWait
from scheduler_core.apis.messages import Message

Result = TypeVar("Result")

SUSPECTED_SECONDS = 30.0  # for which a party's work is assumed to be slow after a slow piece of work
SLOW, QUICK = "KSCHEDUI_MAX_WORK_SECONDS", "KSCHEDUI_MAX_QUICK_SECONDS"
TRIES = 2  # if the process is killed by somebody else

counted: Counter[str] = Counter()  # pieces of work by function, and those refused, dropped or ended; for the metrics


class Busy(Exception):
    """The work has to wait for its turn; its place is kept for a while for the same request.

    `ahead` is None if the queue is full.
    """

    def __init__(self, ahead: WorkWait | None) -> None:
        super().__init__(ahead)
        self.ahead = ahead


class ClientDisconnected(Exception):
    """The client has disconnected."""


class WorkOptions(NamedTuple):
    """Options for a piece of work.

    `slow`: treat as slow from the start; `near`: prefer the process where the same was done before; `patience`: seconds
    to wait. Work is done only while the client is connected.
    """

    slow: bool = False
    near: Hashable = None
    patience: float = 0.0
    disconnect: ClientDisconnect = ClientDisconnect()


def run(client: Client, options: WorkOptions, function: Callable[..., Result], *args: Any) -> Result:
    """Return the function's result from a process.

    Raises any error of the function, TooMuch, Busy, and ClientDisconnected.
    """
    counted[function.__name__] += 1
    if not settings.WORK_PROCESSES:  # in tests of one process
        return call(function, args)
    end_turn()
    result: Result = pool().run(client, options, function, args)
    return result


class WorkPool:
    """The worker processes of this process, and the queue of work for them."""

    def __init__(self, processes: int) -> None:
        quick = processes - 1
        self.workers = [Worker(settings.LIMITS["work_bytes"], slow=number != quick) for number in range(processes)]
        self.queue = WorkQueue(processes, settings.LIMITS["waiting"])
        self.suspected: dict[str, float] = {}

    def run(self, client: Client, options: WorkOptions, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Return the result of work; see `run` of this module."""
        slow, quick = settings.LIMITS["work_seconds"], settings.LIMITS["quick_seconds"]
        if not options.slow and quick < slow and self.suspected.get(client.party, 0.0) < monotonic():
            try:
                return self.run_in_turn(client, options, Allowance.of(quick, QUICK), function, args)
            except TooManySeconds:
                counted["slow after all"] += 1
                self.suspect(client.party)
        return self.run_in_turn(client, options._replace(slow=True), Allowance.of(slow, SLOW), function, args)

    def suspect(self, party: str) -> None:
        """Assume that the party's work is slow for a while."""
        now = monotonic()
        suspects = {name: until for name, until in self.suspected.items() if until > now}
        self.suspected = {**suspects, party: now + SUSPECTED_SECONDS}

    def run_in_turn(
        self,
        client: Client,
        options: WorkOptions,
        allowance: Allowance,
        function: Callable[..., Any],
        args: tuple[Any, ...],
    ) -> Any:
        """Return the result of work, done in its turn; it is repeated once if its process was killed.

        Raises the same errors as `run`.
        """
        for _ in range(TRIES):
            entry = self.turn(client, options)
            assert entry.process is not None
            worker, begun = self.workers[entry.process], monotonic()
            try:
                return worker.run(allowance, options.disconnect, translation.get_language(), function, args)
            except Ended:
                counted["lost"] += not options.disconnect.occurred
            except TooMuch:
                counted["ended"] += 1
                raise
            finally:
                self.queue.done(entry, worker.took, monotonic() - begun)
            if options.disconnect.occurred:
                counted["dropped"] += 1
                raise ClientDisconnected
        sentence = Message("The process that computed this was killed twice. This machine may have too little memory.")
        raise TooMuch(sentence)

    def turn(self, client: Client, options: WorkOptions) -> QueueEntry:
        """Wait in the queue, and return the entry once it has a process. Raises Busy or ClientDisconnected."""
        try:
            entry = self.queue.join(client, slow=options.slow, near=options.near)
        except Full:
            counted["refused"] += 1
            raise Busy(None) from None
        if not entry.turn.is_set():
            release_connections()
            with options.disconnect.calling(entry.turn.set):
                entry.turn.wait(options.patience)
            ahead = self.queue.ahead(entry)
            if self.queue.leave(entry, keep=not options.disconnect.occurred):
                if options.disconnect.occurred:
                    counted["dropped"] += 1
                    raise ClientDisconnected
                counted["refused"] += 1
                raise Busy(ahead)
        return entry

    def start(self) -> None:
        """Start the process for quick work before it is needed; the others start on first use, from the same server."""
        self.workers[-1].start()

    def stop(self) -> None:
        """Stop the processes."""
        for worker in self.workers:
            worker.stop()


def release_connections() -> None:
    """Release database connections while others work, except within a transaction."""
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()


@lru_cache(maxsize=1)
def pool() -> WorkPool:
    """Return the work pool of this process."""
    return WorkPool(settings.WORK_PROCESSES)


def start_soon() -> None:
    """Start the first process in the background: loading the code takes a second or two."""
    if settings.WORK_PROCESSES:
        threading.Thread(target=pool().start, name="work", daemon=True).start()
