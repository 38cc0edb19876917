"""Hold a run while it is worked on: a timer renews the lease, however long reading a text or one event takes.

What takes longer than it may is ended by the timer too: the run fails with a sentence, and the process ends, since
nothing else stops Python code that is busy.
"""

import logging
import os
import threading
from time import monotonic
from types import TracebackType

from django.conf import settings
from django.db import Error, connection

from kschedui.models import Run
from kschedui.runs import store as runs
from scheduler_core.apis.messages import Message

logger = logging.getLogger(__name__)

GRACE_SECONDS = 30  # after a limit that the simulation keeps itself, between two events


class Holding:
    """Renews from `with` on; `lost` tells that the run is not ours any more. `reading` until `has_read`."""

    def __init__(self, run: Run, seconds: float) -> None:
        self.run = run
        self.seconds = seconds  # of simulation
        self.lost = False
        most = settings.LIMITS["read_seconds"]
        sentence = Message("The text was given up after {most:,} seconds of reading, which is the limit.", most=most)
        self.limit = monotonic() + most, sentence
        self.over = threading.Event()
        self.timer = threading.Thread(target=self.renew, name=f"lease of {run.public_id}", daemon=True)

    def __enter__(self) -> "Holding":
        self.timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.over.set()
        self.timer.join()

    def has_read(self) -> None:
        """From now on it is simulated."""
        most = round(self.seconds + GRACE_SECONDS)
        self.limit = (
            monotonic() + most,
            Message("The run was given up: it was stuck after {most:,} seconds.", most=most),
        )

    def renew(self) -> None:
        """What the timer does."""
        try:
            while not self.over.wait(settings.RUN_LEASE_SECONDS / 3):
                end, sentence = self.limit
                if monotonic() > end:
                    self.give_up(sentence)
                try:
                    runs.renew(self.run)
                except Error as error:  # the database is away for a moment
                    logger.warning("the lease of run %s was not renewed: %s", self.run.public_id, error)
        except runs.LostRun:
            self.lost = True
        finally:
            connection.close()  # this thread's own

    def give_up(self, sentence: Message) -> None:
        """The run fails, and this process ends; the pool starts another."""
        try:
            runs.fail(self.run, sentence)
        except (runs.LostRun, Error) as error:
            logger.warning("run %s was stuck and could not be ended: %s", self.run.public_id, error)
        end_process()


def end_process() -> None:
    """At once: what this process does cannot be interrupted."""
    os._exit(70)
