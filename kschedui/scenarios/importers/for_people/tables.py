"""`kubectl get pods` and `get nodes`, also with -o wide: who runs where, and the state of nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kschedui.scenarios.importers.for_people.nodes import a_pod
from kschedui.scenarios.importers.for_people.sections import NONE, Table

Manifest = dict[str, Any]

ENDED = ("Completed", "Succeeded", "Error", "Evicted", "Failed")
WITHOUT_NODE = ("", "Pending", "SchedulingGated", "Terminating")  # any other status has a pod that is on a node
PLENTY = {"cpu": "1000", "memory": "1Ti", "pods": "1000", "ephemeral-storage": "1Ti"}  # where nothing is known


def is_of_pods(table: Table) -> bool:
    return "NAME" in table.heads and "READY" in table.heads and "STATUS" in table.heads


def is_of_nodes(table: Table) -> bool:
    return "NAME" in table.heads and "ROLES" in table.heads and "VERSION" in table.heads


def read_pods(table: Table) -> Iterator[tuple[Manifest, bool]]:
    """Yield the pods that have not ended, and whether they may wait for a node. Requests are not printed."""
    for row in table.rows:
        name, status = row.get("NAME", ""), row.get("STATUS", "")
        if not name or status in ENDED:
            continue
        pod = a_pod(row.get("NAMESPACE") or "default", name, row.get("NODE", ""), {})
        if status == "Terminating":
            pod["metadata"]["deletionTimestamp"] = "2025-01-01T00:00:00Z"
        nominated = row.get("NOMINATED NODE", "")
        if nominated not in NONE and "nodeName" not in pod["spec"]:
            pod["status"] = {"nominatedNodeName": nominated}
        yield pod, status in WITHOUT_NODE


def read_nodes(table: Table) -> Iterator[Manifest]:
    """Yield the nodes with the taints that follow from their state. Amounts are not printed."""
    for row in table.rows:
        name, states = row.get("NAME", ""), row.get("STATUS", "").split(",")
        if not name:
            continue
        spec: Manifest = {}
        taints = []
        if "NotReady" in states:
            taints.append({"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"})
        if "SchedulingDisabled" in states:
            spec["unschedulable"] = True
            taints.append({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"})
        if taints:
            spec["taints"] = taints
        status: Manifest = {"allocatable": dict(PLENTY)}
        if version := row.get("VERSION", ""):
            status["nodeInfo"] = {"kubeletVersion": version}
        metadata = {"name": name, "labels": {"kubernetes.io/hostname": name}}
        yield {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec, "status": status}
