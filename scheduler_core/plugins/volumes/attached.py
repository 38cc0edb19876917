"""The number of volumes of each CSI driver attached to each node, updated as pods are added and removed and claims are
bound.

A volume counts once per node, however many pods there use it; VolumeAttachments count too. The volumes of a pod depend
on its claims, their volumes and the node's CSINode (`attachable_volumes`), so the counts follow the changes of these
objects too. `NodeVolumeLimits` reads the counts; nothing is counted until its first read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import CSINode, Pod
from scheduler_core.cluster.nodes import IntColumn, NodeTable
from scheduler_core.framework.interface import Code, Status
from scheduler_core.plugins.volumes.attachable import Attachable, AttachableError, attachable_volumes, is_attachable
from scheduler_core.plugins.volumes.listers import Storage

View = tuple[bool, frozenset[str]]  # whether the node has a CSINode, and the migrated in-tree plugins that it lists
NO_LIMIT = np.iinfo(np.int64).max // 2
WHOLE = ("CSINode", "StorageClass", "VolumeAttachment")  # after changes of these kinds, everything is counted again
FOLLOWED = ("PersistentVolumeClaim", "PersistentVolume")


def view_of(csi_node: CSINode | None) -> View:
    """Return the fields of a CSINode on which attachable volumes depend."""
    return (False, frozenset()) if csi_node is None else (True, csi_node.migrated)


def volumes_or_status(pod: Pod, csi_node: CSINode | None, storage: Storage, *, new: bool) -> Attachable | Status:
    """Return the volumes that the pod attaches, or NodeVolumeLimits' status if they cannot be determined."""
    try:
        return attachable_volumes(pod, csi_node, storage, new=new)
    except AttachableError as error:
        rejects = error.missing and not storage.missing_claims_err
        return Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE if rejects else Code.ERROR, (str(error),))


