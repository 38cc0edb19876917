"""Queueing hints for storage events, shared by the volume plugins.

Each function handles one registered event, like kube-scheduler's `isSchedulableAfter...` functions.
"""

from __future__ import annotations

from scheduler_core.apis.core import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolumeClaim,
    Pod,
    StorageClass,
    Volume,
    VolumeAttachment,
)
from scheduler_core.framework.cluster_event import QueueingHint
from scheduler_core.plugins.volumes.attachable import is_attachable
from scheduler_core.plugins.volumes.csi_migration import BY_SOURCE, InTreePlugin, TranslationError, volume_handle
from scheduler_core.plugins.volumes.listers import direct_claims
from scheduler_core.plugins.volumes.matching import volume_limit


def _hint(helps: bool) -> QueueingHint:
    return QueueingHint.QUEUE if helps else QueueingHint.SKIP


def after_own_claim(pod: Pod, old: PersistentVolumeClaim | None, new: PersistentVolumeClaim) -> QueueingHint:
    """Queue the pod if the created or changed claim is one of its own, including those of ephemeral volumes."""
    return _hint(new.namespace == pod.namespace and any(volume.claim == new.name for volume in pod.volumes))


def after_referenced_claim(pod: Pod, old: PersistentVolumeClaim | None, new: PersistentVolumeClaim) -> QueueingHint:
    """Queue the pod if it references the created or changed claim by name."""
    return _hint(new.namespace == pod.namespace and new.name in direct_claims(pod))


def after_storage_class_change(pod: Pod, old: StorageClass | None, new: StorageClass) -> QueueingHint:
    """Queue the pod if the class is new or its allowed topologies changed (VolumeBinding)."""
    return _hint(old is None or old.allowed_topologies != new.allowed_topologies)


def after_csi_node_change(pod: Pod, old: CSINode | None, new: CSINode) -> QueueingHint:
    """Queue the pod if the CSINode is new or its migrated plugins changed (VolumeBinding)."""
    return _hint(old is None or old.migrated != new.migrated)


def after_csi_driver_change(pod: Pod, old: CSIDriver, new: CSIDriver) -> QueueingHint:
    """Queue the pod if a driver of its inline volumes stopped publishing its capacity (VolumeBinding)."""
    uses = any(
        volume.source_type == "csi" and (volume.source or {}).get("driver") == new.name for volume in pod.volumes
    )
    return _hint(uses and old.storage_capacity and not new.storage_capacity)


def after_capacity_change(pod: Pod, old: CSIStorageCapacity | None, new: CSIStorageCapacity) -> QueueingHint:
    """Queue the pod if the capacity object is new or its capacity grew (VolumeBinding)."""
    if old is None:
        return QueueingHint.QUEUE
    before, after = volume_limit(old), volume_limit(new)
    return _hint(after is not None and (before is None or after > before))


def after_csi_node_limits(pod: Pod, old: CSINode, new: CSINode) -> QueueingHint:
    """Queue the pod if a driver's limit increased; no limit counts as 0 (NodeVolumeLimits)."""
    return _hint(any((new.limits[driver] or 0) > (old.limits.get(driver) or 0) for driver in new.limits))


def after_attaching_pod_deleted(pod: Pod, old: Pod, new: None) -> QueueingHint:
    """Queue the pod if a pod with a node or a nomination, and with a counted volume, was deleted (NodeVolumeLimits)."""
    placed = bool(old.node_name or old.nominated_node_name)
    return _hint(placed and any(map(is_attachable, old.volumes)))


def after_attachment_deleted(pod: Pod, old: VolumeAttachment, new: None) -> QueueingHint:
    """Queue the pod if it references a claim by name, or has an in-tree volume of the attacher (NodeVolumeLimits).

    An in-tree volume that cannot be translated queues the pod too.
    """
    for volume in pod.volumes:
        if volume.claim is not None and not volume.ephemeral:
            return QueueingHint.QUEUE
        plugin = BY_SOURCE.get(volume.source_type)
        if plugin is not None and (plugin.driver == old.attacher or not _translatable(plugin, volume)):
            return QueueingHint.QUEUE
    return QueueingHint.SKIP


def _translatable(plugin: InTreePlugin, volume: Volume) -> bool:
    """Return whether the volume can be translated; an error in a hint function means Queue."""
    try:
        volume_handle(plugin, volume.source or {})
    except TranslationError:
        return False
    return True
