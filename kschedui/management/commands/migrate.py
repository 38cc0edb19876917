"""Django's `migrate`, by one process at a time: replicas that start together would all create the same tables."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.commands import migrate
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

LOCK = 0x6B736368  # of PostgreSQL's advisory locks


class Command(migrate.Command):
    """Wait for another process that migrates this database, and then do what is left."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate while no other process does."""
        with alone(connections[options["database"]]):
            super().handle(*args, **options)


@contextmanager
def alone(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Hold the lock of the database, which ends with the process at the latest."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        try:
            yield
        finally:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
    elif connection.is_in_memory_db():  # type: ignore[attr-defined] # of a test
        yield
    else:  # not the file itself: SQLite's own locks would end when it is closed here
        folder = os.open(Path(connection.settings_dict["NAME"]).resolve().parent, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)
