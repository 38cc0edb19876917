"""Celery tasks of runs. Arguments are ids; every task is idempotent.

The worker's main process forks its pool, and an SQLite connection must not be carried across a fork: its locks are lost
and the file can be damaged. So the main process never uses the database; it only sends tasks at regular intervals.
"""

import logging
import os
from time import monotonic
from typing import Any

from celery.signals import celeryd_after_setup, worker_process_init, worker_ready, worker_shutdown
from django.conf import settings
from django.db import Error

from kschedui.celery import ReapingTask, app, serves
from kschedui.classrooms import store as classrooms
from kschedui.models import Run
from kschedui.runs import leases, long_run_slots, worker
from kschedui.runs import store as runs
from kschedui.runs.steady_clock import clock
from kschedui.scenarios import access, idempotency
from kschedui.scenarios import store as scenarios
from kschedui.work import limits

logger = logging.getLogger(__name__)

NICE = 5
PURGE_SECONDS = 3600.0
STAY_SECONDS = 60.0


@app.task(name=runs.TASK, acks_late=True, reject_on_worker_lost=True)
def work_on_runs() -> None:
    """Simulate the runs whose turn it is, one after another; does nothing if this worker cannot take any."""
    end = monotonic() + STAY_SECONDS
    try:
        while worker.serve():
            if monotonic() > end:  # the process may be replaced now
                runs.enqueue("")
                return
    except Error as error:
        logger.warning("no run could be taken: %s", error)


@app.task(name="kschedui.tasks.reap", base=ReapingTask)
def reap() -> bool:
    """Queue lost runs again within seconds; the broker's own redelivery after a crash takes hours.

    Return whether there are runs.
    """
    try:
        if clock.has_been_steady(runs.UNSEEN.total_seconds()):  # else nobody had time to look at them since it was set
            runs.cancel_unseen_previews()
        runs.requeue_lost()
        return leases.is_any_left(Run)
    except Error as error:  # a database that is away for a while is waited for
        logger.warning("lost runs were not looked for: %s", error)
        return True


@app.task(name="kschedui.tasks.purge")
def purge() -> None:
    """Remove what was deleted long ago, old previews and classes, and expired sessions."""
    try:
        scenarios.purge()
        classrooms.purge()
        access.forget_sessions()
        idempotency.forget()
    except Error as error:
        logger.warning("what was deleted long ago was not removed: %s", error)


@celeryd_after_setup.connect
def make_places(instance: Any, **_: object) -> None:
    """Reserve one process of the pool for the short lane."""
    long_run_slots.make(max(1, (instance.concurrency or 1) - 1))


@worker_process_init.connect
def make_way(**_: object) -> None:
    """Lower the priority of this process: pages come first, then runs, then experiments and slow work."""
    os.nice(NICE)


@worker_process_init.connect
def limit_memory(**_: object) -> None:
    """Limit the memory of each process of the pool, so that a run fails with a sentence and the machine survives."""
    limits.limit_memory(settings.LIMITS["run_memory_bytes"])


@worker_shutdown.connect
def remove_places(**_: object) -> None:
    """Remove the places of this worker when it ends."""
    long_run_slots.remove()


@worker_ready.connect
def tick(sender: Any, **_: object) -> None:
    """Send the housekeeping tasks at regular intervals."""
    if serves(sender, settings.CELERY_TASK_DEFAULT_QUEUE):
        sender.timer.call_repeatedly(settings.REAPER_SECONDS, reap.tick)
        sender.timer.call_repeatedly(PURGE_SECONDS, purge.apply_async, kwargs={"expires": PURGE_SECONDS})
