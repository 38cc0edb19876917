"""Workloads of many kinds of pods, of pods that all differ, of pods that fit no node, and of a small cluster."""

from __future__ import annotations

from typing import Any

from tests.bench.workloads import HOST, ZONE, _pod, basic

Objects = dict[str, list[dict[str, Any]]]


def mixed(nodes: int) -> Objects:
    """Return nodes, some with taints, and 1000 pods of 30 kinds.

    The kinds differ in requests, soft and hard spread constraints, anti-affinity, node selectors and tolerations.
    """
    objects = basic(nodes)
    for i, node in enumerate(objects["nodes"]):
        node["metadata"]["labels"]["disk"] = ("ssd", "hdd")[i % 2]
        if i % 10 == 0:
            node["spec"] = {"taints": [{"key": "dedicated", "value": "batch", "effect": "NoSchedule"}]}
    objects["pending"] = [_mixed_pod(i, i % 30) for i in range(1000)]
    return objects


def _mixed_pod(number: int, kind: int) -> dict[str, Any]:
    labels = {"app": f"app-{kind}"}
    selector = {"matchLabels": labels}
    spec: dict[str, Any] = {}
    if kind % 3 == 1:
        when = "DoNotSchedule" if kind % 2 else "ScheduleAnyway"
        constraint = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": when, "labelSelector": selector}
        spec["topologySpreadConstraints"] = [constraint]
    if kind % 3 == 2:
        term = {"topologyKey": HOST, "labelSelector": selector}
        spec["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    if kind % 5 == 0:
        spec["nodeSelector"] = {"disk": "ssd"}
    if kind % 7 == 0:
        spec["tolerations"] = [{"key": "dedicated", "operator": "Exists"}]
    return _pod(f"p-{number:05d}", f"{50 + 10 * kind}m", f"{100 + 20 * kind}Mi", labels, **spec)


def unique(nodes: int) -> Objects:
    """Return nodes, and 1000 pods, no two of which have the same requests or labels."""
    objects = basic(nodes)
    objects["pending"] = [_pod(f"p-{i:05d}", f"{50 + i}m", f"{100 + i}Mi", {"app": f"app-{i}"}) for i in range(1000)]
    return objects


def waiting() -> Objects:
    """Return 20 nodes, 800 pods that fit no node, and 800 small pods of lower priority that fit."""
    objects = basic(20)
    big = [_pod(f"big-{i:03d}", "100", "200Mi", {"app": "big"}, priority=10) for i in range(800)]
    objects["pending"] = [*big, *objects["pending"][:800]]
    return objects


def small() -> Objects:
    """Return 20 nodes and 50 pods."""
    objects = basic(20)
    objects["pending"] = objects["pending"][:50]
    return objects
