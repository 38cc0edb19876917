"""Celery tasks of experiments. Their queue has its own workers, which yield to everything else."""

import logging
import os
from time import monotonic
from typing import Any

from celery.signals import celeryd_after_setup
from django.db import Error

from kschedui.celery import app
from kschedui.experiments import store, worker

logger = logging.getLogger(__name__)

QUEUE = "experiments"
STAY_SECONDS = 60.0
NICE = 10  # so that other processes have priority on a busy processor


@app.task(name=store.TASK, acks_late=True, reject_on_worker_lost=True)
def work_on_experiments() -> None:
    """Work on queued batches until there are none, or until STAY_SECONDS have passed; then ask for another worker."""
    end = monotonic() + STAY_SECONDS
    try:
        while worker.serve():
            if monotonic() > end:  # the process may be replaced now
                store.request_workers("", 1)
                return
    except Error as error:
        logger.warning("no batch could be taken: %s", error)


@celeryd_after_setup.connect
def lower_priority(instance: Any, **_: object) -> None:
    """Lower the priority of a worker that serves only experiments, and of its pool."""
    if set(instance.app.amqp.queues.consume_from) == {QUEUE}:
        os.nice(NICE)
