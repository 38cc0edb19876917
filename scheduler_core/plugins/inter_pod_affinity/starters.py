"""Sample clusters in which nodes are rejected by InterPodAffinity."""

from __future__ import annotations

from scheduler_core.framework.starter import POD, Manifest, StarterCluster, names_of

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_HOST = "kubernetes.io/hostname"


def require_neighbour(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Let the pod require a pod with app=cache. One runs in another domain, if other nodes exist."""
    key = "example.com/group"
    term = {"labelSelector": {"matchLabels": {"app": "cache"}}, "topologyKey": key}
    cluster.spec.setdefault("affinity", {})["podAffinity"] = {_REQUIRED: [term]}
    names = names_of(nodes)
    others = [node for node in cluster.nodes if node["metadata"]["name"] not in names]
    for node in cluster.nodes:
        node["metadata"]["labels"][key] = "far" if node["metadata"]["name"] in names else "near"
    if others:
        cluster.add_neighbour(others[0], {"app": "cache"})


def exclude_neighbour(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Let the pod exclude pods with app=noisy, which run on the nodes."""
    term = {"labelSelector": {"matchLabels": {"app": "noisy"}}, "topologyKey": _HOST}
    cluster.spec.setdefault("affinity", {})["podAntiAffinity"] = {_REQUIRED: [term]}
    for node in nodes:
        cluster.add_neighbour(node, {"app": "noisy"})


def be_excluded(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Put a pod on each of the nodes; its anti-affinity excludes the pending pod."""
    term = {"labelSelector": {"matchLabels": {"app": POD}}, "topologyKey": _HOST}
    for node in nodes:
        cluster.add_neighbour(node, {"app": "shy"}, affinity={"podAntiAffinity": {_REQUIRED: [term]}})
