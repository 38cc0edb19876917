#!/usr/bin/env python3
"""Measure experiments: the cost of storing rows, two workers against one, and a run that is started during an
experiment.

    python tests/bench/bench_experiments.py

Elapsed time is the figure to use on a quiet machine. On a busy one, use the elapsed time without the time that the
workers waited for a processor.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
folder = Path(tempfile.mkdtemp(prefix="kschedui-bench-"))
os.environ |= {"DJANGO_SETTINGS_MODULE": "kschedui.settings", "DATABASE_URL": f"sqlite:///{folder}/bench.sqlite3"}
os.environ |= {f"KSCHEDUI_RATE_{kind}": "1000000" for kind in ("READ", "PAGE", "RUN", "SAVE")}
os.environ.setdefault("KSCHEDUI_DATA_DIR", str(folder))

import django  # noqa: E402

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connections  # noqa: E402

from kschedui.experiments import plan, store, worker  # noqa: E402
from kschedui.models import Experiment  # noqa: E402
from kschedui.scenarios import store as scenarios  # noqa: E402
from kschedui.scenarios.access import Visitor as Author  # noqa: E402
from kschedui.supervisor.ports import free_port, wait_until  # noqa: E402
from kschedui.supervisor.stack import Stack  # noqa: E402
from scheduler_core.experiments.reading import read_factors  # noqa: E402
from tests.bench.machine import describe_machine  # noqa: E402
from tests.faults.stacks import cpu_seconds  # noqa: E402
from tests.processes import descendants  # noqa: E402
from tests.web.experiments import OUTLIERS, outlier_factors  # noqa: E402
from tests.web.visitor import Visitor  # noqa: E402

FEW = outlier_factors(seeds=100, priorities=20)
MANY = outlier_factors(seeds=300, priorities=20)
LONG = 900.0
ROUNDS = 4  # of FEW, of which the quickest counts
WHOLE_ROUNDS = int(os.environ.get("KSCHEDUI_BENCH_ROUNDS", "2"))  # of MANY, of which the quickest counts


def bare_loop() -> float:
    """Return the processor seconds of the runs and measures of all cells, without a database."""
    design, runner = read_factors(FEW), plan.cells(OUTLIERS, "")
    begun = time.process_time()
    for number in range(1, design.size + 1):
        assert runner.row(design.cell(number)).measures
    return time.process_time() - begun


def with_rows() -> float:
    """Return the processor seconds of the same cells run by a worker in this process, with claims, leases and rows."""
    author = Author(editor="somebody")
    store.request_workers = lambda public_id, batches: None
    experiment = store.begin(author, plan.plan(scenarios.create(author, OUTLIERS), FEW, None), "a party")
    begun = time.process_time()
    while worker.serve():
        pass
    used = time.process_time() - begun
    assert Experiment.objects.get(pk=experiment.pk).state == "done"
    assert len(list(store.in_order(experiment))) == experiment.size
    experiment.delete()
    return used


def overhead() -> None:
    bare_loop()  # warm up
    pairs = [(bare_loop(), with_rows()) for _ in range(ROUNDS)]
    bare, kept = (min(column) for column in zip(*pairs, strict=True))
    row("2,000 cells, bare loop", f"{bare:.3f} s of processor time")
    row("the same, claimed and kept as rows", f"{kept:.3f} s: {100 * (kept / bare - 1):+.1f} %, aim +10 %")


def start_experiment(visitor: Visitor) -> str:
    scenario = visitor.run(visitor.save(OUTLIERS))["scenario"]["id"]
    status, answer = visitor.post("/api/v1/experiments", scenario=scenario, factors=MANY)
    assert status == 201, answer
    return str(answer["id"])


def state(visitor: Visitor, eid: str) -> dict[str, Any]:
    return dict(json.loads(visitor.get(f"/api/v1/experiments/{eid}/results?after={2**62}")[1]))


def done(visitor: Visitor, eid: str) -> bool:
    """Wait for a second, as a page does between requests, and return whether the experiment is done."""
    time.sleep(1)
    return str(state(visitor, eid)["state"]) == "done"


class Time(NamedTuple):
    """Seconds of some processes: running on a processor (`used`), and waiting for one (`waited`)."""

    used: float
    waited: float

    def since(self, before: Time) -> Time:
        return Time(self.used - before.used, self.waited - before.waited)


def time_of(processes: Sequence[int]) -> Time:
    """Return the times of the processes' main threads, from the operating system (/proc/PID/task/PID/schedstat)."""
    found = [Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split() for pid in processes]
    return Time(*(sum(int(one[column]) for one in found) / 1e9 for column in (0, 1)))


