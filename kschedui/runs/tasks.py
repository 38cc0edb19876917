"""Celery tasks of runs. Arguments are ids; every task is idempotent."""

import logging
import os
from typing import Any

from celery.signals import celeryd_after_setup, worker_process_init, worker_shutdown
from django.conf import settings
from django.db import Error

from kschedui.celery import app
from kschedui.runs import long_run_slots, worker
from kschedui.runs import store as runs
from kschedui.work import limits

logger = logging.getLogger(__name__)

NICE = 5


@app.task(name=runs.TASK, acks_late=True, reject_on_worker_lost=True)
def work_on_runs() -> None:
    """Simulate the run whose turn it is, then notify workers again, since there may be more.

    In between, an upload can take the slot.
    """
    try:
        if worker.serve():
            runs.enqueue("")
    except Error as error:
        logger.warning("no run could be taken: %s", error)


@celeryd_after_setup.connect
def make_slots(instance: Any, **_: object) -> None:
    """Create the slots for long runs: one process of the pool stays free for short ones."""
    long_run_slots.make(max(1, (instance.concurrency or 1) - 1))


@worker_process_init.connect
def lower_priority(**_: object) -> None:
    """Lower the priority of this process: pages come first, then runs, then experiments and slow work."""
    os.nice(NICE)


@worker_process_init.connect
def limit_memory(**_: object) -> None:
    """Limit the memory of each process of the pool, so that a run fails with a sentence and the machine survives."""
    limits.limit_memory(settings.LIMITS["run_memory_bytes"])


@worker_shutdown.connect
def remove_slots(**_: object) -> None:
    """Remove the slots of this worker when it ends."""
    long_run_slots.remove()
