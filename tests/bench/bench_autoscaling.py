"""Measure the processor time of one decision of each autoscaler.

    python tests/bench/bench_autoscaling.py

Cluster Autoscaler: 1,000 pending pods and 20 groups. Karpenter: 700 instance types and 2,000 pods.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from scheduler_core.ask.autoscale.answers import Autoscaling
from scheduler_core.ask.autoscale.question import autoscale
from scheduler_core.scenario.parse import parse_scenario
from tests.builders import Manifest, node, pod, scenario
from tests.core.autoscaling.builders import instance_type, karpenter, node_class, node_pool, own

GROUPS, PENDING = 20, 1000
TYPES, PODS = 700, 2000


def groups() -> list[Manifest]:
    """Return pods that need up to 500 nodes of 20 groups."""
    made = [pod(f"p{number}", cpu=2 if number % 3 else 1) for number in range(PENDING)]
    sizes = {"minimum": 0, "maximum": 500, "size": 0}
    templates = (node("of", cpu=4 + number % 4) for number in range(GROUPS))
    made += [own("NodeGroup", f"g{number}", **sizes, template=template) for number, template in enumerate(templates)]
    return [node("n0", cpu=1), *made, own("ClusterAutoscaler", flags=["--expander=least-waste"])]


def types() -> list[Manifest]:
    """Return pods for a pool with 700 instance types."""
    kinds = [instance_type(f"t{n}", 1 + n % 64, 0.04 * (1 + n % 64) + n / 1e5, zones="abc") for n in range(TYPES)]
    pods = [pod(f"p{number}", cpu=f"{200 + number % 7 * 150}m") for number in range(PODS)]
    pool = node_pool("p", {"spec": {"expireAfter": "Never"}})
    return [node_class(), pool, karpenter(instanceTypes=kinds), *pods]


def measure(name: str, objects: list[Manifest]) -> Autoscaling:
    """Print how long the answer took, without the run that proves it."""
    read = parse_scenario(scenario(*objects))
    begun = time.process_time()
    (answer,) = autoscale(read, proves=False)
    added = sum(new.count for new in answer.new_nodes)
    print(f"{name}: {time.process_time() - begun:.2f} s of processor time, {added} nodes")
    return answer


if __name__ == "__main__":
    measure("Cluster Autoscaler, 1,000 pods, 20 groups", groups())
    measure("Karpenter, 2,000 pods, 700 types", types())
