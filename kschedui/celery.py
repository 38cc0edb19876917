"""The Celery application. Its settings are the CELERY_* names in settings.py."""

import os
from pathlib import Path
from typing import Any

from celery import Celery, Task
from celery.signals import worker_ready
from celery.worker.request import Request
from kombu.transport.virtual import QoS

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kschedui.settings")
os.environ.setdefault("CELERY_SKIP_CHECKS", "true")  # Django's system checks import every page

ALIVE_SECONDS = 5.0


class ForgettingRequest(Request):
    """A message that the worker stops counting once it is done, even if the broker cannot be notified.

    If an acknowledgement fails, Celery only logs it, and kombu continues to count the message as unacknowledged. A
    worker at its limit when the broker disconnected would then never ask for messages again, and would not notice the
    disconnect, since it notices only when it asks. A message that is delivered twice does no harm.
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
        """Stop counting the message as unacknowledged, even if the broker could not be notified."""
        if not self.message.acknowledged:
            QoS.ack(self.message.channel.qos, self.message.delivery_tag)


class ForgettingTask(Task):
    """The base class of all tasks."""

    Request = ForgettingRequest


app = Celery("kschedui", task_cls=ForgettingTask)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.imports = ["kschedui.runs.tasks", "kschedui.experiments.tasks", "kschedui.uploads.tasks"]


@worker_ready.connect
def show_life(sender: Any, **signal: Any) -> None:
    """Touch a file while the event loop runs; the supervisor and the container's health check watch it."""
    if name := os.environ.get("KSCHEDUI_WORKER_ALIVE_FILE"):
        Path(name).touch()
        sender.timer.call_repeatedly(ALIVE_SECONDS, Path(name).touch)
