"""Sample clusters in which nodes are rejected by TaintToleration."""

from __future__ import annotations

import re

from scheduler_core.framework.starter import Manifest, StarterCluster

_TAINT = re.compile(r"taint \{(?P<key>[^:{}]+): ?(?P<value>[^{}]*)\}")
_EVICTING = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


def taint(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    match = _TAINT.search(reason)
    key, value = (match["key"], match["value"].strip()) if match else ("dedicated", "others")
    effect = "NoExecute" if key in _EVICTING else "NoSchedule"
    for node in nodes:
        node["spec"] = {"taints": [{"key": key, "effect": effect, **({"value": value} if value else {})}]}
