"""What Celery calls. Arguments are ids; each task may run twice without harm.

The worker's main process forks its pool, and an SQLite connection must not be carried across a fork: its locks are lost
and the file can be damaged. So the main process never touches the database; it only sends tasks, as its clock ticks.
"""

import logging
from typing import Any

from celery.signals import worker_ready
from django.conf import settings
from django.db import Error

from kschedui.celery import app
from kschedui.runs import store as runs
from kschedui.runs import worker
from kschedui.scenarios import access
from kschedui.scenarios import store as scenarios

logger = logging.getLogger(__name__)

PURGE_SECONDS = 3600.0


@app.task(name="kschedui.tasks.simulate_run", acks_late=True, reject_on_worker_lost=True)
def simulate_run(public_id: str) -> None:
    """Simulate a run and store its trace; does nothing when it is ended or another worker holds it."""
    worker.execute(public_id)


@app.task(name="kschedui.tasks.reap")
def reap() -> None:
    """Queue lost runs again within seconds; the broker's own redelivery to a killed worker takes hours."""
    try:
        runs.requeue_lost()
    except Error as error:  # a database that is away for a while is waited for
        logger.warning("lost runs were not looked for: %s", error)


@app.task(name="kschedui.tasks.purge")
def purge() -> None:
    """Remove what was deleted long ago, previews of yesterday, and sessions that have expired."""
    try:
        scenarios.purge()
        access.forget_sessions()
    except Error as error:
        logger.warning("what was deleted long ago was not removed: %s", error)


@worker_ready.connect
def tick(sender: Any, **_: object) -> None:
    """Send the housekeeping tasks as time goes on; one that no pool process takes before the next is dropped."""
    for task, seconds in ((reap, settings.REAPER_SECONDS), (purge, PURGE_SECONDS)):
        sender.timer.call_repeatedly(seconds, task.apply_async, kwargs={"expires": seconds})