class AttachedVolumes:
    """Counts the attached volumes of each node. Call `refresh` before each read, since rows and objects may change."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self._cluster = storage.cluster
        self._versions: tuple[int, ...] | None = None
        self._followed = dict.fromkeys(FOLLOWED, 0)
        self._generation = -1
        self._cluster.pods.observers.append(self)

    def refresh(self) -> None:
        """Process the changes since the last call."""
        versions = self.storage.version(*WHOLE)
        if (
            versions != self._versions
            or self._generation != self._cluster.nodes.generation
            or not self._attached_volumes.isdisjoint(self._changed("PersistentVolume"))
        ):
            self._versions = versions
            self._rebuild(self._cluster.nodes)
        else:
            for slot in self._affected():
                row = self._held[slot][0]
                self._remove(slot)
                self._add(slot, row)
        self._followed = {kind: self._cluster.version(kind) for kind in FOLLOWED}

    def rows_with(self, name: str) -> list[int]:
        """Return the rows with a pod that uses the volume."""
        return list(self._where.get(name, ()))

    def count(self, driver: str) -> IntColumn:
        """Return int64[N]: the volumes of the driver that are attached to each node."""
        return self._counts.get(driver, self._none)

    # PlacementObserver

    def moved(self, slot: int, row: int, by: int) -> None:
        if self._generation != self._cluster.nodes.generation:
            return
        if by > 0:
            self._add(slot, row)
        elif slot in self._held:
            self._remove(slot)

    # Counting

    def _rebuild(self, nodes: NodeTable) -> None:
        self._generation = nodes.generation
        self._csi_nodes = [self.storage.csi_node(name) for name in nodes.names]
        number: dict[View, int] = {}
        codes = [number.setdefault(view_of(csi_node), len(number)) for csi_node in self._csi_nodes]
        # On rows with equal codes, a pod has the same attachable volumes.
        self.views: NDArray[np.intp] = np.array(codes, np.intp)
        self.examples = {code: self._csi_nodes[row] for row, code in reversed(list(enumerate(codes)))}
        self._none: IntColumn = np.zeros(len(nodes), np.int64)
        self.limits: dict[str, IntColumn] = {}  # driver -> int64[N]
        for row, name in enumerate(nodes.names):
            for driver, limit in self.storage.volume_limits(name).items():
                self.limits.setdefault(driver, np.full(len(nodes), NO_LIMIT, np.int64))[row] = limit
        self._counts: dict[str, IntColumn] = {}
        self._where: dict[str, dict[int, int]] = {}  # unique name -> row -> pods that use it there
        self._held: dict[int, tuple[int, Attachable]] = {}  # slot -> its row, and the volumes that it attaches
        self._users: dict[tuple[str, str], set[int]] = {}  # (kind, key) of a claim or volume -> slots
        self.failing: dict[int, set[int]] = {}  # row -> slots of its pods whose volumes cannot be determined
        self._attachments = self._read_attachments(nodes)
        for slot in range(len(self._cluster.pods)):
            row = int(self._cluster.pods.row[slot])
            if row >= 0:
                self._add(slot, row)

    def _read_attachments(self, nodes: NodeTable) -> dict[str, set[int]]:
        """Count the volumes of VolumeAttachments; return their rows by unique name (`getNodeVolumeAttachmentInfo`)."""
        attachments: dict[str, set[int]] = {}
        self._attached_volumes = {
            attachment.volume_name for name in nodes.names for attachment in self.storage.volume_attachments(name)
        }
        for row, name in enumerate(nodes.names):
            for volume, driver in attachments_of(name, self.storage).items():
                attachments.setdefault(volume, set()).add(row)
                self._column(driver)[row] += 1
        return attachments

    def _add(self, slot: int, row: int) -> None:
        pod = self._cluster.pods.pods[slot]
        if not any(map(is_attachable, pod.volumes)):
            return
        volumes_or_error = volumes_or_status(pod, self._csi_nodes[row], self.storage, new=False)
        volumes: Attachable = {}
        if isinstance(volumes_or_error, Status):
            self.failing.setdefault(row, set()).add(slot)
        else:
            volumes = volumes_or_error
        self._held[slot] = (row, volumes)
        for key in self._objects_of(pod):
            self._users.setdefault(key, set()).add(slot)
        for name, driver in volumes.items():
            rows = self._where.setdefault(name, {})
            rows[row] = rows.get(row, 0) + 1
            if rows[row] == 1 and row not in self._attachments.get(name, ()):
                self._column(driver)[row] += 1

    def _remove(self, slot: int) -> None:
        row, volumes = self._held.pop(slot)
        if slot in self.failing.get(row, ()):
            self.failing[row].remove(slot)
            if not self.failing[row]:
                del self.failing[row]
        for name, driver in volumes.items():
            rows = self._where[name]
            rows[row] -= 1
            if not rows[row]:
                del rows[row]
                if row not in self._attachments.get(name, ()):
                    self._column(driver)[row] -= 1

    def _column(self, driver: str) -> IntColumn:
        return self._counts.setdefault(driver, np.zeros(len(self._none), np.int64))

    def _objects_of(self, pod: Pod) -> Iterable[tuple[str, str]]:
        """Yield the claims of the pod and their volumes."""
        for volume in pod.volumes:
            if volume.claim is not None:
                key = f"{pod.namespace}/{volume.claim}"
                yield "PersistentVolumeClaim", key
                claim = self.storage.persistent_volume_claim(key)
                if claim is not None and claim.volume_name:
                    yield "PersistentVolume", claim.volume_name

    def _affected(self) -> list[int]:
        """Return the slots of counted pods whose claims or volumes changed since the last refresh."""
        slots: set[int] = set()
        for kind in FOLLOWED:
            for key in self._changed(kind):
                slots.update(self._users.get((kind, key), ()))
        return sorted(slots & self._held.keys())

    def _changed(self, kind: str) -> Sequence[str]:
        return self._cluster.changed(kind, self._followed[kind])


def attachments_of(node_name: str, storage: Storage) -> Attachable:
    """Return the volumes that VolumeAttachments attach to the node: unique name -> driver. Only CSI volumes count."""
    attachments = {}
    for attachment in storage.volume_attachments(node_name):
        pv = storage.persistent_volume(attachment.volume_name) if attachment.volume_name else None
        csi = pv.source.get("csi") if pv is not None else None
        if attachment.attacher and csi is not None:
            attachments[f"{attachment.attacher}/{csi.get('volumeHandle', '')}"] = attachment.attacher
    return attachments
