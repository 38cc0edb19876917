"""Builds the pod and the nodes of a starter scenario."""

from __future__ import annotations

from typing import Any

Manifest = dict[str, Any]
POD = "waits"
AMOUNTS = {"cpu": ("4", "3"), "memory": ("8Gi", "6Gi"), "ephemeral-storage": ("20Gi", "16Gi")}  # of a node, of the pod


class Maker:
    """Builds the pod and the nodes, reason by reason."""

    def __init__(self, total: int, reasons: list[str]) -> None:
        self.total, self.reasons = total, reasons
        self.objects: list[Manifest] = []
        self.unlabelled: set[str] = set()  # nodes without the label by which pods spread
        self.nodes: list[Manifest] = []
        self.arguments: list[Manifest] = []  # of plugins, in the scheduler's configuration
        self.rules: list[Manifest] = []  # by which an extender rejects nodes
        self.gates: Manifest = {}  # feature gates
        self.pod: Manifest = manifest("v1", "Pod", POD, spec={"containers": [{"name": "main", "image": "pause"}]})
        self.pod["metadata"]["labels"] = {"app": POD}

    @property
    def spec(self) -> Manifest:
        return self.pod["spec"]  # type: ignore[no-any-return]

    def node(self, **more: Any) -> Manifest:
        """Another node, with room for everything."""
        name = f"node-{len(self.nodes) + 1:03}"
        labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": "a"}
        amounts = {**{resource: given for resource, (given, _) in AMOUNTS.items()}, "pods": "110"}
        made = manifest("v1", "Node", name, status={"allocatable": amounts})
        made["metadata"]["labels"] = labels
        self.nodes.append({**made, **more})
        return self.nodes[-1]

    def request(self, resource: str, quantity: str) -> None:
        resources = self.spec["containers"][0].setdefault("resources", {})
        resources.setdefault("requests", {})[resource] = quantity
        if resource not in AMOUNTS:
            resources.setdefault("limits", {})[resource] = quantity

    def neighbour(self, node: Manifest, labels: Manifest | None = None, **spec: Any) -> Manifest:
        """A pod that runs on the node."""
        name = f"there-{len(self.objects) + 1:03}"
        container = {"name": "main", "image": "pause", **spec.pop("container", {})}
        made = manifest(
            "v1", "Pod", name, spec={"nodeName": node["metadata"]["name"], "containers": [container], **spec}
        )
        if labels:
            made["metadata"]["labels"] = labels
        self.objects.append(made)
        return made


def manifest(version: str, kind: str, name: str, **more: Any) -> Manifest:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **more}
