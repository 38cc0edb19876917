"""Lookups of storage objects for the volume plugins (kube-scheduler's listers), and groups of equal nodes."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    StorageClass,
    VolumeAttachment,
)
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.interface import Rows
from scheduler_core.plugins.volumes.csi_migration import Migrations
from scheduler_core.plugins.volumes.matching import volume_class

T = TypeVar("T")


class Storage:
    """The storage objects in the API server, without VolumeBinding's assumptions. Look-ups return None for an
    object that does not exist.

    For plugins that count volumes: with `missing_claims_err`, a claim that does not exist is an error; `migrations`
    are the in-tree volumes that count as those of a CSI driver.
    """

    def __init__(
        self, cluster: Cluster, *, missing_claims_err: bool = False, migrations: Migrations | None = None
    ) -> None:
        self.cluster = cluster
        self.missing_claims_err = missing_claims_err
        self.migrations = migrations or Migrations()
        self._volumes = VolumeIndex(cluster)
        self._attachments: tuple[int, dict[str, list[VolumeAttachment]]] = (-1, {})

    def persistent_volume_claim(self, key: str) -> PersistentVolumeClaim | None:
        """Return the claim with the key "namespace/name", None if there is none."""
        return cast("PersistentVolumeClaim | None", self.cluster.get("PersistentVolumeClaim", key))

    def persistent_volume(self, name: str) -> PersistentVolume | None:
        return cast("PersistentVolume | None", self.cluster.get("PersistentVolume", name))

    def persistent_volumes_for(self, claim_key: str, storage_class: str) -> list[PersistentVolume]:
        """Return the volumes of a class that name this claim, then those that name none, each sorted by name."""
        return self._volumes.of(claim_key, storage_class)

    def storage_class(self, name: str) -> StorageClass | None:
        return cast("StorageClass | None", self.cluster.get("StorageClass", name))

    def csi_node(self, name: str) -> CSINode | None:
        """Return the CSINode of a node, None if there is none."""
        return cast("CSINode | None", self.cluster.get("CSINode", name))

    def csi_driver(self, name: str) -> CSIDriver | None:
        return cast("CSIDriver | None", self.cluster.get("CSIDriver", name))

    def csi_storage_capacities(self) -> Sequence[CSIStorageCapacity]:
        return self._all(CSIStorageCapacity)

    def volume_attachments(self, node_name: str) -> Sequence[VolumeAttachment]:
        """Return the VolumeAttachments of a node."""
        version = self.cluster.version("VolumeAttachment")
        if self._attachments[0] != version:
            by_node: dict[str, list[VolumeAttachment]] = {}
            for attachment in self._all(VolumeAttachment):
                by_node.setdefault(attachment.node_name, []).append(attachment)
            self._attachments = (version, by_node)
        return self._attachments[1].get(node_name, ())

    def limit_name(self, driver: str) -> str:
        """Return the key of the driver's limit."""
        return driver

    def volume_limits(self, node_name: str) -> dict[str, int]:
        """Return the volume limit of each driver on the node by `limit_name`; drivers without a limit are left out."""
        csi_node = self.csi_node(node_name)
        limits = csi_node.limits.items() if csi_node is not None else ()
        return {driver: limit for driver, limit in limits if limit is not None}

    def version(self, *kinds: str) -> tuple[int, ...]:
        """Return the versions of these kinds; one increases whenever an object of its kind changes."""
        return tuple(self.cluster.version(kind) for kind in kinds)

    def _all(self, kind: type[T]) -> Sequence[T]:
        return cast("Sequence[T]", list(self.cluster.objects(kind.__name__)))


