"""Binding and provisioning at PreBind: the scheduler's writes, and the immediate responses of the controllers.

`BindPodVolumes` (volumebinding/binder.go) prebinds volumes, sets the selected node of claims, and waits. Here the PV
controller and the provisioner act at the same time: a prebound volume becomes Bound, a claim with a selected node gets
a new volume `pvc-<uid>`. Every write is one event for the queue.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from scheduler_core.apis.core import Node, PersistentVolume, PersistentVolumeClaim, StorageClass
from scheduler_core.apis.quantity import format_bytes
from scheduler_core.apis.selectors import NodeSelector, NodeSelectorTerm, SelectorRequirement
from scheduler_core.framework.interface import Handle
from scheduler_core.plugins.volumes.binding.assume_cache import PodVolumes, with_claim
from scheduler_core.plugins.volumes.csi_migration import TranslationError
from scheduler_core.plugins.volumes.listers import Storage
from scheduler_core.plugins.volumes.matching import claim_class, reachable_after_migration

BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"


def bind_volumes(volumes: PodVolumes, node_name: str, storage: Storage, handle: Handle) -> str:
    """Bind and provision for the node. Return the error (`checkBindings`), "" if there is none."""
    node = storage.cluster.node(node_name)
    if node is None:
        return f'failed to get node "{node_name}": node "{node_name}" not found'
    for claim, pv in volumes.bindings:
        handle.write(_bound_volume(pv))
        handle.write(_bound_claim(claim, pv.name))
    for claim in volumes.provisions:
        handle.write(claim)
        storage_class = storage.storage_class(claim_class(claim))
        assert storage_class is not None
        handle.write(provisioned(claim, storage_class, node), "create")
        handle.write(_bound_claim(claim, volume_name(claim)))
    csi_node = storage.csi_node(node_name)
    for _, pv in volumes.bindings:
        try:
            reachable = reachable_after_migration(pv, node.labels, csi_node)
        except TranslationError as error:
            return f"failed to translate pv to csi: could not translate pv: {error}"
        if not reachable:
            return f'pv "{pv.name}" node affinity doesn\'t match node "{node_name}": no matching NodeSelectorTerms'
    return ""


def volume_name(claim: PersistentVolumeClaim) -> str:
    """Return the provisioner's name for the claim's new volume."""
    return f"pvc-{claim.uid}"


def provisioned(claim: PersistentVolumeClaim, storage_class: StorageClass, node: Node) -> PersistentVolume:
    """Return the new volume of a claim.

    If the class has allowed topologies, the volume is limited to nodes with this node's values of these labels.
    """
    name = volume_name(claim)
    keys = {key for term in storage_class.allowed_topologies for key, _ in term}
    requirements = tuple(
        SelectorRequirement(key, "In", (node.labels[key],)) for key in sorted(keys) if key in node.labels
    )
    csi = {"driver": storage_class.provisioner, "volumeHandle": name}
    pv = PersistentVolume(
        name=name,
        labels={},
        annotations={PROVISIONED_BY: storage_class.provisioner},
        capacity=claim.request,
        access_modes=claim.access_modes,
        storage_class=storage_class.name,
        volume_mode=claim.volume_mode,
        node_affinity=NodeSelector((NodeSelectorTerm(requirements),)) if requirements else None,
        claim_ref="",
        claim_uid="",
        source={"csi": csi},
        attributes_class=claim.attributes_class,
    )
    return _bound_volume(replace(with_claim(pv, claim), manifest=_manifest(pv, requirements)))


def _bound_volume(pv: PersistentVolume) -> PersistentVolume:
    namespace, _, name = pv.claim_ref.partition("/")
    claim = {"kind": "PersistentVolumeClaim", "namespace": namespace, "name": name, "uid": pv.claim_uid}
    manifest = _merged(pv.manifest, {"spec": {"claimRef": claim}, "status": {"phase": "Bound"}})
    return replace(pv, phase="Bound", manifest=manifest)


def _bound_claim(claim: PersistentVolumeClaim, pv_name: str) -> PersistentVolumeClaim:
    annotations = {**claim.annotations, BIND_COMPLETED: "yes", BOUND_BY_CONTROLLER: "yes"}
    changes = {
        "metadata": {"annotations": annotations},
        "spec": {"volumeName": pv_name},
        "status": {"phase": "Bound"},
    }
    return replace(
        claim,
        annotations=annotations,
        volume_name=pv_name,
        bound=True,
        phase="Bound",
        manifest=_merged(claim.manifest, changes),
    )


def _manifest(pv: PersistentVolume, requirements: tuple[SelectorRequirement, ...]) -> dict[str, Any]:
    """Return the new volume as kubectl would print it."""
    spec: dict[str, Any] = {
        "accessModes": list(pv.access_modes),
        "capacity": {"storage": format_bytes(pv.capacity)},
        "csi": dict(pv.source["csi"]),
        "storageClassName": pv.storage_class,
        "volumeMode": pv.volume_mode,
    }
    if requirements:
        expressions = [
            {"key": requirement.key, "operator": requirement.operator, "values": list(requirement.values)}
            for requirement in requirements
        ]
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": expressions}]}}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": pv.name, "annotations": dict(pv.annotations)},
        "spec": spec,
    }


def _merged(manifest: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the manifest with the changes merged into it, nested mappings field by field."""
    merged = dict(manifest)
    for key, value in changes.items():
        if isinstance(value, Mapping):
            old = merged.get(key)
            merged[key] = _merged(old if isinstance(old, Mapping) else {}, value)
        else:
            merged[key] = value
    return merged
