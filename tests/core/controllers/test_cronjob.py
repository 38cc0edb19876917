"""CronJobs: when their Jobs begin, and what happens to those that still run."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core import ScenarioErrors
from scheduler_core.controllers.cronjob import most_recent_time
from tests.core.controllers.worlds import node, rows, template

Manifest = dict[str, Any]
Rows = list[dict[str, Any]]


def cron_job(run_seconds: float, schedule: str = "* * * * *", **spec: Any) -> Manifest:
    of = template("hello", "100m", annotations={"run-seconds": str(run_seconds)}, restartPolicy="Never")
    body = {"schedule": schedule, "jobTemplate": {"spec": {"template": of}}, **spec}
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "hello"}, "spec": body}


def run(job: Manifest, until: int, *events: Manifest) -> Rows:
    return rows(node("n1"), job, events=list(events), untilSeconds=until)


def begun(found: Rows) -> list[float]:
    return [round(row["t"], 1) for row in found if row["what"] == "created" and row["kind"] == "Job"]


def reasons(found: Rows) -> list[str]:
    events = [row for row in found if row["what"] == "event" and row["kind"] == "CronJob"]
    return [row["details"]["reason"] for row in events]


def test_a_job_begins_a_tenth_of_a_second_after_its_minute() -> None:
    found = run(cron_job(5), 130)
    assert begun(found) == [60.1, 120.1]
    assert reasons(found) == ["SuccessfulCreate", "SawCompletedJob", "SuccessfulCreate", "SawCompletedJob"]


def test_with_forbid_the_missed_job_begins_when_the_running_one_has_finished() -> None:
    """The first runs from 60 to 147: the one that was due at 120 begins then, and at 180 it still runs."""
    found = run(cron_job(85, concurrencyPolicy="Forbid"), 200)
    assert [int(at) for at in begun(found)] == [60, 147]
    assert reasons(found)[:4] == ["SuccessfulCreate", "JobAlreadyActive", "SawCompletedJob", "SuccessfulCreate"]


def test_with_forbid_and_a_deadline_a_missed_job_does_not_begin_late() -> None:
    found = run(cron_job(85, concurrencyPolicy="Forbid", startingDeadlineSeconds=20), 200)
    assert begun(found) == [60.1, 180.1]
    assert reasons(found) == ["SuccessfulCreate", "JobAlreadyActive", "SawCompletedJob", "SuccessfulCreate"]


def test_with_replace_the_running_job_is_deleted() -> None:
    found = run(cron_job(85, concurrencyPolicy="Replace"), 130)
    assert begun(found) == [60.1, 120.1]
    assert reasons(found) == ["SuccessfulCreate", "SuccessfulDelete", "SuccessfulCreate"]


def test_an_active_job_that_is_deleted_went_missing() -> None:
    found = run(cron_job(85), 80, {"at": 70, "deleteFirst": "Job"})
    assert reasons(found) == ["SuccessfulCreate", "MissingJob"]


@pytest.mark.parametrize(
    ("schedule", "after", "now", "expected"),
    [
        ("* * * * *", 0, 59, None),
        ("* * * * *", 0, 60, 60),
        ("* * * * *", 0, 1e6, 999960),
        ("0 0 * * *", 0, 86399, None),
        ("0 0 * * *", 0, 200000, 172800),
        ("30 6-16/4 * * 1-5", 0, 86400, 52200),
        ("0 0 31 2 *", 0, 1e6, None),
    ],
)
def test_the_most_recent_time(schedule: str, after: float, now: float, expected: float | None) -> None:
    assert most_recent_time(schedule, after, now) == expected


@pytest.mark.parametrize("schedule", ["* * * * 7", "@never", "a b c d e", "1/ * * * *"])
def test_a_schedule_that_cannot_be_read_is_refused(schedule: str) -> None:
    with pytest.raises(ScenarioErrors, match="expected five fields"):
        run(cron_job(5, schedule), 10)
