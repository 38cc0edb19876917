#!/usr/bin/env python3
"""Measure how cost grows with nodes, pods, rollouts, autoscaling, viewers and workers, for docs/scale.md.

    python tests/bench/bench_scale.py [nodes] [pods] [live] [autoscaling] [viewers] [workers] [--draw]

Processor time is scaled, with the reference loop, to the machine that the targets are for. `--draw` writes
docs/images/scale-*.svg. Viewers and workers need two idle processors, because their figures include elapsed time.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from kschedui.supervisor.ports import free_port
from kschedui.supervisor.stack import Stack
from scheduler_core import Scenario, parse_scenario
from scheduler_core.scenario.parse import Limits
from tests.bench import bench_autoscaling, bench_controllers
from tests.bench.bench_engine import scenario_of, stored, timed
from tests.bench.bench_viewers import OPEN_FILES, Case, start_web
from tests.bench.curves import draw
from tests.bench.machine import Pace, describe_machine
from tests.bench.mixed_workloads import Objects, mixed
from tests.bench.workloads import basic, spread
from tests.builders import Manifest, node, pod, scenario
from tests.conftest import run_manage
from tests.web.visitor import Visitor

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
NODES = (100, 300, 1000, 3000, 10_000, 20_000)
PODS = (300, 1000, 3000, 10_000, 30_000)
LIVE = (200, 600, 2000, 6000)
PENDING = (100, 300, 1000, 3000)
VIEWERS = (50, 100, 200, 400)
WORKERS = (1, 2)
RUNS = 12  # queued at once
Curves = dict[str, list[tuple[float, float]]]


class Drawing(NamedTuple):
    title: str
    across: str
    up: str
    curves: Curves


def measure_nodes(pace: Pace) -> Drawing:
    """Measure the milliseconds for each of 1,000 pods, including the trace."""
    curves: Curves = {}
    for workload in (basic, spread, mixed):
        for nodes in NODES:
            objects = workload(nodes)
            seconds = pace.scaled(partial(_run_and_keep, scenario_of(objects)))
            curves.setdefault(workload.__name__, []).append((nodes, 1000 * seconds / len(objects["pending"])))
    return Drawing("A scheduling attempt, with its trace", "nodes", "ms of processor time", curves)


def measure_pods(pace: Pace) -> Drawing:
    """Measure the seconds of a run on 1,000 nodes: to read the text, and to simulate and store."""
    curves: Curves = {"read JSON": [], "simulate, keep": []}
    for pods in PODS:
        objects = basic(1000)
        first = objects["pending"][0]
        objects["pending"] = [first | {"metadata": first["metadata"] | {"name": f"p-{i:05d}"}} for i in range(pods)]
        curves["read JSON"].append((pods, pace.scaled(partial(_read, objects))))
        curves["simulate, keep"].append((pods, pace.scaled(partial(_run_and_keep, scenario_of(objects)))))
    return Drawing("A run on 1,000 nodes", "pods", "s of processor time", curves)


def measure_live(pace: Pace) -> Drawing:
    """Measure the seconds of a run on 1,000 nodes in which Deployments of 20 pods are created and rolled out."""
    curve = []
    for pods in LIVE:
        text = bench_controllers.scenario(1000, pods // 20, 20, {"startSeconds": 1})
        loaded = parse_scenario(text, Limits(bytes=1 << 28))
        curve.append((pods, pace.scaled(partial(_run_and_keep, loaded))))
    return Drawing("Deployments of 20 pods, created and rolled out", "pods", "s of processor time", {"a run": curve})


def measure_autoscaling(pace: Pace) -> Drawing:
    """Measure the seconds of one decision of each autoscaler about the nodes for pending pods."""
    curves: Curves = {}
    cases = {"Cluster Autoscaler": bench_autoscaling.groups, "Karpenter": bench_autoscaling.types}
    for name, objects in cases.items():
        _answer(objects(PENDING[0]))  # imports, and tables that are made once
        for pods in PENDING:
            curves.setdefault(name, []).append((pods, pace.scaled(partial(_answer, objects(pods)))))
    title = "Nodes for pods that wait: 20 node groups, 700 instance types"
    return Drawing(title, "pods that wait", "s of processor time", curves)


def measure_viewers(pace: Pace) -> Drawing:
    """Measure the web processes' seconds of processor time for viewers of one run. Print the delays of the chunks."""
    curves: Curves = {}
    with _site() as stack:
        stack.start_workers(runs=1)
        first = stack.start_web("127.0.0.1", free_port())
        url = stack.wait()
        visitor = Visitor(url)
        origin = visitor.save(_example(200, 1000))
        chunks = visitor.wait_for(origin, "done", "failed")["chunks"]
        stack.children.pop("worker").stop()
        second_url, second = start_web(stack, "web 2")
        case = Case(stack, origin, chunks, visitor, {url: first.group, second_url: second.group})
        for webs in (1, 2):
            for viewers in VIEWERS:
                used = pace.scaled(partial(case.show, "paced", viewers, 1, webs, pause=1.0))
                name = f"{webs} web process{'es' if webs > 1 else ''}"
                curves.setdefault(name, []).append((viewers, used))
    return Drawing("Viewers who join a run and follow it", "viewers", "s of processor time, web", curves)


