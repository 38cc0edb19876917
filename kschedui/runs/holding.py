"""Holds a row while it is worked on: a timer renews the lease, however long parsing or an event takes.

The timer also ends work that exceeds its time limit: it stores an error and ends the process, since nothing else stops
busy Python code.
"""

import logging
import os
import threading
from collections.abc import Callable
from time import monotonic
from types import TracebackType

from django.conf import settings
from django.db import Error, connection

from kschedui.runs import leases
from kschedui.runs.bounds import Bounds
from kschedui.scenarios.engine import setting_of
from scheduler_core.apis.messages import Message

logger = logging.getLogger(__name__)

GRACE_SECONDS = 30  # after a limit that the simulation keeps itself, between two events


class Holding:
    """Renews the lease inside `with`. When another worker holds the row, `lost` is set and `on_loss` is called.

    `fail` stores the error of work that is stuck.
    """

    def __init__(
        self, row: leases.Row, fail: Callable[[Message], None], on_loss: Callable[[], object] | None = None
    ) -> None:
        self.row = row
        self.fail = fail
        self.on_loss = on_loss
        self.lost = False
        self.limit: tuple[float, Message] | None = None  # until when, and the sentence after that
        self.over = threading.Event()
        self.timer = threading.Thread(target=self.renew, name=f"lease of {row}", daemon=True)

    def __enter__(self) -> "Holding":
        self.timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.over.set()
        self.timer.join()

    def limit_reading(self) -> None:
        """Start the time limit for reading the text."""
        most = settings.LIMITS["read_seconds"]
        sentence = Message(
            "Reading the text was stopped after {most:,} seconds, which is the limit ({setting}).",
            most=most,
            setting=setting_of("read_seconds"),
        )
        self.limit = monotonic() + most, sentence

    def limit_simulation(self, bounds: Bounds) -> None:
        """Start the time limit for the simulation: that of its bounds, plus some time in which it stops itself."""
        most = bounds.seconds + GRACE_SECONDS
        sentence = Message(
            "The run was stopped: it made no progress for {most:,} seconds. "
            "The limit is {limit:,} seconds ({setting}).",
            most=most,
            limit=bounds.seconds,
            setting=bounds.setting("seconds"),
        )
        self.limit = monotonic() + most, sentence

    def renew(self) -> None:
        """Renew the lease at intervals until the work is over, and end work at its time limit; runs in a thread."""
        try:
            while not self.over.wait(settings.RUN_LEASE_SECONDS / 3):
                if self.limit and monotonic() > self.limit[0]:
                    self.give_up(self.limit[1])
                try:
                    leases.renew(self.row)
                except Error as error:  # the database is away for a moment
                    logger.warning("the lease of %s was not renewed: %s", self.row, error)
        except leases.Lost:
            self.lost = True
            if self.on_loss:
                self.on_loss()
        finally:
            connection.close()  # this thread's own

    def give_up(self, sentence: Message) -> None:
        """Store the error and end this process; the pool starts another."""
        try:
            self.fail(sentence)
        except (leases.Lost, Error) as error:
            logger.warning("%s was stuck and could not be ended: %s", self.row, error)
        end_process()


def end_process() -> None:
    """End this process immediately: its work cannot be interrupted."""
    os._exit(70)
