"""Sample clusters in which nodes are rejected by NodeAffinity."""

from __future__ import annotations

from scheduler_core.framework.starter import Manifest, StarterCluster, names_of

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def change_labels(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Let the pod select a label that these nodes do not have."""
    cluster.spec["nodeSelector"] = {"disk": "ssd"}
    names = names_of(nodes)
    for node in cluster.nodes:
        node["metadata"]["labels"]["disk"] = "hdd" if node["metadata"]["name"] in names else "ssd"


def enforce(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Exclude these nodes by the profile's addedAffinity."""
    key, names = "example.com/pool", names_of(nodes)
    for node in cluster.nodes:
        node["metadata"]["labels"][key] = "other" if node["metadata"]["name"] in names else "main"
    requirement = {"matchExpressions": [{"key": key, "operator": "In", "values": ["main"]}]}
    cluster.plugin_config.append(
        {"name": "NodeAffinity", "args": {"addedAffinity": {_REQUIRED: {"nodeSelectorTerms": [requirement]}}}}
    )


def pin(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Let the pod require another node by name."""
    names = names_of(nodes)
    others = (node["metadata"]["name"] for node in cluster.nodes if node["metadata"]["name"] not in names)
    _require_names(cluster, next(others, "gone"))


def contradict(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Let the pod require two nodes at once."""
    _require_names(cluster, "node-001", "node-002")


def _require_names(cluster: StarterCluster, *names: str) -> None:
    fields = [{"key": "metadata.name", "operator": "In", "values": [name]} for name in names]
    rules = cluster.spec.setdefault("affinity", {})
    rules["nodeAffinity"] = {_REQUIRED: {"nodeSelectorTerms": [{"matchFields": fields}]}}
