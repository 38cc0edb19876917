"""Lookups of NodeVolumeLimits and VolumeBinding that differ before 1.32 (nodevolumelimits/csi.go, volumebinding)."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha1

from scheduler_core.apis.core import PersistentVolume, VolumeAttachment
from scheduler_core.plugins.volumes.listers import Storage

ATTACH_LIMIT_PREFIX = "attachable-volumes-csi-"
MAX_CHARACTERS = 63  # the maximum length of the name of a resource
KEPT, HASHED = 23, 16  # characters of the driver's name, and of its hash, if the name is too long
HOSTNAME = "kubernetes.io/hostname"


class StorageWithoutAttachments(Storage):
    """Storage without VolumeAttachments. The CSINode overrides a node's own limit of a driver."""

    def volume_attachments(self, node_name: str) -> Sequence[VolumeAttachment]:
        return ()

    def volume_limits(self, node_name: str) -> dict[str, int]:
        node = self.cluster.node(node_name)
        assert node is not None
        own = {
            name.removeprefix(ATTACH_LIMIT_PREFIX): limit
            for name, limit in node.allocatable.items()
            if name.startswith(ATTACH_LIMIT_PREFIX)
        }
        return own | {self.limit_name(driver): limit for driver, limit in super().volume_limits(node_name).items()}

    def limit_name(self, driver: str) -> str:
        """Return the key of the driver's limit without its prefix (GetCSIAttachLimitKey)."""
        if len(ATTACH_LIMIT_PREFIX) + len(driver.encode()) < MAX_CHARACTERS:
            return driver
        return driver[:KEPT] + sha1(driver.encode(), usedforsecurity=False).hexdigest()[:HASHED]


def local_node_names(volumes: Sequence[PersistentVolume | None]) -> frozenset[str] | None:
    """Return the nodes that are named by every bound volume that names nodes by hostname (GetEligibleNodes).

    None if no volume names any, or a volume does not exist.
    """
    eligible: frozenset[str] | None = None
    for pv in volumes:
        if pv is None:
            return None
        if names := _hostnames(pv):
            eligible = names if eligible is None else eligible & names
    return eligible


def _hostnames(pv: PersistentVolume) -> frozenset[str]:
    """Return the nodes that the terms name by hostname (GetLocalPersistentVolumeNodeNames).

    If a term has several expressions for the hostname, these are the nodes that all of them name.
    """
    hostnames: frozenset[str] = frozenset()
    for term in pv.node_affinity.terms if pv.node_affinity is not None else ():
        value_sets = [frozenset(e.values) for e in term.match_expressions if e.key == HOSTNAME and e.operator == "In"]
        if value_sets:
            hostnames |= frozenset.intersection(*value_sets)
    return hostnames
