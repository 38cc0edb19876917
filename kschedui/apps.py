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
        """Connect what applies to each connection to the database."""
        connection_created.connect(keep_no_queries)


def keep_no_queries(connection: BaseDatabaseWrapper, **signal: Any) -> None:
    """Neither format nor keep the texts of queries as Django does with DEBUG: those that store chunks are long."""
    if settings.DEBUG:
        connection.make_debug_cursor = connection.make_cursor  # type: ignore[assignment, method-assign] # of the instance
