"""Limits that hold for concurrent requests: counting and then writing is done by one request at a time."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def in_turn(name: str) -> Iterator[None]:
    """Open a transaction that waits for all others with the same name, in any process.

    SQLite has only one writer at a time (database_url.py: transactions begin with the lock); PostgreSQL has advisory
    locks, which end with the transaction.
    """
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])
        yield
