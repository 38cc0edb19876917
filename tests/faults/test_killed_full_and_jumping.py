"""Killed workers on SQLite, a full disk, and clock jumps: traces stay the same, and saved data is kept."""

import os
import resource
import signal
import sqlite3
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from kschedui.models import Chunk, Run, Version
from kschedui.runs import store as runs
from kschedui.runs import worker
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.access import Visitor as Author
from kschedui.supervisor.ports import wait_until
from tests.builders import node, pod, scenario
from tests.conftest import StackMaker
from tests.faults.stacks import ONE_POD, breakable
from tests.processes import descendants
from tests.web.visitor import LONG, Visitor

MANY = scenario(*(node(f"n{i}", cpu=4) for i in range(5)), *(pod(f"p{i}", cpu=1) for i in range(40)))
LARGE = scenario(
    *(node(f"n{i}", cpu=64, zone=f"z{i % 3}") for i in range(200)), *(pod(f"p{i}", cpu="500m") for i in range(2000))
)
KILLS = 3


def test_workers_killed_again_and_again_on_sqlite_leave_the_same_trace(make_stack: StackMaker) -> None:
    stack = breakable(make_stack)
    visitor = Visitor(stack.url)
    run = visitor.save(LARGE)
    for kill in range(KILLS):
        assert wait_until(lambda: visitor.run(run)["chunks"] > kill, LONG)  # noqa: B023
        os.killpg(stack.children["worker"].group, signal.SIGKILL)
        stack.children.pop("worker").stop()
        stack.start_workers(runs=1)
    assert visitor.wait_for(run, "done", "failed")["state"] == "done"
    undisturbed = visitor.save(LARGE)
    visitor.wait_for(undisturbed, "done", "failed")
    assert visitor.frames(run) == visitor.frames(undisturbed)
    file = Path(stack.env["DATABASE_URL"].removeprefix("sqlite:///"))
    with sqlite3.connect(file) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a running process's files")
def test_a_full_disk_is_reported_and_saved_scenarios_stay(make_stack: StackMaker) -> None:
    stack = breakable(make_stack)
    visitor = Visitor(stack.url)
    before = visitor.save(ONE_POD)
    visitor.wait_for(before, "done")
    group = stack.children["web"].group
    web = [group, *(process.pid for process in descendants(group))]
    for process in web:
        resource.prlimit(process, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
    status, answer = visitor.post("/api/v1/scenarios", text=scenario(node("n1"), pod("another")))
    assert status == 503, answer
    assert wait_until(lambda: visitor.get("/readyz")[0] == 503, LONG)
    assert visitor.get("/livez")[0] == 200
    for process in web:
        resource.prlimit(process, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert wait_until(lambda: visitor.get("/readyz")[0] == 200, LONG)
    assert visitor.run(before)["state"] == "done"
    assert visitor.wait_for(visitor.save(scenario(node("n1"), pod("another"))), "done")


def save_version() -> Version:
    return scenarios.create(Author(editor="somebody"), MANY)


@pytest.mark.django_db
@pytest.mark.parametrize("jump", [timedelta(days=1), timedelta(days=-1)], ids=["forwards", "backwards"])
def test_a_clock_that_jumps_in_the_middle_of_a_run_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, jump: timedelta
) -> None:
    monkeypatch.setattr(runs, "enqueue", lambda public_id: None)
    undisturbed, run = runs.start_run(save_version()), runs.start_run(save_version())
    worker.execute(undisturbed.public_id)
    jump_after_first_chunk(monkeypatch, jump)
    worker.execute(run.public_id)
    while (found := Run.objects.get(pk=run.pk)).state in (Run.State.QUEUED, Run.State.RUNNING):
        runs.requeue_lost()
        worker.execute(run.public_id)
    assert found.state == Run.State.DONE, found.error
    assert list(runs.all_frames(found)) == list(runs.all_frames(Run.objects.get(pk=undisturbed.pk)))


def jump_after_first_chunk(monkeypatch: pytest.MonkeyPatch, jump: timedelta) -> None:
    """Change Django's clock by `jump` when the first chunk is stored, and look for lost runs then."""
    now, store = timezone.now, runs.store_chunk

    def store_and_jump(mine: Run, chunk: Chunk, time: float) -> None:
        store(mine, chunk, time)
        if chunk.seq == 0:
            later: Callable[[], object] = lambda: now() + jump  # noqa: E731
            monkeypatch.setattr(timezone, "now", later)
            runs.requeue_lost()

    monkeypatch.setattr(runs, "store_chunk", store_and_jump)
