"""The project's only Django app."""

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
        """Disable the query log of each new database connection."""
        connection_created.connect(disable_query_log)


def disable_query_log(connection: BaseDatabaseWrapper, **signal: Any) -> None:
    """Disable the log of queries that Django keeps with DEBUG: the queries that store chunks are long."""
    if settings.DEBUG:
        connection.make_debug_cursor = connection.make_cursor  # type: ignore[assignment, method-assign] # of the instance
