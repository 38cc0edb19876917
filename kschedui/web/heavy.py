"""Requests that keep a processor busy: in processes of their own, with hard limits of processor time and memory.

Python code that is busy cannot be interrupted, and in a thread it holds up everybody. A process that meets its limit is
ended by the system, and another takes its place.
"""

import os
import resource
import sys
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from multiprocessing import get_context
from time import process_time
from typing import Any, TypeVar

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext_noop
from pebble import ProcessExpired, ProcessPool

from scheduler_core.apis.messages import Message

Result = TypeVar("Result")

SECONDS_IN_LINE = 10
WALL = 3  # times the processor time: others are served meanwhile
JOBS_OF_A_PROCESS = 200
JOBS = "kschedui.web.api.jobs"  # loaded before memory is counted
PAGE = os.sysconf("SC_PAGE_SIZE")
MOST_PLACES_KNOWN = 256

places = threading.BoundedSemaphore(max(1, settings.HEAVY_PROCESSES))
slow_places = threading.BoundedSemaphore(max(1, settings.HEAVY_PROCESSES - 1))  # one is left for the quick ones
clients: dict[str, threading.Lock] = {}
clients_guard = threading.Lock()
counted: Counter[str] = Counter()  # jobs by name, and those refused or ended: there to be shown


class Busy(Exception):
    """Nobody is free to do it now."""


class TooMuch(Exception):
    """It takes more than it may; the sentence says of what."""

    def __init__(self, sentence: Message) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def run(
    client: str, job: Callable[..., Result], *args: Any, seconds: int, slow: bool = False, near: Hashable = None
) -> Result:
    """The job's result, from a process that may use so many seconds of processor time; one at a time for a client.

    `job` is a function of a module; `args` and its result are plain data. Jobs with the same `near` go to the same
    process while that is free: what one of them leaves there the next may find. Raises what the job raises, Busy,
    TooMuch.
    """
    counted[job.__name__] += 1
    with in_line(client, slow=slow):
        if not settings.HEAVY_PROCESSES:  # in tests of one process
            return job(*args)
        with processes().one(near) as pool:
            return result_of(pool, seconds, job, *args)


def result_of(pool: ProcessPool, seconds: int, job: Callable[..., Result], *args: Any) -> Result:
    """From a process of the pool; raises what the job raises, TooMuch."""
    work = pool.schedule(bounded, args=[seconds, translation.get_language(), job, *args], timeout=WALL * seconds)
    try:
        result: Result = work.result()
        return result
    except (FutureTimeoutError, ProcessExpired, CancelledError):
        counted["ended"] += 1
        raise TooMuch(
            Message("This takes more than {seconds} seconds of work, which is the limit.", seconds=seconds)
        ) from None
    except MemoryError:
        counted["ended"] += 1
        raise TooMuch(
            Message("This takes more than {most:,} MB of memory, which is the limit.", most=megabytes())
        ) from None


@contextmanager
def in_line(client: str, *, slow: bool) -> Iterator[None]:
    """The client's turn, and a free process; raises Busy after a while."""
    with clients_guard:
        mine = clients.setdefault(client, threading.Lock())
    waits: list[Any] = [mine, *([slow_places] if slow else []), places]
    held: list[Any] = []
    try:
        for one in waits:
            if not one.acquire(timeout=SECONDS_IN_LINE):
                counted["refused"] += 1
                raise Busy(gettext_noop("Others are being served; please ask again in a moment."))
            held.append(one)
        yield
    finally:
        for one in reversed(held):
            one.release()
        with clients_guard:
            if not mine.locked():
                clients.pop(client, None)


class Processes:
    """A pool of one process each, so that a job can go where one before it left something."""

    def __init__(self, count: int) -> None:
        self.pools = [
            ProcessPool(
                max_workers=1,
                max_tasks=JOBS_OF_A_PROCESS,
                initializer=begin,
                context=get_context("spawn"),  # a process with threads must not be forked
            )
            for _ in range(count)
        ]
        self._free = list(range(count))  # the one that was busy last comes last
        self._where: OrderedDict[Hashable, int] = OrderedDict()
        self._guard = threading.Lock()

    @contextmanager
    def one(self, near: Hashable) -> Iterator[ProcessPool]:
        """A free one: where `near` was asked before, else the one that rests longest. `in_line` sees that there is."""
        with self._guard:
            there = self._where.get(near)
            at = there if there in self._free else self._free[0]
            self._free.remove(at)
            if near is not None:
                self._where[near] = at
                self._where.move_to_end(near)
                while len(self._where) > MOST_PLACES_KNOWN:
                    self._where.popitem(last=False)
        try:
            yield self.pools[at]
        finally:
            with self._guard:
                self._free.append(at)

    def stop(self) -> None:
        """End them all."""
        for pool in self.pools:
            pool.stop()  # type: ignore[no-untyped-call]
            pool.join()


@lru_cache(maxsize=1)
def processes() -> Processes:
    """The processes; each starts when it is needed first."""
    return Processes(settings.HEAVY_PROCESSES)


def megabytes() -> int:
    """What one may have in memory beside its code."""
    return int(settings.HEAVY_BYTES // 1024**2)


# --- In a process of the pool -------------------------------------------------------------------------------------


def begin() -> None:
    """Load the code, then take no more memory than allowed; everybody else goes first."""
    import django

    django.setup()
    import_module(JOBS)
    os.nice(10)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        with open("/proc/self/statm") as sizes:
            now = int(sizes.read().split()[0]) * PAGE
        resource.setrlimit(resource.RLIMIT_AS, (now + settings.HEAVY_BYTES, resource.RLIM_INFINITY))


def bounded(seconds: int, language: str | None, job: Callable[..., Result], *args: Any) -> Result:
    """The job, in the visitor's language; the system ends this process when it takes too long."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(process_time()) + seconds + 1, hard))
    with translation.override(language):
        return job(*args)
