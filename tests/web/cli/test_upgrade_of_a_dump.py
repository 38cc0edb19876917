"""`kschedui upgrade --to 1.37` on the dump of a cluster of 300 nodes names the pods that move, and the rule."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kschedui.cli.main import main
from tests.dumps import Cluster, Manifest, as_yaml, listed

DRIVER = "gpu.example.com"


def volumes() -> Iterator[Manifest]:
    """Yield objects for the rule about missing CSI drivers: a driver, a node that has it, and a pod with a volume."""
    driver = {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "disks.example.com"}}
    yield {**driver, "spec": {"preventPodSchedulingIfMissing": True}}
    there = {"name": "disks.example.com", "nodeID": "node-020"}
    csi_node = {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "node-020"}}
    yield {**csi_node, "spec": {"drivers": [{**there, "allocatable": {"count": 5}}]}}
    of_both = {"accessModes": ["ReadWriteOnce"], "storageClassName": ""}
    volume = {
        **of_both,
        "capacity": {"storage": "10Gi"},
        "csi": {"driver": "disks.example.com", "volumeHandle": "disk-1"},
        "claimRef": {"kind": "PersistentVolumeClaim", "namespace": "default", "name": "data"},
    }
    yield {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "disk"}, "spec": volume}
    claim = {**of_both, "volumeName": "disk", "resources": {"requests": {"storage": "9Gi"}}}
    metadata = {"name": "data", "namespace": "default"}
    yield {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": claim}
    yield pod("database", volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}])


def devices() -> Iterator[Manifest]:
    """Yield devices on one node, a DeviceTaintRule for them, and a pod that uses one."""
    api = "resource.k8s.io/v1"
    yield {"apiVersion": api, "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}}
    pool = {"name": "node-030", "generation": 1, "resourceSliceCount": 1}
    spec: Manifest = {"driver": DRIVER, "nodeName": "node-030", "pool": pool, "devices": [{"name": "gpu-0"}]}
    yield {"apiVersion": api, "kind": "ResourceSlice", "metadata": {"name": "gpus"}, "spec": spec}
    taint = {"key": "example.com/hot", "effect": "NoSchedule", "timeAdded": "2025-01-01T00:00:00Z"}
    rule = {"apiVersion": "resource.k8s.io/v1beta2", "kind": "DeviceTaintRule", "metadata": {"name": "hot"}}
    yield {**rule, "spec": {"deviceSelector": {"driver": DRIVER}, "taint": taint}}
    metadata = {"name": "gpu", "namespace": "default"}
    requests = [{"name": "gpu", "exactly": {"deviceClassName": "gpu"}}]
    spec = {"spec": {"devices": {"requests": requests}}}
    yield {"apiVersion": api, "kind": "ResourceClaimTemplate", "metadata": metadata, "spec": spec}
    yield pod("train", resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "gpu"}])


def pod(name: str, **spec: Any) -> Manifest:
    containers = [{"name": "main", "image": "registry.example.com/app:1"}]
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": containers, **spec}}


def dump() -> str:
    cluster = Cluster(nodes=300, pods=400)
    return as_yaml(listed([*cluster.objects(), *volumes(), *devices()]))


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("dump.yaml").write_text(dump())


def test_pods_move_by_the_rules_of_1_37_alone(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["upgrade", "dump.yaml", "--kubernetes-version", "1.36", "--to", "1.37"]
    assert main([*command, "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    changes = {change["pod"]: change for change in found["changes"]}
    sides = {pod: (change["before"]["node"], change["after"]["node"]) for pod, change in changes.items()}
    assert found["decided"] > 300
    assert {pod for pod, (before, after) in sides.items() if before != after} == {"default/train", "default/database"}
    assert sides["default/train"] == ("node-030", "")
    assert sides["default/database"][1] == "node-020"

    assert main(command) == 1
    text = capsys.readouterr().out
    assert "1 comes to another node, 1 finds none any more" in text
    assert "NodeVolumeLimits: disks.example.com CSI driver is not installed on the node\n    default/database" in text
    assert "DynamicResources: cannot allocate all claims\n    default/train  node-030 -> (pending)" in text
    assert "preemption: 0/300 nodes are available" in text
