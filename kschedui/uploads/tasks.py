"""Celery tasks for uploads, which share the queue and the places of long runs."""

import logging
from typing import Any

from celery.signals import worker_ready
from django.conf import settings
from django.db import Error

from kschedui.celery import ReapingTask, app, serves
from kschedui.models import Upload
from kschedui.runs import leases, long_run_slots
from kschedui.runs import store as runs
from kschedui.uploads import store, worker

logger = logging.getLogger(__name__)

FORGETTING_SECONDS = 3600.0


@app.task(name=store.TASK, acks_late=True, reject_on_worker_lost=True)
def answer_uploads() -> None:
    """Answer the next upload if there is a place for it, and notify again: there may be more."""
    try:
        with long_run_slots.held() as free:
            served = free and worker.serve()
        if served:
            store.tell()
            runs.enqueue("")  # while the upload held this place, the run of what it saved found none
    except Error as error:
        logger.warning("no upload could be taken: %s", error)


@app.task(name="kschedui.tasks.reap_uploads", base=ReapingTask)
def reap_uploads() -> bool:
    """Queue lost uploads again within seconds. Return whether there are uploads."""
    try:
        store.requeue_lost()
        return leases.is_any_left(Upload)
    except Error as error:
        logger.warning("lost uploads were not looked for: %s", error)
        return True


@app.task(name="kschedui.tasks.forget_uploads")
def forget_uploads() -> None:
    """Remove old uploads."""
    try:
        store.forget()
    except Error as error:
        logger.warning("old uploads were not removed: %s", error)


@worker_ready.connect
def tick(sender: Any, **_: object) -> None:
    """Send the housekeeping tasks at regular intervals."""
    if serves(sender, settings.CELERY_TASK_DEFAULT_QUEUE):
        sender.timer.call_repeatedly(settings.REAPER_SECONDS, reap_uploads.tick)
        sender.timer.call_repeatedly(
            FORGETTING_SECONDS, forget_uploads.apply_async, kwargs={"expires": FORGETTING_SECONDS}
        )
