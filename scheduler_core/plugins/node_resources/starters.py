"""Sample clusters in which nodes are rejected by NodeResourcesFit."""

from __future__ import annotations

from scheduler_core.framework.starter import AMOUNTS, Manifest, StarterCluster


def insufficient(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Leave too little of the resource that the reason names on the nodes; "" stands for cpu."""
    resource = reason.removeprefix("Insufficient ") or "cpu"
    default, request = AMOUNTS.get(resource, ("4", "3"))
    cluster.request(resource, request)
    if resource.startswith("hugepages-"):
        cluster.spec["containers"][0]["resources"]["requests"].setdefault("memory", "64Mi")  # cannot be requested alone
    for node in cluster.nodes:
        node["status"]["allocatable"].setdefault(resource, default)
    for node in nodes:
        if cluster.small:
            node["status"]["allocatable"][resource] = {"cpu": "2", "memory": "2Gi"}.get(resource, "2")
        elif resource in AMOUNTS:
            requests = {resource: {"cpu": "2", "memory": "4Gi"}.get(resource, "8Gi")}
            cluster.add_neighbour(node, container={"resources": {"requests": requests}})
        else:
            node["status"]["allocatable"][resource] = "2"


def too_many_pods(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Let each of the nodes allow one pod, which runs there already."""
    for node in nodes:
        node["status"]["allocatable"]["pods"] = "1"
        cluster.add_neighbour(node)
