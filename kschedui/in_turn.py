"""Limits that hold when many requests come at once: to count and then to write takes place one request at a time."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def in_turn(name: str) -> Iterator[None]:
    """A transaction that waits for the end of all others of the same name, in any process.

    SQLite has one writer at a time anyway (database_url.py: transactions begin with the lock); PostgreSQL has advisory
    locks, which end with the transaction.
    """
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])
        yield
