"""Cron schedules are read as robfig/cron reads them."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.apis.schedules import schedule_fields

FULL = (None,) * 4


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        ("@hourly", (frozenset({0}), *FULL)),
        ("0 ? * * *", (frozenset({0}), *FULL)),
        ("58-59,,*/30 * * * *", (frozenset({0, 30, 58, 59}), *FULL)),
        ("50/5 * * * *", (frozenset({50, 55}), *FULL)),
        ("* * */1 * mon-WED", (None, None, None, None, frozenset({1, 2, 3}))),
        ("* * * feb 0", (None, None, None, frozenset({2}), frozenset({0}))),
    ],
)
def test_fields(schedule: str, expected: Any) -> None:
    assert schedule_fields(schedule) == expected


UNREADABLE = """\
* * * *
@never
60 * * * *
* * 0 * *
* * * * 7
1/ * * * *
*/0 * * * *
5-1 * * * *
+1 * * * *
\u0661 * * * *
1-99999999999 * * * *
* * * janx *
a * * * *"""


@pytest.mark.parametrize("schedule", ["", *UNREADABLE.splitlines()])
def test_what_is_no_schedule(schedule: str) -> None:
    assert schedule_fields(schedule) is None
