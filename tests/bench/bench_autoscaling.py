"""Measure the processor time of one decision of each autoscaler.

    python tests/bench/bench_autoscaling.py

Scale-up: Cluster Autoscaler with 1,000 pending pods and 20 groups, Karpenter with 700 instance types and 2,000 pods.
Scale-down: 300 nodes with two small pods each, of which each autoscaler removes some.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from scheduler_core import simulate
from scheduler_core.ask.autoscale.answers import Autoscaling
from scheduler_core.ask.autoscale.question import autoscale
from scheduler_core.scenario.parse import parse_scenario
from scheduler_core.trace.autoscaling_events import ScaleDownEvaluated
from tests.builders import Manifest, node, pod, scenario
from tests.core.autoscaling.builders import CLASS, instance_type, karpenter, node_class, node_pool, own

GROUPS, PENDING = 20, 1000
TYPES, PODS = 700, 2000
NODES = 300
CONDITIONS = ("Launched", "Registered", "Initialized", "Ready", "Consolidatable")


def groups(pending: int = PENDING) -> list[Manifest]:
    """Return pending pods, 20 node groups of up to 500 nodes, and Cluster Autoscaler."""
    made = [pod(f"p{number}", cpu=2 if number % 3 else 1) for number in range(pending)]
    sizes = {"minimum": 0, "maximum": 500, "size": 0}
    templates = (node("of", cpu=4 + number % 4) for number in range(GROUPS))
    made += [own("NodeGroup", f"g{number}", **sizes, template=template) for number, template in enumerate(templates)]
    return [node("n0", cpu=1), *made, own("ClusterAutoscaler", flags=["--expander=least-waste"])]


def types(pending: int = PODS) -> list[Manifest]:
    """Return pending pods, a node pool with 700 instance types, and Karpenter."""
    kinds = [instance_type(f"t{n}", 1 + n % 64, 0.04 * (1 + n % 64) + n / 1e5, zones="abc") for n in range(TYPES)]
    pods = [pod(f"p{number}", cpu=f"{200 + number % 7 * 150}m") for number in range(pending)]
    pool = node_pool("p", {"spec": {"expireAfter": "Never"}})
    return [node_class(), pool, karpenter(instanceTypes=kinds), *pods]


def used_group() -> list[Manifest]:
    """Return a node group of 300 nodes with two small pods on each, and Cluster Autoscaler."""
    nodes = [node(f"g-{number}", labels={"group": "g"}) for number in range(NODES)]
    group = own("NodeGroup", "g", minimum=0, maximum=500, nodes=[item["metadata"]["name"] for item in nodes])
    return [*nodes, group, own("ClusterAutoscaler", flags=[]), *_used("g-")]


def used_pool() -> list[Manifest]:
    """Return a node pool of 300 nodes with two small pods on each, and Karpenter, which may consolidate them."""
    pool = node_pool("p", {"spec": {"expireAfter": "Never"}}, disruption={"consolidateAfter": "0s"})
    kinds = [instance_type(f"t{cpu}", cpu, 0.04 * cpu) for cpu in (1, 2, 4, 8, 16)]
    made: list[Manifest] = [node_class(), pool, karpenter(instanceTypes=kinds)]
    for number in range(NODES):
        name = f"p-{number}"
        labels = {
            "karpenter.sh/nodepool": "p",
            "karpenter.sh/capacity-type": "on-demand",
            "karpenter.sh/registered": "true",
            "karpenter.sh/initialized": "true",
            "node.kubernetes.io/instance-type": "t4",
            "topology.kubernetes.io/zone": "ab"[number % 2],
            "kubernetes.io/arch": "amd64",
            "kubernetes.io/os": "linux",
        }
        conditions = [{"type": kind, "status": "True"} for kind in CONDITIONS]
        claim = {
            "apiVersion": "karpenter.sh/v1",
            "kind": "NodeClaim",
            "metadata": {"name": name, "labels": labels},
            "spec": {"nodeClassRef": CLASS, "requirements": [], "expireAfter": "Never"},
            "status": {"nodeName": name, "conditions": conditions},
        }
        made += [node(name, cpu=4, labels=labels), claim]
    return [*made, *_used("p-")]


def _used(prefix: str) -> list[Manifest]:
    safe = {"cluster-autoscaler.kubernetes.io/safe-to-evict": "true"}
    cpu = [f"{300 + number % 5 * 100}m" for number in range(NODES)]
    return [
        pod(f"app-{number}-{copy}", cpu=cpu[number], node=f"{prefix}{number}", annotations=safe)
        for number in range(NODES)
        for copy in range(2)
    ]


def answered(objects: list[Manifest]) -> tuple[Autoscaling, float]:
    """Return the autoscaler's answer, without the run that verifies it, and the seconds of processor time for it."""
    read = parse_scenario(scenario(*objects))
    begun = time.process_time()
    (answer,) = autoscale(read, proves=False)
    return answer, time.process_time() - begun


def measure(name: str, objects: list[Manifest]) -> None:
    """Print the processor time of the answer, and the number of nodes that it adds."""
    answer, seconds = answered(objects)
    added = sum(new.count for new in answer.new_nodes)
    print(f"{name}: {seconds:.2f} s of processor time, {added} nodes are added")


def measure_run(name: str, objects: list[Manifest], seconds: float) -> None:
    """Print the processor time to simulate `seconds`, and the most nodes in one evaluation of a scale-down."""
    read = parse_scenario(scenario(*objects, untilSeconds=seconds))
    begun = time.process_time()
    evaluated = [event for event in simulate(read) if isinstance(event, ScaleDownEvaluated)]
    spent = time.process_time() - begun
    print(f"{name}: {spent:.2f} s of processor time, {max((len(e.nodes) for e in evaluated), default=0)} nodes go")


if __name__ == "__main__":
    measure("Cluster Autoscaler, 1,000 pods, 20 groups", groups())
    measure("Karpenter, 2,000 pods, 700 types", types())
    measure("Cluster Autoscaler, why each of 300 nodes stays or goes", used_group())
    measure_run("Cluster Autoscaler, the first removals of 300 nodes, after 10 minutes", used_group(), 620)
    measure("Karpenter, why each of 300 nodes stays or goes", used_pool())
    measure_run("Karpenter, the first consolidation of 300 nodes", used_pool(), 30)
