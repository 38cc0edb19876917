"""What processes that serve for days must not keep."""

from __future__ import annotations

from collections import deque
from typing import Any

import pytest
from django.db import connection


@pytest.mark.django_db(transaction=True)
def test_no_queries_are_kept_in_development(settings: Any) -> None:
    settings.DEBUG = True
    kept = connection.queries_log
    connection.close()
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT %s", ["a chunk"])
        assert connection.queries_logged
        assert connection.queries_log == deque()
    finally:
        connection.close()
        connection.queries_log = kept
