"""Rules for single objects: the PersistentVolumes to which a claim can be bound, and where one can be provisioned.

The rules are those of component-helpers' `storage/volume` (`FindMatchingVolume`, `CheckNodeAffinity`) and of
`MatchTopologySelectorTerms`. Sizes are in bytes. A node is represented by its labels, not by a row.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

import msgspec

from scheduler_core.apis.core import CSINode, CSIStorageCapacity, PersistentVolume, PersistentVolumeClaim, StorageClass
from scheduler_core.plugins.volumes.csi_migration import (
    migratable,
    migrated_for_binding,
    translated_node_affinity,
    volume_handle,
)

BETA_STORAGE_CLASS = "volume.beta.kubernetes.io/storage-class"
NO_PROVISIONER = "kubernetes.io/no-provisioner"

Labels = Mapping[str, str]


def claim_class(claim: PersistentVolumeClaim) -> str:
    """Return the claim's class, "" for none; the old annotation comes first (`GetPersistentVolumeClaimClass`)."""
    return claim.annotations.get(BETA_STORAGE_CLASS, claim.storage_class or "")


def volume_class(pv: PersistentVolume) -> str:
    """Return the volume's storage class, "" for none (`GetPersistentVolumeClass`)."""
    return pv.annotations.get(BETA_STORAGE_CLASS, pv.storage_class)


def claim_key(claim: PersistentVolumeClaim) -> str:
    """Return "namespace/name"."""
    return f"{claim.namespace}/{claim.name}"


def fully_bound(claim: PersistentVolumeClaim) -> bool:
    """Return whether the claim is bound and the controller has finished (`isPVCFullyBound`)."""
    return bool(claim.volume_name) and claim.bound


def reserved_for(pv: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Return whether the volume is bound or pre-bound to this claim (`IsVolumeBoundToClaim`)."""
    return pv.claim_ref == claim_key(claim) and pv.claim_uid in ("", claim.uid)


def reachable(pv: PersistentVolume, labels: Labels) -> bool:
    """Return whether the volume's node affinity matches the labels (`CheckNodeAffinity`)."""
    return pv.node_affinity is None or pv.node_affinity.matches(labels, "")


def reachable_after_migration(pv: PersistentVolume, labels: Labels, csi_node: CSINode | None) -> bool:
    """Return whether the node can reach the volume; an in-tree one is translated first if the node uses its CSI driver.

    Raises TranslationError if the volume cannot be translated.
    """
    plugin = migratable(pv)
    if plugin is None or not migrated_for_binding(plugin, csi_node):
        return reachable(pv, labels)
    volume_handle(plugin, pv.source[plugin.source] or {}, pv)
    affinity = translated_node_affinity(pv, plugin)
    return affinity is None or affinity.matches(labels, "")


class Candidates(msgspec.Struct, frozen=True):
    """The volumes that could be used for a claim on any node: the node-independent part of `FindMatchingVolume`.

    `reserved` are pre-bound to the claim, in order of name; `available` are free ones, smallest first, then by name;
    `passed_over` are the other evaluated volumes of the class.
    """

    claim: PersistentVolumeClaim
    reserved: tuple[PersistentVolume, ...]
    available: tuple[PersistentVolume, ...]
    passed_over: tuple[PersistentVolume, ...] = ()

    def choose(self, labels: Labels, chosen: Container[str]) -> PersistentVolume | None:
        """Return the volume for a node with these labels, except those in `chosen`; None if there is none.

        A reserved volume that the node cannot reach ends the search: the claim must not get another one.
        """
        for pv in self.reserved:
            if pv.name not in chosen:
                return pv if reachable(pv, labels) else None
        return next((pv for pv in self.available if pv.name not in chosen and reachable(pv, labels)), None)


def candidates(claim: PersistentVolumeClaim, volumes: Iterable[PersistentVolume]) -> Candidates:
    """Return the candidates among `volumes`, which are of the claim's class and sorted by name."""
    reserved, available, passed_over = [], [], []
    for pv in volumes:
        if why_unfit(pv, claim):
            passed_over.append(pv)
        elif reserved_for(pv, claim):
            reserved.append(pv)
        elif why_unavailable(pv, claim):
            passed_over.append(pv)
        else:
            available.append(pv)
    available.sort(key=lambda pv: pv.capacity)
    return Candidates(claim, tuple(reserved), tuple(available), tuple(passed_over))


def why_unfit(pv: PersistentVolume, claim: PersistentVolumeClaim) -> str:
    """Return the reason that the volume does not fit the claim, even if it is reserved for it, "" if it fits."""
    if pv.claim_ref and not reserved_for(pv, claim):
        return f"is claimed by {pv.claim_ref}"
    if pv.capacity < claim.request:
        return "is too small"
    if pv.volume_mode != claim.volume_mode:
        return f"has volume mode {pv.volume_mode}, the claim wants {claim.volume_mode}"
    if pv.attributes_class != claim.attributes_class:
        return "has another VolumeAttributesClass"
    return "is being deleted" if pv.terminating else ""


def why_unavailable(pv: PersistentVolume, claim: PersistentVolumeClaim) -> str:
    """Return the reason that a volume that is not reserved for the claim cannot be used, "" if it can."""
    if pv.phase != "Available":
        return f"is in phase {pv.phase}"
    if claim.selector is not None and not claim.selector.matches(pv.labels):
        return f"does not match the claim's selector {claim.selector}"
    if volume_class(pv) != claim_class(claim):
        return "is of another storage class"
    if not set(claim.access_modes) <= set(pv.access_modes):
        return "lacks an access mode that the claim wants"
    return ""


def topology_allowed(storage_class: StorageClass, labels: Labels) -> bool:
    """Return whether the class may provision for a node with these labels (`MatchTopologySelectorTerms`)."""
    terms = storage_class.allowed_topologies
    return not terms or any(bool(term) and all(labels.get(key) in values for key, values in term) for term in terms)


def volume_limit(capacity: CSIStorageCapacity) -> int | None:
    """Return the largest volume in bytes for the capacity object, None if it has no limit (`volumeLimit`)."""
    return capacity.maximum_volume_size if capacity.maximum_volume_size is not None else capacity.capacity


def enough_capacity(capacity: CSIStorageCapacity, size: int, labels: Labels) -> bool:
    """Return whether a volume of `size` bytes fits and the node has access (`capacitySufficient`, `nodeHasAccess`).

    A capacity object without a limit, or without a topology, provides nothing.
    """
    limit = volume_limit(capacity)
    if limit is None or limit < size or capacity.node_topology is None:
        return False
    return capacity.node_topology.matches(labels)
