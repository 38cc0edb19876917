"""The Celery application. Its settings are the CELERY_* names in settings.py."""

import os
from pathlib import Path
from typing import Any

from celery import Celery, Task
from celery.signals import worker_ready
from celery.worker.request import Request
from kombu.transport.virtual import QoS

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kschedui.settings")

ALIVE_SECONDS = 5.0


class ForgettingRequest(Request):  # type: ignore[misc]
    """A message that the worker stops counting once it is done, even if the broker cannot be told.

    Celery only logs an acknowledgement that fails, and kombu goes on counting the message among those that the worker
    has at hand. A worker that had as many as it may have when the broker went away would ask it for nothing any more,
    nor notice that it was away: that shows as it asks. A message that comes a second time does no harm.
    """

    def acknowledge(self) -> None:
        """Acknowledge the message to the broker."""
        super().acknowledge()
        self.forget()

    def reject(self, requeue: bool = False) -> None:
        """Reject the message, so that the broker gives it to another worker."""
        super().reject(requeue)
        self.forget()

    def forget(self) -> None:
        """Stop counting the message as unacknowledged, even if the broker could not be told."""
        if not self.message.acknowledged:
            QoS.ack(self.message.channel.qos, self.message.delivery_tag)  # type: ignore[no-untyped-call]


class ForgettingTask(Task):  # type: ignore[misc]
    """The base class of all our tasks."""

    Request = ForgettingRequest


app = Celery("kschedui", task_cls=ForgettingTask)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.imports = ["kschedui.runs.tasks", "kschedui.experiments.tasks", "kschedui.uploads.tasks"]


@worker_ready.connect
def show_life(sender: Any, **signal: Any) -> None:
    """Touch a file now, and while the event loop turns: the supervisor and the container's health check look at it."""
    if name := os.environ.get("KSCHEDUI_WORKER_ALIVE_FILE"):
        Path(name).touch()
        sender.timer.call_repeatedly(ALIVE_SECONDS, Path(name).touch)