class VolumeIndex:
    """PersistentVolumes without a claim by class, and those with one by claim; updated with every change."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._seen = 0
        self._place: dict[str, list[str]] = {}  # name -> the list that contains it
        self._free: dict[str, list[str]] = {}  # class -> names, sorted
        self._claimed: dict[str, list[str]] = {}  # claim -> names, sorted

    def of(self, claim_key: str, storage_class: str) -> list[PersistentVolume]:
        """Return the volumes that the claim may use; see `Storage.persistent_volumes_for`."""
        self._follow()
        names = [*self._claimed.get(claim_key, ()), *self._free.get(storage_class, ())]
        volumes = [cast("PersistentVolume", self._cluster.get("PersistentVolume", name)) for name in names]
        return [pv for pv in volumes if volume_class(pv) == storage_class]

    def _follow(self) -> None:
        for name in dict.fromkeys(self._cluster.changed("PersistentVolume", self._seen)):
            if name in self._place:
                names = self._place.pop(name)
                del names[bisect_left(names, name)]
            pv = cast("PersistentVolume | None", self._cluster.get("PersistentVolume", name))
            if pv is not None:
                index, key = (self._claimed, pv.claim_ref) if pv.claim_ref else (self._free, volume_class(pv))
                self._place[name] = index.setdefault(key, [])
                insort(self._place[name], name)
        self._seen = self._cluster.version("PersistentVolume")


def group_rows(nodes: NodeTable, rows: Rows, columns: Sequence[NDArray[np.intp]]) -> tuple[list[int], NDArray[np.intp]]:
    """Group `rows` by equal values in all of the columns (each over all rows of the table).

    Return a row of each group and, for each entry of `rows`, the number of its group.
    """
    numbers = np.arange(len(nodes), dtype=np.intp)[rows]
    codes = np.zeros(len(numbers), np.intp)
    for column in columns:
        values = column[rows]
        low = int(values.min(initial=0))
        codes = codes * (int(values.max(initial=0)) - low + 1) + (values - low)
        codes = np.unique(codes, return_inverse=True)[1]  # keeps the codes small
    _, first, group = np.unique(codes, return_index=True, return_inverse=True)
    return [int(numbers[position]) for position in first], group


def direct_claims(pod: Pod) -> list[str]:
    """Return the names of the claims that the pod's volumes reference, in order, without generic ephemeral volumes."""
    return [volume.claim for volume in pod.volumes if volume.claim is not None and not volume.ephemeral]


def not_found(resource: str, name: str) -> str:
    """Return the message of apimachinery's `NewNotFound`; a resource such as storageclass.storage.k8s.io."""
    return f'{resource} "{name}" not found'


def ephemeral_claim_error(pod: Pod, claim: PersistentVolumeClaim) -> str:
    """Return the reason that a claim is not this pod's ephemeral volume, "" if it is (`ephemeral.VolumeIsForPod`)."""
    if claim.namespace == pod.namespace and claim.owner is not None and claim.owner.uid == pod.uid:
        return ""
    return f"PVC {claim.namespace}/{claim.name} was not created for pod {pod.key} (pod is not owner)"


class VolumePods:
    """The pods with some kind of volume: each slot is read once, and again after an update of its volumes."""

    def __init__(self, cluster: Cluster, key_of: Callable[[Pod], Iterator[str]]) -> None:
        self._pods = cluster.pods
        self._key_of = key_of
        self._seen = self._seen_again = 0
        self._slots: dict[str, list[int]] = {}

    def slots(self, key: str) -> NDArray[np.intp]:
        """Return the slots of the pods on nodes of the snapshot that have `key` among their keys."""
        while self._seen_again < len(self._pods.other_volumes):
            self._read_again(self._pods.other_volumes[self._seen_again])
            self._seen_again += 1
        while self._seen < len(self._pods):
            self._read(self._seen)
            self._seen += 1
        slots = np.array(self._slots.get(key, ()), np.intp)
        return slots[self._pods.row[slots] >= 0]

    def _read(self, slot: int) -> None:
        for key in dict.fromkeys(self._key_of(self._pods.pods[slot])):
            self._slots.setdefault(key, []).append(slot)

    def _read_again(self, slot: int) -> None:
        if slot < self._seen:
            for slots in self._slots.values():
                if slot in slots:
                    slots.remove(slot)
            self._read(slot)
