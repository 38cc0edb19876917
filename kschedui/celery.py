"""The Celery application. Its settings are the CELERY_* names in settings.py."""

import os
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import worker_ready

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kschedui.settings")

ALIVE_SECONDS = 5.0

app = Celery("kschedui")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.imports = ["kschedui.runs.tasks", "kschedui.experiments.tasks"]


@worker_ready.connect
def show_life(sender: Any, **signal: Any) -> None:
    """Touch a file now, and while the event loop turns: the supervisor and the container's health check look at it."""
    if name := os.environ.get("KSCHEDUI_WORKER_ALIVE_FILE"):
        Path(name).touch()
        sender.timer.call_repeatedly(ALIVE_SECONDS, Path(name).touch)
