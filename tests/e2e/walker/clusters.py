"""Clusters with the names, labels and taints of large providers, and pods with names like those of controllers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import yaml

ALPHABET = "bcdfghjklmnpqrstvwxz2456789"  # of the random part of names
HEX = "0123456789abcdef"
Node = tuple[str, dict[str, str], str]  # name, labels, pool
POOLS = ("general", "memory", "gpu")
WORKLOADS = (("checkout", 500), ("payments-worker", 900), ("frontend", 250), ("search-indexer", 1500), ("mail", 100))


def eks(rng: random.Random, number: int) -> Node:
    zone = "abc"[number % 3]
    pool = POOLS[0] if number % 8 else POOLS[2]
    name = f"ip-10-0-{10 + number % 3}-{number * 5 + rng.randrange(5)}.eu-west-1.compute.internal"
    return name, {"eks.amazonaws.com/nodegroup": pool, "topology.kubernetes.io/zone": f"eu-west-1{zone}"}, pool


def gke(rng: random.Random, number: int) -> Node:
    pool = POOLS[number % 3 if number % 2 else 0]
    ids = {"general": "1f3a9c07", "memory": "77be02d4", "gpu": "c90d11aa"}
    name = f"gke-shop-prod-eu-{pool}-pool-{ids[pool]}-{word(rng, 4)}"
    zone = f"europe-west4-{'abc'[number % 3]}"
    return name, {"cloud.google.com/gke-nodepool": f"{pool}-pool", "topology.kubernetes.io/zone": zone}, pool


def aks(rng: random.Random, number: int) -> Node:
    pool = POOLS[0] if number % 4 else POOLS[2]
    name = f"aks-{pool}pool-{37190252 if pool == 'gpu' else 20718744}-vmss{number:06d}"
    zone = f"westeurope-{1 + number % 3}"
    return name, {"kubernetes.azure.com/agentpool": f"{pool}pool", "topology.kubernetes.io/zone": zone}, pool


PROVIDERS = {"eks": eks, "gke": gke, "aks": aks}


def word(rng: random.Random, letters: int, alphabet: str = ALPHABET) -> str:
    return "".join(rng.choice(alphabet) for _ in range(letters))


def imported(provider: str, count: int) -> str:
    """Return the text of a scenario with `count` nodes of a provider, pods on them, and pending pods."""
    rng = random.Random(provider)
    nodes = [PROVIDERS[provider](rng, number) for number in range(count)]
    objects = [*map(node, nodes), *running(rng, nodes), *waiting(rng)]
    return yaml.safe_dump_all(objects, sort_keys=False)


def node(described: Node) -> dict[str, Any]:
    name, labels, pool = described
    spec = {"taints": [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]} if pool == "gpu" else {}
    size = {"cpu": "3920m", "memory": "14764Mi", "pods": "58"}
    labels = {"kubernetes.io/hostname": name.split(".")[0], "node.kubernetes.io/instance-type": "m5.xlarge", **labels}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
        "status": {"allocatable": size, "capacity": {**size, "cpu": "4"}},
    }


def pod(name: str, app: str, cpu: int, **spec: Any) -> dict[str, Any]:
    container = {
        "name": "main",
        "image": f"registry.example.com/{app}:1",
        "resources": {"requests": {"cpu": f"{cpu}m", "memory": f"{cpu}Mi"}},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "shop", "labels": {"app": app}},
        "spec": {"containers": [container], **spec},
    }


def running(rng: random.Random, nodes: list[Node]) -> Iterator[dict[str, Any]]:
    """Yield, for each node, a pod of a DaemonSet and pods of the workloads.

    These fill most nodes; every ninth node has room, and GPU nodes have only the DaemonSet's pod.
    """
    hashes = {app: word(rng, 10) if app != "mail" else word(rng, 10, HEX) for app, _ in WORKLOADS}
    for number, (name, _, pool) in enumerate(nodes):
        yield pod(f"node-exporter-{word(rng, 5)}", "node-exporter", 100, nodeName=name)
        left = 0 if pool == "gpu" else 3820 if number % 9 else 1200
        while left > 150:
            app, cpu = rng.choice([one for one in WORKLOADS if one[1] <= left])
            left -= cpu
            yield pod(f"{app}-{hashes[app]}-{word(rng, 5)}", app, cpu, nodeName=name)


def waiting(rng: random.Random) -> Iterator[dict[str, Any]]:
    """Yield a PriorityClass and four pending pods.

    The first fits, the second selects a label that no node has, the third is too large, the fourth preempts.
    """
    yield {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "urgent"},
        "value": 100000,
    }
    template = word(rng, 10)
    yield pod(f"checkout-{template}-{word(rng, 5)}", "checkout", 500, schedulerName="default-scheduler")
    yield pod(f"report-{template}-{word(rng, 5)}", "report", 500, nodeSelector={"disktype": "ssd"})
    yield pod(f"search-indexer-{template}-{word(rng, 5)}", "search-indexer", 9000)
    yield pod(f"payments-worker-{template}-{word(rng, 5)}", "payments-worker", 3000, priorityClassName="urgent")
