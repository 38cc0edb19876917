"""`kubectl get pods`, `get nodes` and both in one, also with -o wide and --show-labels: nodes of pods, and states."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from kschedui.scenarios.importers.for_people.nodes import make_pod
from kschedui.scenarios.importers.for_people.sections import NONE, Table

Manifest = dict[str, Any]

DELETED = "2025-01-01T00:00:00Z"  # of a pod that is being deleted; kubectl does not print the time
# A phase, the reason of a container that has ended, or why kubelet refused or ended the pod (printers.go: printPod).
ENDED = re.compile(
    r"Completed|Succeeded|Failed|Error|OOMKilled|ContainerCannotRun|StartError|ContainerStatusUnknown|ExitCode:\d+"
    r"|Signal:\d+|Evicted|DeadlineExceeded|Shutdown|NodeShutdown|Terminated|Preempting|OutOf\w+|NodeAffinity|NodePorts"
    r"|NodeName|TaintToleration|UnexpectedAdmissionError|InvalidNodeInfo"
)
WITHOUT_NODE = ("", "Pending", "SchedulingGated", "Terminating")  # a pod with any other status is on a node
KINDS = {"pod": ("pod/", "pods/", "po/"), "node": ("node/", "nodes/", "no/")}  # before names of several kinds
ROLE = "node-role.kubernetes.io/"
GATE = "kschedui.io/not-printed"  # stands for the gates of a pod in the state SchedulingGated
UNKNOWN = make_pod("", "", "", {})["spec"]["containers"]  # of a pod in a table
PLENTY = {"cpu": "1000", "memory": "1Ti", "pods": "1000", "ephemeral-storage": "1Ti"}  # where nothing is known


def is_of_pods(table: Table) -> bool:
    return "NAME" in table.heads and "READY" in table.heads and "STATUS" in table.heads


def is_of_nodes(table: Table) -> bool:
    return "NAME" in table.heads and "ROLES" in table.heads and "VERSION" in table.heads


def read_pods(table: Table) -> Iterator[tuple[Manifest, bool]]:
    """Yield the pods that have not ended, and whether each may be waiting for a node. Requests are not printed."""
    for row in table.rows:
        name, status = _name(row, "pod"), row.get("STATUS", "")
        if not name or ENDED.fullmatch(status):
            continue
        pod = make_pod(row.get("NAMESPACE") or "default", name, row.get("NODE", ""), {})
        if labels := _labels(row):
            pod["metadata"]["labels"] = labels
        if status == "Terminating":
            pod["metadata"]["deletionTimestamp"] = DELETED
        if status == "SchedulingGated":
            pod["spec"]["schedulingGates"] = [{"name": GATE}]
        status_of_pod: Manifest = {}
        ready, slash, containers = row.get("READY", "").partition("/")
        if slash and ready != containers and status not in WITHOUT_NODE:
            status_of_pod["conditions"] = [{"type": "Ready", "status": "False"}]
        nominated = row.get("NOMINATED NODE", "")
        if nominated not in NONE and "nodeName" not in pod["spec"]:
            status_of_pod["nominatedNodeName"] = nominated
        if status_of_pod:
            pod["status"] = status_of_pod
        yield pod, status in WITHOUT_NODE


def read_nodes(table: Table) -> Iterator[Manifest]:
    """Yield the nodes with the taints that follow from their state. Amounts are not printed."""
    for row in table.rows:
        name, states = _name(row, "node"), row.get("STATUS", "").split(",")
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
        roles = {ROLE + role: "" for role in row.get("ROLES", "").split(",") if role not in NONE}
        labels = _labels(row) if "LABELS" in row else {"kubernetes.io/hostname": name, **roles}
        metadata = {"name": name, "labels": labels}
        yield {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec, "status": status}


def _name(row: dict[str, str], kind: str) -> str:
    """Return the name of a row, without the kind that kubectl writes before it in a table of several kinds."""
    name = row.get("NAME", "")
    before = next((word for word in KINDS[kind] if name.startswith(word)), "")
    return name.removeprefix(before)


def _labels(row: dict[str, str]) -> dict[str, str]:
    """Return the labels of --show-labels: a=b,c=d."""
    entries = (entry.partition("=") for entry in row.get("LABELS", "").split(","))
    return {key: value for key, equals, value in entries if equals}
