"""A process that does one piece of work after another, and its handle.

It is forked from a server that has loaded the code and has no threads (multiprocessing's forkserver), so that it starts
in a few milliseconds and shares the server's memory.
"""

import gc
import os
import resource
import signal
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from time import monotonic, process_time
from typing import Any, NamedTuple

from django.conf import settings

from kschedui.work import limits
from kschedui.work.client_disconnect import ClientDisconnect
from kschedui.work.fetched import call
from kschedui.work.rare_collection import collect_garbage, rare_collection

WORKS = 200  # of one process, so that memory that a large one left does not stay in use
QUICK_NICE, SLOW_NICE = 2, 10  # pages have priority over quick work, and everything else has priority over slow work
LONGEST = 128 * limits.MEGABYTE  # answer
PRELOADED = "kschedui.work.preloaded"


class Allowance(NamedTuple):
    """The limits of a piece of work, with the setting of each."""

    seconds: int  # of processor time
    seconds_setting: str
    memory: int  # bytes beside the code
    memory_setting: str

    @classmethod
    def of(cls, seconds: int, setting: str) -> "Allowance":
        """Return the allowance with the memory in the settings."""
        return cls(seconds, setting, settings.LIMITS["work_bytes"], "KSCHEDUI_MAX_WORK_BYTES")


class Ended(Exception):
    """The process was ended, or failed, before its work was done."""


class Worker:
    """A worker process; started on first use, and again after it has ended.

    For one thread at a time. `took` is the processor time of the last work. `modules`: those that its server loads
    beside the settings' WORK_MODULES; a server is started with those of the first worker.
    """

    def __init__(self, memory: int, *, slow: bool, modules: Sequence[str] = ()) -> None:
        self.memory = memory
        self.modules = modules
        self.slow = slow
        self.took = 0.0
        self._process: Any = None
        self._connection: Connection | None = None
        self._done = 0
        self._starting = threading.Lock()

    def run(
        self,
        allowance: Allowance,
        disconnect: ClientDisconnect,
        language: str | None,
        function: Callable[..., Any],
        args: Sequence[Any],
    ) -> Any:
        """Return the function's result, or raise its error.

        Raises TooMuch, and Ended if the client has disconnected or the process was killed.
        """
        begun, self.took = monotonic(), 0.0
        if self._done >= WORKS:
            self.stop()
        try:
            connection = self._ready()
            with disconnect.calling(self._kill):
                if disconnect.occurred:
                    raise Ended
                connection.send((allowance.seconds, language, function, args))
                kind, value, self.took = self._answer(connection, limits.longest(allowance.seconds))
        except (EOFError, OSError):
            raise self._end(allowance, monotonic() - begun) from None
        self._done += 1
        if kind == "memory":
            raise limits.too_many_bytes(allowance.memory, allowance.memory_setting)
        if kind == "raised":
            raise rebuild(*value)
        return value

    def stop(self) -> None:
        """End the process and forget it."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.join()
            process.close()
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._done = 0

    def start(self) -> None:
        """Start the process before it is needed, unless the site is already stopping."""
        with suppress(EOFError, OSError):
            self._ready()

    def _ready(self) -> Connection:
        with self._starting:
            if self._process is not None and not self._process.is_alive():  # it was idle
                self.stop()
            if self._connection is None:
                context = get_context("forkserver")
                context.set_forkserver_preload([PRELOADED, *self.modules])
                ours, theirs = context.Pipe()
                arguments = (theirs, self.memory, self.slow, settings.WORK_IDLE_SECONDS)
                process = context.Process(target=serve, args=arguments, daemon=True)
                process.start()
                theirs.close()
                self._process, self._connection = process, ours
            return self._connection

    def _kill(self) -> None:
        self._process.kill()

    def _answer(self, connection: Connection, seconds: float) -> Any:
        """Return (kind, value, seconds of processor time). Raises EOFError or OSError if the process ended."""
        if not connection.poll(seconds):
            self._kill()
        return connection.recv()

    def _end(self, allowance: Allowance, clock: float) -> Exception:
        """Return the error for a process that could not start, or ended before its work was done."""
        process = self._process
        if process is None:  # the server that it is forked from was killed
            return Ended()
        process.join()
        code = process.exitcode
        self.stop()
        self.took = float(allowance.seconds)
        if code == -signal.SIGXCPU:
            return limits.too_many_seconds(allowance.seconds, allowance.seconds_setting)
        if clock >= limits.longest(allowance.seconds):
            return limits.too_long(allowance.seconds, allowance.seconds_setting)
        return Ended()


# --- In the process -----------------------------------------------------------------------------------------------


def serve(connection: Connection, memory: int, slow: bool, idle: float) -> None:
    """Do work as it arrives, until the other end is closed or none has come for `idle` seconds."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else signal.SIG_DFL)
    os.nice(SLOW_NICE if slow else QUICK_NICE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limits.limit_memory(memory)
    while True:
        try:
            if not connection.poll(idle):
                return
            seconds, language, function, args = connection.recv()
        except (EOFError, OSError):
            return
        limits.limit_processor(seconds)
        begun = process_time()
        with rare_collection():
            kind, value = outcome(language, function, args)
            try:
                connection.send_bytes(pack(kind, value, process_time() - begun))
            except OSError:
                return
        del args, value
        collect_garbage(process_time() - begun)  # nobody waits for it


def pack(kind: str, value: Any, seconds: float) -> Any:
    """Return the pickled result; one that is too large or cannot be pickled becomes an error."""
    try:
        data = ForkingPickler.dumps((kind, parts_of(value) if kind == "raised" else value, seconds))
    except MemoryError:
        return ForkingPickler.dumps(("memory", None, seconds))
    except Exception as error:
        unsent = RuntimeError(f"an answer that cannot travel: {error}")
        return ForkingPickler.dumps(("raised", parts_of(unsent), seconds))
    return data if len(data) <= LONGEST else ForkingPickler.dumps(("memory", None, seconds))


def parts_of(error: Exception) -> tuple[type[Exception], tuple[Any, ...], dict[str, Any]]:
    """Return the parts from which an error can be rebuilt.

    A pickled error is rebuilt by its class from `args` alone, which not every class supports.
    """
    return type(error), error.args, vars(error)


def rebuild(kind: type[Exception], args: tuple[Any, ...], attributes: dict[str, Any]) -> Exception:
    """Return the error that consists of these parts."""
    try:
        error = kind(*args)
    except TypeError:
        error = kind.__new__(kind, *args)
    error.args = args
    vars(error).update(attributes)
    return error


def outcome(language: str | None, function: Callable[..., Any], args: Sequence[Any]) -> tuple[str, Any]:
    """Run the work. Return "done" and its result, "raised" and its exception, or "memory" and None."""
    from django.db import connections
    from django.utils import translation

    try:
        with translation.override(language):
            return "done", call(function, args)
    except MemoryError:
        gc.collect()
        return "memory", None
    except Exception as error:
        return "raised", error
    finally:
        connections.close_all()  # the next work must not use the connections of a database that was restarted
