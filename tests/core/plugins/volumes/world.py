"""A cluster for tests of the volume plugins: objects from a scenario, and a handle that records writes."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from scheduler_core.apis.core import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    KubernetesObject,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    StorageClass,
    VolumeAttachment,
)
from scheduler_core.cluster.cluster import Cluster, key_of
from scheduler_core.framework.interface import PreFilterResult, Status
from scheduler_core.framework.what_if import Change, WhatIf
from scheduler_core.releases import DEFAULT_RELEASE
from tests import builders
from tests.reference.framework.storage import Storage

GI = 1 << 30


class World:
    """A cluster and a `handle` that stands in for framework.Handle: the plugins under test use its cluster and `write`
    alone."""

    def __init__(self, *manifests: builders.Manifest) -> None:
        self.cluster = Cluster()
        self.written: list[tuple[str, KubernetesObject]] = []
        for item in builders.parse(*manifests).objects:
            self.cluster.apply(item)
        self.cluster.snapshot()
        self.feature_gates = MappingProxyType({})
        self.release = DEFAULT_RELEASE

    def write(self, item: KubernetesObject, action: Literal["create", "update"] = "update") -> None:
        self.written.append((action, item))
        self.cluster.apply(item)

    def pod(self, name: str) -> Pod:
        found = self.cluster.pods.get(f"default/{name}")
        assert found is not None
        return found

    def run(self, plugin: Any, name: str, change: Change | None = None) -> dict[str, Status] | PreFilterResult:
        """Return every node's status by name, or PreFilter's result if Filter does not run."""
        result: PreFilterResult = plugin.pre_filter(self.pod(name), self.cluster)
        if not result.status.is_success:
            return result
        return self.filter(plugin, name, result.state, change)

    def filter(self, plugin: Any, name: str, state: Any, change: Change | None = None) -> dict[str, Status]:
        nodes = self.cluster.nodes
        verdicts = plugin.filter(self.pod(name), state, nodes, slice(0, len(nodes)), change)
        numbers = verdicts.numbers if len(verdicts.numbers) else np.zeros(len(nodes), np.int16)
        passed = Status()
        return {
            node: verdicts.statuses[number - 1] if number else passed
            for node, number in zip(nodes.names, numbers.tolist(), strict=True)
        }

    def change(self, plugin: Any, name: str, state: Any, signs: dict[str, int]) -> Change:
        """Return a change that removes the named pods from their nodes (-1), or adds `name@node` there (+1)."""
        nodes, pods = self.cluster.nodes, self.cluster.pods
        rows = np.arange(len(nodes), dtype=np.intp)
        index, slots = [], []
        for key in signs:
            pod_name, _, node = key.partition("@")
            slot = pods.slot_of[f"default/{pod_name}"]
            slots.append(slot)
            index.append(nodes.row_of[node] if node else int(pods.row[slot]))
        what_if = WhatIf(
            rows, np.array(index, np.intp), np.array(slots, np.intp), np.array([*signs.values()], np.int64)
        )
        pod = self.pod(name)
        delta = what_if.delta("plugin", lambda slots, rows: plugin.add_pod_delta(pod, state, self.cluster, slots, rows))
        return Change(delta, what_if, rows)

    def storage(self) -> Storage:
        """Return the same objects for the reference."""

        def by_key(kind: type[Any]) -> dict[str, Any]:
            return {key_of(item): item for item in self.cluster.objects(kind.__name__)}

        return Storage(
            by_key(PersistentVolumeClaim),
            by_key(PersistentVolume),
            by_key(StorageClass),
            by_key(CSINode),
            by_key(CSIDriver),
            [*by_key(CSIStorageCapacity).values()],
            [*by_key(VolumeAttachment).values()],
        )

    def nodes_with_pods(self) -> list[tuple[Any, list[Pod]]]:
        pods = self.cluster.pods
        return [(n, [pods.pods[slot] for slot in pods.on_node(n.name)]) for n in self.cluster.nodes.nodes]


def storage_class(name: str, *, wait: bool = True, provisioner: str = "csi.example.com", **fields: Any) -> Any:
    mode = "WaitForFirstConsumer" if wait else "Immediate"
    metadata = {"name": name}
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": metadata,
        "provisioner": provisioner,
        "volumeBindingMode": mode,
        **fields,
    }


def claim(name: str, class_name: str = "fast", size: str = "5Gi", **fields: Any) -> Any:
    """Return a claim. `volume`: the volume it is bound to; `modes`; `annotations`; other fields go into the spec."""
    metadata: dict[str, Any] = {"name": name, "annotations": fields.pop("annotations", {})}
    spec: dict[str, Any] = {
        "accessModes": fields.pop("modes", ["ReadWriteOnce"]),
        "resources": {"requests": {"storage": size}},
        "storageClassName": class_name,
    }
    if volume := fields.pop("volume", ""):
        spec["volumeName"] = volume
    status = {"phase": fields.pop("phase")} if "phase" in fields else {}
    kind = {"apiVersion": "v1", "kind": "PersistentVolumeClaim"}
    return {**kind, "metadata": metadata, "spec": {**spec, **fields}, "status": status}


def volume(name: str, class_name: str = "fast", size: str = "5Gi", **fields: Any) -> Any:
    """Return a volume. `zone`: its node affinity; `labels`; `phase`; other fields go into the spec.

    The default is CSI.
    """
    status = {"phase": fields.pop("phase", "Available")}
    metadata: dict[str, Any] = {"name": name, "labels": fields.pop("labels", {})}
    spec: dict[str, Any] = {
        "accessModes": ["ReadWriteOnce"],
        "capacity": {"storage": size},
        "storageClassName": class_name,
    }
    if zone := fields.pop("zone", ""):
        key = "topology.kubernetes.io/zone"
        terms = [{"matchExpressions": [{"key": key, "operator": "In", "values": [zone]}]}]
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": terms}}
    source = fields.pop("source", {"csi": {"driver": "csi.example.com", "volumeHandle": f"handle-{name}"}})
    kind = {"apiVersion": "v1", "kind": "PersistentVolume"}
    return {**kind, "metadata": metadata, "spec": {**spec, **source, **fields}, "status": status}


def csi_node(name: str, *, migrated: str = "", **limits: int | None) -> Any:
    """Return a CSINode. `limits`: driver (with _ for . and -) and count; "csi_example_com=3"."""
    drivers = []
    for driver, count in limits.items():
        allocatable = {"allocatable": {"count": count}} if count is not None else {}
        drivers.append({"name": driver.replace("_", "."), "nodeID": name, "topologyKeys": [], **allocatable})
    annotations = {"storage.alpha.kubernetes.io/migrated-plugins": migrated} if migrated else {}
    metadata = {"name": name, "annotations": annotations}
    return {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": metadata, "spec": {"drivers": drivers}}


def using(*claims: str, **sources: Any) -> list[Any]:
    """Return the volumes of a pod: claims by name, inline sources by type."""
    found = [{"name": f"v{i}", "persistentVolumeClaim": {"claimName": name}} for i, name in enumerate(claims)]
    return found + [{"name": f"w{i}", key: value} for i, (key, value) in enumerate(sources.items())]


def verdicts(found: Any) -> dict[str, str]:
    """Return the reasons for each node, "" for success."""
    assert not isinstance(found, PreFilterResult), found
    return {name: status.message for name, status in found.items()}


def rejection(found: Any) -> tuple[str, str]:
    assert isinstance(found, PreFilterResult), found
    return found.status.code.label, found.status.message


def zones_world(*more: Any, **fields: Any) -> World:
    """Return a pod whose claim waits for its consumer, and a node in each of two zones; `fields` are the class's."""
    return World(
        builders.node("a", zone="za"),
        builders.node("b", zone="zb"),
        storage_class("fast", **fields),
        claim("c"),
        *more,
        builders.pod("new", volumes=using("c")),
    )
