"""Database connections keep no list of their queries, also in development."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection


@pytest.mark.django_db
def test_queries_are_neither_formatted_nor_kept_in_development(settings: Any) -> None:
    settings.DEBUG = True
    fresh = connection.copy()
    fresh.ops.last_executed_query = None  # it would format a query
    with fresh.cursor() as cursor:
        cursor.execute("SELECT %s", ["a chunk"])
    fresh.close()
    assert fresh.queries_logged
    assert not fresh.queries_log
