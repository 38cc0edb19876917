#!/usr/bin/env python3
"""Measure how long "What if" takes to answer over HTTP, on a stack that runs as with `make run`.

    python tests/bench/bench_ask.py [--nodes 300 5000] [--asks 40]

The first question has to build the state of the cluster at that moment. The others are like those of a slider: each is
a different edit of the same attempt. Targets for these: 100 ms with 300 nodes, 300 ms with 5,000 nodes (95th
percentile).
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from statistics import median, quantiles
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from kschedui.supervisor.ports import free_port
from kschedui.supervisor.stack import Stack
from tests.bench.machine import describe_machine
from tests.builders import node, pod, scenario
from tests.conftest import run_manage
from tests.web.visitor import Visitor

AIMS = {300: 100, 5000: 300}
CPU = ["spec", "containers", 0, "resources", "requests", "cpu"]


def cluster(nodes: int) -> str:
    """Return a scenario: nodes of 8 cores in three zones, two pods on each, and five pending pods.

    One of the pending pods fits no node.
    """
    zones = [{"topology.kubernetes.io/zone": f"z{zone}"} for zone in range(3)]
    return scenario(
        *(node(f"n{number:04}", cpu=8, labels=zones[number % 3]) for number in range(nodes)),
        *(pod(f"old-{number:05}", cpu=1 + number % 3, node=f"n{number % nodes:04}") for number in range(2 * nodes)),
        *(pod(f"web-{number}", cpu=1) for number in range(4)),
        pod("huge", cpu=9),
    )


def edits(number: int) -> list[dict[str, Any]]:
    """Return an edit of a request, a weight, the scoring strategy or a node's cordon, in turn."""
    about = {"type": "set", "kind": "Pod", "name": "web-3", "namespace": "default", "path": CPU}
    return [
        [{**about, "value": f"{1000 + 50 * number}m"}],
        [{"type": "weight", "plugin": "NodeResourcesFit", "weight": 1 + number}],
        [{"type": "strategy", "strategy": "MostAllocated"}],
        [{"type": "set", "kind": "Node", "name": "n0007", "path": ["spec", "unschedulable"], "value": True}],
    ][number % 4]


def measured(site: str, nodes: int, asks: int) -> tuple[float, list[float]]:
    """Return the milliseconds that the first question took, and those of each other question."""
    visitor = Visitor(site)
    address = f"{site}/api/v1/runs/{visitor.save(cluster(nodes))}/attempts/4/what-if"
    token = next(cookie.value for cookie in visitor.cookies if "csrf" in cookie.name) or ""
    headers = {"Content-Type": "application/json", "X-CSRFToken": token, "Referer": site}
    taken = []
    for number in range(asks + 1):
        body = json.dumps({"edits": edits(number)}).encode()
        started = time.perf_counter()
        status, answer = visitor.send(urllib.request.Request(address, body, headers, method="POST"))
        taken.append((time.perf_counter() - started) * 1000)
        assert status == 200, answer
    return taken[0], taken[1:]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, nargs="*", default=[300, 5000])
    parser.add_argument("--asks", type=int, default=40)
    options = parser.parse_args()
    print(describe_machine())
    slow = 0
    with tempfile.TemporaryDirectory() as folder:
        env = {"KSCHEDUI_DATA_DIR": folder, "DATABASE_URL": f"sqlite:///{folder}/db.sqlite3"}
        with Stack(env, Path(folder)) as stack:
            run_manage(stack.env, "migrate", "--verbosity", "0")
            stack.start_broker()
            stack.start_workers(runs=1)
            stack.start_web("127.0.0.1", free_port())
            stack.wait()
            for nodes in options.nodes:
                first, others = measured(stack.url, nodes, options.asks)
                most = quantiles(others, n=20)[-1]
                aim = AIMS.get(nodes)
                slow += aim is not None and most > aim
                wanted = f" (aim {aim} ms)" if aim else ""
                print(f"{nodes:>6,} nodes: first {first:,.0f} ms; then {median(others):.0f}, p95 {most:.0f}{wanted}")
    return int(slow > 0)


if __name__ == "__main__":
    sys.exit(main())
