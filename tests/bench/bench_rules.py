#!/usr/bin/env python3
"""Measure the cost of a rule: 5,000 nodes and 1,000 pods, with a rule on labels and requests, and without it.

    python tests/bench/bench_rules.py [--nodes N] [--pods N] [--runs N]

A measurement is the processor time from the loaded cluster to the end; runs with and without the rule alternate. The
exit status is 1 if the best run with the rule takes more than five times as long as the best without it.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scheduler_core import Scenario, parse_scenario
from tests.bench.bench_engine import LIMITS, timed
from tests.bench.machine import describe_machine

AIM = 5
RULES = {
    "labels": {
        "filter": "node.metadata.labels[?'disk'].orValue('') == 'ssd' || podRequests.cpu < 1000",
        "score": "node.metadata.labels[?'zone'].orValue('') == pod.metadata.labels[?'zone'].orValue('') ? 100 : 20",
    },
    "labels and requests": {
        "filter": "node.metadata.labels[?'disk'].orValue('') == 'ssd' || podRequests.cpu < 1000",
        "score": "podRequests.cpu > 500 ? 100 * requested.cpu / allocatable.cpu"
        " : 100 * (allocatable.cpu - requested.cpu) / allocatable.cpu",
    },
    "pods": {"filter": "pods.filter(p, p.metadata.labels['app'] == pod.metadata.labels['app']).size() < 3"},
}


def cluster(nodes: int, pods: int) -> list[dict[str, Any]]:
    """Return nodes in ten zones, half of them with fast disks, and pods of five sizes in twenty applications."""
    made: list[dict[str, Any]] = []
    for i in range(nodes):
        labels = {"kubernetes.io/hostname": f"n{i}", "zone": f"z{i % 10}", "disk": ("ssd", "hdd")[i % 2]}
        amounts = {"cpu": "16", "memory": "64Gi", "pods": "110"}
        made.append(
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": f"n{i}", "labels": labels},
                "status": {"capacity": amounts, "allocatable": amounts},
            }
        )
    for i in range(pods):
        requests = {"cpu": f"{250 * (1 + i % 5)}m", "memory": f"{256 * (1 + i % 3)}Mi"}
        container = {"name": "c", "image": "registry.k8s.io/pause", "resources": {"requests": requests}}
        labels = {"app": f"a{i % 20}", "zone": f"z{i % 10}"}
        made.append(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": f"p{i}", "labels": labels},
                "spec": {"containers": [container]},
            }
        )
    return made


def scenario_of(objects: list[dict[str, Any]], spec: dict[str, str] | None) -> Scenario:
    documents = list(objects)
    if spec is not None:
        documents.append(
            {
                "apiVersion": "kschedui.io/v1alpha1",
                "kind": "SchedulerPlugin",
                "metadata": {"name": "Rule"},
                "spec": spec,
            }
        )
    return parse_scenario("\n---\n".join(map(json.dumps, documents)), LIMITS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("nodes", 5000), ("pods", 1000), ("runs", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    objects = cluster(options.nodes, options.pods)
    plain = scenario_of(objects, None)
    missed = False
    print(describe_machine())
    print(f"{'rule':24}{'without (s)':>12}{'with (s)':>12}{'times':>8}")
    for name, spec in RULES.items():
        ruled = scenario_of(objects, spec)
        pairs = [(timed(plain)[0], timed(ruled)[0]) for _ in range(options.runs)]
        without, taken = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
        missed |= taken > AIM * without
        print(f"{name:24}{without:12.2f}{taken:12.2f}{taken / without:8.1f}", flush=True)
    sys.exit(missed)


if __name__ == "__main__":
    main()
