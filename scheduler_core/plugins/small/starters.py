"""Sample clusters in which nodes are rejected by the plugins of this package."""

from __future__ import annotations

import re

from scheduler_core.framework.starter import Manifest, StarterCluster


def cordon(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    for node in nodes:
        node["spec"] = {"unschedulable": True}


def take_ports(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    ports = {"ports": [{"containerPort": 80, "hostPort": 8080}]}
    cluster.spec["containers"][0] |= ports
    for node in nodes:
        cluster.add_neighbour(node, container=ports)


def add_gates(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Add the scheduling gates that the message names."""
    match = re.search(r"\[([^\[\]]+)\]", reason)
    names = (match[1] if match else "example.com/gate").split()
    cluster.spec["schedulingGates"] = [{"name": name} for name in names]


def restart_all(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Have the pod restart as a whole; every other node declares that it can."""
    rule = {"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [42]}}
    for container in cluster.pod["spec"]["containers"]:
        container.update({"restartPolicy": "Never", "restartPolicyRules": [rule]})
    for node in cluster.nodes:
        if node not in nodes:
            node.setdefault("status", {})["declaredFeatures"] = ["RestartAllContainersOnContainerExits"]
