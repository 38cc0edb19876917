"""The workers' housekeeping: lost work is queued again, and what was deleted long ago is removed.

A worker's main process forks its pool, and an SQLite connection must not be carried across a fork: its locks are lost
and the file can be damaged. So the main process never uses the database; it only sends tasks at regular intervals.
"""

import logging
from typing import Any

from celery.signals import worker_ready
from django.conf import settings
from django.db import Error

from kschedui.celery import ReapingTask, app
from kschedui.classrooms import store as classrooms
from kschedui.experiments import worker as experiments
from kschedui.models import Experiment, Run, Upload
from kschedui.runs import store as runs
from kschedui.runs.steady_clock import clock
from kschedui.scenarios import access, idempotency
from kschedui.scenarios import store as scenarios
from kschedui.uploads import store as uploads

logger = logging.getLogger(__name__)

PURGE_SECONDS = 3600.0


@app.task(name="kschedui.tasks.reap", base=ReapingTask)
def reap() -> bool:
    """Queue lost work again within seconds, and cancel previews that nobody looks at any more.

    The broker's own redelivery after a crash takes hours.
    Return whether there is any work; True if the database is unavailable.
    """
    try:
        if not has_unfinished_work():
            return False
        if clock.has_been_steady(runs.UNSEEN.total_seconds()):  # else nobody had time to look at them since it was set
            runs.cancel_unseen_previews()
        requeue_lost()
        return True
    except Error as error:  # the database is unavailable; the next task tries again
        logger.warning("lost work was not looked for: %s", error)
        return True


@app.task(name="kschedui.tasks.purge")
def purge() -> None:
    """Remove what was deleted long ago, and what has expired."""
    try:
        remove_old()
    except Error as error:
        logger.warning("what was deleted long ago was not removed: %s", error)


def has_unfinished_work() -> bool:
    """Return whether there are runs, uploads or experiments that have not ended."""
    going_on = [Run.State.QUEUED, Run.State.RUNNING]
    return any(kind.objects.filter(state__in=going_on).exists() for kind in (Run, Upload, Experiment))


def requeue_lost() -> int:
    """Queue lost runs, batches of experiments and uploads again. Return the number of runs."""
    experiments.requeue_lost()
    uploads.requeue_lost()
    return runs.requeue_lost()


def remove_old() -> int:
    """Remove what was deleted long ago or has expired. Return the number of scenarios."""
    classrooms.purge()
    access.forget_sessions()
    idempotency.forget()
    uploads.forget()
    return scenarios.purge()


@worker_ready.connect
def tick(sender: Any, **_: object) -> None:
    """Send the tasks at regular intervals, but not to the workers of experiments, which may all be busy for long."""
    if settings.CELERY_TASK_DEFAULT_QUEUE in sender.app.amqp.queues.consume_from:
        sender.timer.call_repeatedly(settings.REAPER_SECONDS, reap.tick)
        sender.timer.call_repeatedly(PURGE_SECONDS, purge.apply_async, kwargs={"expires": PURGE_SECONDS})
