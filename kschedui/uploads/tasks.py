"""Celery tasks for uploads, which share the queue and the slots of long runs."""

import logging
from typing import Any

from celery.signals import task_postrun
from django.db import Error

from kschedui.celery import app
from kschedui.runs import long_run_slots
from kschedui.runs import store as runs
from kschedui.uploads import store, worker

logger = logging.getLogger(__name__)


@app.task(name=store.TASK, acks_late=True, reject_on_worker_lost=True)
def answer_uploads() -> None:
    """Answer the next upload if there is a slot for it; then notify workers again, since there may be more."""
    try:
        with long_run_slots.held() as free:
            served = free and worker.serve()
        if served:
            store.request_worker()
        if free:
            runs.enqueue("")  # a run that came while this task held the slot found none
    except Error as error:
        logger.warning("no upload could be taken: %s", error)


@task_postrun.connect
def end_idle_server(**_: object) -> None:
    """Give back the memory of an upload's server; at rest, the search for lost work is the task that does this."""
    worker.server.end_if_idle()


@task_postrun.connect
def request_worker_after_run(sender: Any, **_: object) -> None:
    """Notify a worker if an upload is queued. While the run held the slot, the upload's own message found none."""
    if sender.name != runs.TASK:
        return
    try:
        if store.has_queued():
            store.request_worker()
    except Error as error:
        logger.warning("no upload could be looked for: %s", error)