class Whole(NamedTuple):
    """Seconds of an experiment on a whole site.

    `elapsed`: by the database, from the start of the first batch to the end. `pool`: of the processes that worked on
    the cells. `others`: processor time of the site's other processes. `disturbed`: until a run that was started during
    the experiment had its first step, or 0.0 if none was started.
    """

    elapsed: float
    pool: Time
    others: float
    disturbed: float
    processes: int

    @property
    def free(self) -> float:
        """Elapsed seconds without the time that the processes of the pool waited for a processor."""
        return self.elapsed - self.pool.waited / self.processes


def whole(processes: int, *, disturb: bool = False) -> Whole:
    """Run the experiment MANY on a whole site with `processes` for experiments, after one to warm up. Return its times.

    With `disturb`, a run is started in the middle.
    """
    target = Path(tempfile.mkdtemp(prefix=f"stack-{processes}-", dir=folder))
    shutil.copy(folder / "bench.sqlite3", target / "site.sqlite3")
    env = {"KSCHEDUI_DATA_DIR": str(target), "DATABASE_URL": f"sqlite:///{target}/site.sqlite3"}
    with Stack(env, target) as stack:
        stack.start_broker()
        stack.start_workers(runs=1)
        stack.start_workers(experiments=processes)
        stack.start_web("127.0.0.1", free_port())
        stack.wait()
        visitor = Visitor(stack.url)
        warm = start_experiment(visitor)
        assert wait_until(lambda: done(visitor, warm), LONG)
        time.sleep(1)  # until processes that only started the site have ended
        every = [one.pid for child in stack.children.values() for one in descendants(child.group)]
        pool = sorted(every, key=spent)[-processes:]  # those that worked on the cells so far
        before = time_of(pool), sum(map(spent, set(every) - set(pool)))
        eid, waited = start_experiment(visitor), 0.0
        if disturb:
            assert wait_until(lambda: 0 < state(visitor, eid)["done"] < 6000, LONG)
            asked = time.monotonic()
            run = visitor.save(OUTLIERS)
            assert wait_until(lambda: visitor.run(run)["steps"] > 0, LONG)
            waited = time.monotonic() - asked
        assert wait_until(lambda: done(visitor, eid), LONG)
        used = time_of(pool).since(before[0])
        others = sum(map(spent, set(every) - set(pool))) - before[1]
        return Whole(elapsed(target / "site.sqlite3", eid), used, others, waited, processes)


def spent(process: int) -> float:
    """Return the processor time of a process so far, in seconds; 0.0 if it has ended."""
    with contextlib.suppress(OSError):
        return cpu_seconds(process)
    return 0.0


def elapsed(file: Path, eid: str) -> float:
    """Return the seconds from the start of the first batch to the end of the experiment, from the database."""
    asked = """SELECT (julianday(e.finished) - julianday(MIN(b.started))) * 86400 FROM kschedui_experiment e
        JOIN kschedui_batch b ON b.experiment_id = e.id WHERE e.public_id = ?"""
    with contextlib.closing(sqlite3.connect(file)) as database:
        return float(database.execute(asked, [eid]).fetchone()[0])


def workers() -> None:
    rounds = [(whole(1), whole(2)) for _ in range(WHOLE_ROUNDS)]
    best = [min(column, key=lambda one: one.free) for column in zip(*rounds, strict=True)]
    for one in best:
        row(
            f"6,000 cells, {one.processes} process{'es' * (one.processes > 1)}",
            f"{one.elapsed:.1f} s elapsed, {one.pool.used:.1f} s on processors, {one.pool.waited:.1f} s waiting, "
            f"the other processes {one.others:.1f} s",
        )
    single, double = best
    row("two are, by the clock", f"{single.elapsed / double.elapsed:.2f} times as fast")
    row("without waiting for a processor", f"{single.free / double.free:.2f} times as fast, aim 1.8")
    row("a run started in the middle, saved and begun", f"{whole(2, disturb=True).disturbed:.2f} s, aim 1 s")


def row(name: str, said: str) -> None:
    print(f"{name:46}{said}", flush=True)


def main() -> None:
    """Print a table."""
    print(describe_machine())
    call_command("migrate", verbosity=0)
    overhead()
    connections.close_all()
    workers()
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