def measure_workers(pace: Pace) -> Drawing:
    """Measure how many queued runs are done in a minute."""
    curve = []
    for workers in WORKERS:
        with _site() as stack:
            stack.start_workers(runs=workers)
            stack.start_web("127.0.0.1", free_port())
            visitor = Visitor(stack.wait())
            visitor.wait_for(visitor.save(_example(10, 10)), "done", "failed")
            curve.append((workers, 60 * RUNS / pace.scaled(partial(_all_done, visitor))))
    return Drawing("Runs of 500 nodes x 2,000 pods", "worker processes", "runs a minute", {"measured": curve})


PARTS: dict[str, Callable[[Pace], Drawing]] = {
    "nodes": measure_nodes,
    "pods": measure_pods,
    "live": measure_live,
    "autoscaling": measure_autoscaling,
    "viewers": measure_viewers,
    "workers": measure_workers,
}


def _read(objects: Objects) -> float:
    started = time.process_time()
    scenario_of(objects)
    return time.process_time() - started


def _run_and_keep(loaded: Scenario) -> float:
    seconds, events = timed(loaded)
    return seconds + stored(events)[1]


def _answer(objects: list[Manifest]) -> float:
    return bench_autoscaling.answered(objects)[1]


def _all_done(visitor: Visitor) -> float:
    started = time.monotonic()
    runs = [visitor.save(_example(500, 2000, f"run-{number}")) for number in range(RUNS)]
    for run in runs:
        visitor.wait_for(run, "done", "failed")
    return time.monotonic() - started


def _example(nodes: int, pods: int, name: str = "p") -> str:
    there = [node(f"n{number}", cpu=64, zone=f"z{number % 3}") for number in range(nodes)]
    return scenario(*there, *(pod(f"{name}-{number}", cpu="500m") for number in range(pods)))


@contextmanager
def _site() -> Iterator[Stack]:
    """Yield a stack with a broker and an empty database; the caller starts the workers and web processes."""
    with tempfile.TemporaryDirectory() as name:
        env = {"KSCHEDUI_DATA_DIR": name, "DATABASE_URL": f"sqlite:///{name}/bench.sqlite3"}
        env |= {"KSCHEDUI_MAX_SOCKETS_PER_ADDRESS": "10000", "KSCHEDUI_RATE_SAVE": "100000"}
        env |= {"KSCHEDUI_RATE_RUN": "100000"}
        with Stack(env, Path(name)) as stack:
            stack.start_broker()
            run_manage(stack.env, "migrate", "--verbosity", "0")
            yield stack


def main() -> None:
    """Print the points of each curve; with --draw, write the drawings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=list(PARTS))
    parser.add_argument("--draw", action="store_true")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))
    print(describe_machine())
    for part in options.parts:
        pace = Pace()
        drawing = PARTS[part](pace)
        for name, curve in drawing.curves.items():
            print(f"{part}, {name}: " + ", ".join(f"{at:,} {value:.3g}" for at, value in curve), flush=True)
        print(f"{part}: {drawing.up}; {pace.described()}", flush=True)
        if options.draw:
            (IMAGES / f"scale-{part}.svg").write_text(draw(*drawing), encoding="utf-8")


if __name__ == "__main__":
    main()
