"""The project's only Django app."""

from collections import deque
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created


class KscheduiConfig(AppConfig):
    """Registers models, templates and management commands under the label `kschedui`."""

    name = "kschedui"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect what applies to each connection to the database."""
        connection_created.connect(keep_no_queries)


def keep_no_queries(connection: BaseDatabaseWrapper, **signal: Any) -> None:
    """Do not keep the texts of queries: with DEBUG, Django keeps 9,000, and those that store chunks are long."""
    if settings.DEBUG:
        connection.queries_log = deque(maxlen=0)
