"""A worker looks for lost work often while there is work, and rarely while there is none."""

import os
from collections.abc import Callable
from typing import Any

import pytest

from kschedui import celery, housekeeping
from kschedui.celery import ReapingTask
from kschedui.models import Run, Version
from kschedui.runs import store as runs
from kschedui.runs import worker


def test_the_task_tells_whether_there_are_runs(keep: Callable[..., Version]) -> None:
    assert housekeeping.reap() is False
    run = runs.start_run(keep())
    assert housekeeping.reap() is True
    Run.objects.filter(pk=run.pk).update(state=Run.State.RUNNING)
    assert housekeeping.reap() is True
    Run.objects.filter(pk=run.pk).update(state=Run.State.QUEUED)
    worker.execute(run.public_id)
    assert housekeeping.reap() is False


def ticks_of(task: ReapingTask, settings: Any, monkeypatch: pytest.MonkeyPatch, seconds: int) -> list[float]:
    """Return the seconds at which the task is sent if its timer fires every second for `seconds`."""
    settings.RUN_LEASE_SECONDS = 9
    now, sent = [100.0], []
    monkeypatch.setattr(celery, "monotonic", lambda: now[0])
    monkeypatch.setattr(task, "apply_async", lambda **_: sent.append(now[0] - 100), raising=False)
    for second in range(seconds):
        now[0] = 100.0 + second
        task.tick()
    return sent


def test_it_is_sent_at_each_tick_while_there_is_work(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ticks_of(ReapingTask(), settings, monkeypatch, 5) == [0, 1, 2, 3, 4]


def test_without_work_it_is_sent_once_in_the_time_of_a_lease(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    task = ReapingTask()
    task.busy = False
    assert ticks_of(task, settings, monkeypatch, 20) == [0, 9, 18]


def test_what_a_pool_process_finds_is_known_to_the_one_that_forked_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for busy in (False, True):
        monkeypatch.setattr(housekeeping.reap, "run", lambda busy=busy: busy)
        child = os.fork()
        if not child:
            housekeeping.reap()
            os._exit(0)
        os.waitpid(child, 0)
        assert housekeeping.reap.busy is busy
