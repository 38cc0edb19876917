"""The cluster of a starter scenario: nodes, other pods, and a pod that is pending for given reasons."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Manifest = dict[str, Any]
POD = "waits"
EXTENDER = "http://stands-in.example.com"
AMOUNTS = {  # of a node, of the pod
    "cpu": ("4", "3"),
    "memory": ("8Gi", "6Gi"),
    "ephemeral-storage": ("20Gi", "16Gi"),
}


class StarterCluster:
    """A cluster of `total` nodes with a pending pod (`spec`); each of its `reasons` changes some nodes.

    Objects are manifests. `plugin_config` is added to the scheduler's configuration, `extender_rules` to an extender
    that rejects nodes, and `feature_gates` to the scenario. `small`: nodes without room are too small even when empty.
    """

    def __init__(self, total: int, reasons: list[str], *, small: bool = False) -> None:
        self.total, self.reasons, self.small = total, reasons, small
        self.objects: list[Manifest] = []
        self.unlabelled: set[str] = set()  # nodes without the label by which pods spread
        self.nodes: list[Manifest] = []
        self.plugin_config: list[Manifest] = []
        self.extender_rules: list[Manifest] = []
        self.feature_gates: Manifest = {}
        self.pod: Manifest = manifest("v1", "Pod", POD, spec={"containers": [{"name": "main", "image": "pause"}]})
        self.pod["metadata"]["labels"] = {"app": POD}

    @property
    def spec(self) -> Manifest:
        return self.pod["spec"]  # type: ignore[no-any-return]

    def add_node(self, **more: Any) -> Manifest:
        """Add an empty node with room for the pod; `more` replaces fields of its manifest. Return the manifest."""
        name = f"node-{len(self.nodes) + 1:03}"
        labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": "a"}
        amounts = {**{resource: default for resource, (default, _) in AMOUNTS.items()}, "pods": "110"}
        node = manifest("v1", "Node", name, status={"allocatable": amounts})
        node["metadata"]["labels"] = labels
        self.nodes.append({**node, **more})
        return self.nodes[-1]

    def request(self, resource: str, quantity: str) -> None:
        """Add a resource request to the pod, with an equal limit for resources that cannot be overcommitted."""
        resources = self.spec["containers"][0].setdefault("resources", {})
        resources.setdefault("requests", {})[resource] = quantity
        if resource not in AMOUNTS:
            resources.setdefault("limits", {})[resource] = quantity

    def add_neighbour(self, node: Manifest, labels: Manifest | None = None, **spec: Any) -> Manifest:
        """Add a pod that runs on the node. Return its manifest."""
        name = f"there-{len(self.objects) + 1:03}"
        container = {"name": "main", "image": "pause", **spec.pop("container", {})}
        neighbour = manifest(
            "v1", "Pod", name, spec={"nodeName": node["metadata"]["name"], "containers": [container], **spec}
        )
        if labels:
            neighbour["metadata"]["labels"] = labels
        self.objects.append(neighbour)
        return neighbour

    def documents(self, **spec: Any) -> list[Manifest]:
        """Return the documents of the scenario; `spec` is added to that of the scenario itself."""
        if self.feature_gates:
            spec["featureGates"] = self.feature_gates
        if self.extender_rules:
            spec["extenders"] = [{"urlPrefix": EXTENDER, "filter": self.extender_rules}]
        scenario = manifest("kschedui.io/v1alpha1", "Scenario", "starter", spec=spec)
        return [*self.nodes, *self.objects, self.pod, *self._configuration(), scenario]

    def _configuration(self) -> list[Manifest]:
        """Return the scheduler's configuration; empty if none is needed."""
        document: Manifest = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
        if self.plugin_config:
            document["profiles"] = [{"schedulerName": "default-scheduler", "pluginConfig": self.plugin_config}]
        if self.extender_rules:
            document["extenders"] = [{"urlPrefix": EXTENDER, "filterVerb": "filter"}]
        return [document] if self.plugin_config or self.extender_rules else []


def names_of(nodes: Iterable[Manifest]) -> set[str]:
    return {node["metadata"]["name"] for node in nodes}


def manifest(version: str, kind: str, name: str, **more: Any) -> Manifest:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **more}
