"""The Celery application. Its settings are the CELERY_* names in settings.py."""

import gc
import os
from mmap import mmap
from pathlib import Path
from time import monotonic
from typing import Any

from celery import Celery, Task
from celery.signals import worker_init, worker_ready
from celery.worker.request import Request
from django.conf import settings
from kombu.transport.virtual import QoS

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kschedui.settings")
os.environ.setdefault("CELERY_SKIP_CHECKS", "true")  # Django's system checks import every page

ALIVE_SECONDS = 5.0
ALIVE_FILE = "KSCHEDUI_WORKER_ALIVE_FILE"  # in the environment


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


class ReapingTask(ForgettingTask):
    """A task that looks for lost work, and returns whether there is any work.

    It runs every `REAPER_SECONDS` while there is, and otherwise once in the time of a lease, so that work that begins
    is known before its first lease can expire. It runs in a process of the pool, whose answer the main process reads in
    memory that both share since the fork.
    """

    due = 0.0

    def __init__(self) -> None:
        self.shared = mmap(-1, 1)
        self.busy = True

    def __call__(self, *args: Any, **kwargs: Any) -> bool:
        self.busy = super().__call__(*args, **kwargs)
        return self.busy

    @property
    def busy(self) -> bool:
        """Return whether there was work when the task last ran."""
        return bool(self.shared[0])

    @busy.setter
    def busy(self, busy: bool) -> None:
        self.shared[0] = busy

    def tick(self) -> None:
        """Send the task if it is due. A task that no process takes before the next one is dropped."""
        now = monotonic()
        if self.busy or now >= self.due:
            self.due = now + settings.RUN_LEASE_SECONDS
            self.apply_async(expires=settings.REAPER_SECONDS)


app = Celery("kschedui", task_cls=ForgettingTask)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.imports = [
    "kschedui.runs.tasks",
    "kschedui.experiments.tasks",
    "kschedui.uploads.tasks",
    "kschedui.housekeeping",
]


@worker_ready.connect
def touch_alive_file(sender: Any, **signal: Any) -> None:
    """Touch a file while the event loop runs; the supervisor and the container's health check watch it."""
    if name := os.environ.get(ALIVE_FILE):
        Path(name).touch()
        sender.timer.call_repeatedly(ALIVE_SECONDS, Path(name).touch)


@worker_init.connect
def share_memory(**_: object) -> None:
    """Exclude what is loaded from garbage collection, so that collecting does not copy what the pool shares."""
    gc.collect()
    gc.freeze()
