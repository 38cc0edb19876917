#!/usr/bin/env python3
"""Experiments: what keeping rows costs over the bare loop, two workers beside one, and a run that somebody starts
meanwhile.

    python tests/bench/bench_experiments.py

Processor time is what counts on a machine that others load; elapsed time is told beside it.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

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
from tests.bench.machine import told  # noqa: E402
from tests.faults.stacks import cpu_seconds  # noqa: E402
from tests.processes import descendants  # noqa: E402
from tests.web.experiments import OUTLIERS, outlier_factors  # noqa: E402
from tests.web.visitor import Visitor  # noqa: E402

FACTORS = outlier_factors(seeds=100, priorities=20)
LONG = 900.0
ROUNDS = 3  # of which the quickest counts


def bare_loop() -> float:
    """Processor seconds of every cell's run and measures, and nothing else."""
    design, runner = read_factors(FACTORS), plan.cells(OUTLIERS, "")
    begun = time.process_time()
    for number in range(1, design.size + 1):
        assert runner.row(design.cell(number)).measures
    return time.process_time() - begun


def with_rows() -> float:
    """The same by a worker in this process: claims, leases, rows."""
    author = Author(editor="somebody")
    store.tell = lambda public_id, batches: None
    experiment = store.begin(author, plan.plan(scenarios.create(author, OUTLIERS), FACTORS, None), "a party")
    begun = time.process_time()
    while worker.serve():
        pass
    used = time.process_time() - begun
    assert Experiment.objects.get(pk=experiment.pk).state == "done"
    assert len(list(store.in_order(experiment))) == experiment.size
    return used


def overhead() -> None:
    bare_loop()  # what is loaded and compiled once
    pairs = [(bare_loop(), with_rows()) for _ in range(ROUNDS)]
    bare, kept = (min(column) for column in zip(*pairs, strict=True))
    row("2,000 cells, bare loop", f"{bare:.2f} s of processor time")
    row("the same, claimed and kept as rows", f"{kept:.2f} s: {100 * (kept / bare - 1):+.1f} %, aim +10 %")


def begun(visitor: Visitor) -> str:
    scenario = visitor.run(visitor.save(OUTLIERS))["scenario"]["id"]
    status, answer = visitor.post("/api/v1/experiments", scenario=scenario, factors=FACTORS)
    assert status == 201, answer
    return str(answer["id"])


def state(visitor: Visitor, eid: str) -> dict[str, Any]:
    return dict(json.loads(visitor.get(f"/api/v1/experiments/{eid}/results?after={2**62}")[1]))


def pool_seconds(stack: Stack) -> float:
    pool = descendants(stack.children["experiments"].group)
    return sum(cpu_seconds(one.pid) for one in pool if "celery" in one.command)


def whole(processes: int, *, disturb: bool = False) -> tuple[float, float, float]:
    """(elapsed, processor seconds of the pool, seconds until a run that somebody starts is under way)."""
    target = Path(tempfile.mkdtemp(prefix=f"stack-{processes}-", dir=folder))
    shutil.copy(folder / "bench.sqlite3", target / "site.sqlite3")
    env = {"KSCHEDUI_DATA_DIR": str(target), "DATABASE_URL": f"sqlite:///{target}/site.sqlite3"}
    with Stack(env, target) as stack:
        stack.start_broker()
        stack.start_worker(1)
        stack.start_experiments(processes)
        stack.start_web("127.0.0.1", free_port())
        stack.wait()
        visitor = Visitor(stack.url)
        warm = begun(visitor)
        assert wait_until(lambda: state(visitor, warm)["state"] == "done", LONG)
        used, start = pool_seconds(stack), time.monotonic()
        eid, waited = begun(visitor), 0.0
        if disturb:
            assert wait_until(lambda: 0 < state(visitor, eid)["done"] < 2000, LONG)
            asked = time.monotonic()
            run = visitor.save(OUTLIERS)
            assert wait_until(lambda: visitor.run(run)["steps"] > 0, LONG)
            waited = time.monotonic() - asked
        assert wait_until(lambda: state(visitor, eid)["state"] == "done", LONG)
        return time.monotonic() - start, pool_seconds(stack) - used, waited


def workers() -> None:
    rounds = [(whole(1), whole(2)) for _ in range(ROUNDS)]
    one, two = (min(column) for column in zip(*rounds, strict=True))
    meanwhile = whole(2, disturb=True)[2]
    row("2,000 cells, one process", f"{one[0]:.1f} s elapsed, {one[1]:.1f} s of processor time")
    row("the same, two processes", f"{two[0]:.1f} s elapsed, {two[1]:.1f} s of processor time")
    row("that is", f"{one[0] / two[0]:.2f} times as fast, aim 1.8 on two processors that nobody else uses")
    row("a run started in the middle, saved and begun", f"{meanwhile:.2f} s, aim 1 s")


def row(name: str, said: str) -> None:
    print(f"{name:46}{said}", flush=True)


def main() -> None:
    """Print a table."""
    print(told())
    call_command("migrate", verbosity=0)
    overhead()
    connections.close_all()
    workers()
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
