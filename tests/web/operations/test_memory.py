"""What processes that serve for days must not keep."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection


@pytest.mark.django_db
def test_no_queries_are_kept_in_development(settings: Any) -> None:
    settings.DEBUG = True
    fresh = connection.copy()
    with fresh.cursor() as cursor:
        cursor.execute("SELECT %s", ["a chunk"])
    fresh.close()
    assert fresh.queries_logged
    assert not fresh.queries_log
