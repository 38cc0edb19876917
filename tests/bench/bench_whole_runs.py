#!/usr/bin/env python3
"""Measure how long a user waits for whole runs and large files, next to the targets.

    python tests/bench/bench_whole_runs.py [WORD ...]     only rows whose name contains one of the words

Times are processor time, the best of several where a run is short.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import yaml

from kschedui.work.rare_collection import rare_collection
from scheduler_core import parse_scenario, simulate
from tests.bench.bench_engine import LIMITS, documents, scenario_of, timed
from tests.bench.dump import dump
from tests.bench.machine import describe_machine
from tests.bench.mixed_workloads import small, waiting
from tests.bench.workloads import basic, spread

ROOT = Path(__file__).resolve().parents[2]
Measured = Iterator[tuple[str, float, float, str]]  # name, measured, aim, unit


def small_run() -> Measured:
    scenario = scenario_of(small())
    list(simulate(scenario))
    with rare_collection():
        best = min(_seconds(lambda: list(simulate(scenario))) for _ in range(100))
    yield "20 nodes x 50 pods, whole run", 1000 * best, 5, "ms"


def waiting_pods() -> Measured:
    scenario = scenario_of(waiting())
    yield "800 waiting and 800 bound pods, 20 nodes", min(timed(scenario)[0] for _ in range(3)), 0.25, "s"


def very_many_nodes() -> Measured:
    for workload in (basic, spread):
        objects = workload(50_000)
        seconds = timed(scenario_of(objects))[0]
        yield (
            f"50,000 nodes x 1,000 pods, {workload.__name__}",
            1000 * seconds / len(objects["pending"]),
            1,
            "ms a cycle",
        )


def command_line() -> Measured:
    """Measure processor time and memory of the command line, with its decision records sent to /dev/null."""
    objects = basic(5000)
    pod = objects["pending"][0]
    objects["pending"] = [pod | {"metadata": pod["metadata"] | {"name": f"p-{i:05d}"}} for i in range(10_000)]
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write("\n---\n".join(documents(objects)))
        file.flush()
        command = [sys.executable, str(ROOT / "manage.py"), "simulate", file.name]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    yield "5,000 nodes x 10,000 pods, command line", used.ru_utime + used.ru_stime, 60, "s"
    yield "the same, memory", used.ru_maxrss / 1024, 200, "MB"


def large_files() -> Measured:
    listed = dump(nodes=1000, pods=9000)
    texts = {"YAML": yaml.dump(listed, Dumper=yaml.CSafeDumper), "JSON": json.dumps(listed, indent=1)}
    for form, text in texts.items():
        name = f"parse and check a dump, {len(text) / 1e6:.0f} MB of {form}"
        yield name, _seconds(lambda text=text: parse_scenario(text, LIMITS)), 3, "s"


# The command line comes first, because a child's memory counts what this process held when it started the child.
ROWS = (command_line, small_run, waiting_pods, very_many_nodes, large_files)


def main() -> None:
    """Print a table."""
    words = sys.argv[1:]
    print(describe_machine())
    for row in ROWS:
        if words and not any(word in row.__name__ for word in words):
            continue
        for name, measured, aim, unit in row():
            print(f"{name:52}{measured:9.2f} {unit:10} aim {aim:g}{'' if measured <= aim else '   MISSED'}", flush=True)


def _seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    assert work()
    return time.process_time() - started


if __name__ == "__main__":
    main()
