"""The volumes of a pod that a CSI driver attaches to its node, by unique names.

The rules are those of kube-scheduler's nodevolumelimits/csi.go (`filterAttachableVolumes`, `getCSIDriverInfo`). In-tree
volumes are included if the node's CSINode lists their plugin as migrated, so the result depends on the CSINode.
"""

from __future__ import annotations

from scheduler_core.apis.core import CSINode, PersistentVolume, PersistentVolumeClaim, Pod, Volume
from scheduler_core.plugins.volumes.csi_migration import (
    BY_NAME,
    BY_SOURCE,
    TranslationError,
    migratable,
    volume_handle,
)
from scheduler_core.plugins.volumes.listers import Storage, ephemeral_claim_error, not_found
from scheduler_core.plugins.volumes.matching import claim_class

Attachable = dict[str, str]  # unique name "driver/handle" -> driver


class AttachableError(Exception):
    """The pod's volumes cannot be determined; `missing`: a claim does not exist."""

    def __init__(self, message: str, *, missing: bool = False) -> None:
        super().__init__(message)
        self.missing = missing


def attachable_volumes(pod: Pod, csi_node: CSINode | None, storage: Storage, *, new: bool) -> Attachable:
    """Return the volumes that a CSI driver attaches for the pod; `new`: all its claims must exist.

    Raises AttachableError.
    """
    volumes: Attachable = {}
    for volume in pod.volumes:
        driver, handle = _driver_and_handle(pod, volume, csi_node, storage, new)
        if driver and handle:
            volumes[f"{driver}/{handle}"] = storage.limit_name(driver)
    return volumes


def is_attachable(volume: Volume) -> bool:
    """Return whether the volume is a claim's, or an inline volume of an in-tree plugin with a CSI successor."""
    return volume.claim is not None or volume.source_type in BY_SOURCE


def is_migratable_inline(volume: Volume) -> bool:
    """Return whether the volume is inline and its plugin has a CSI successor (up to 1.30)."""
    return volume.claim is None and (volume.source_type in BY_SOURCE or volume.source_type == "rbd")


def _driver_and_handle(
    pod: Pod, volume: Volume, csi_node: CSINode | None, storage: Storage, new: bool
) -> tuple[str, str]:
    """Return the volume's driver and the driver's name for it; ("", "") if no CSI driver attaches it.

    Raises AttachableError.
    """
    if volume.claim is None:
        return _inline_driver_and_handle(volume, csi_node, storage)
    key = f"{pod.namespace}/{volume.claim}"
    claim = storage.persistent_volume_claim(key)
    if claim is None:
        if new:
            error = not_found("persistentvolumeclaim", volume.claim)
            raise AttachableError(f"looking up PVC {key}: {error}", missing=True)
        return "", ""
    error = ephemeral_claim_error(pod, claim) if volume.ephemeral else ""
    if error:
        raise AttachableError(error)
    return claim_driver(claim, csi_node, storage)


def _inline_driver_and_handle(volume: Volume, csi_node: CSINode | None, storage: Storage) -> tuple[str, str]:
    plugin = BY_SOURCE.get(volume.source_type)
    if plugin is None or volume.source is None or not storage.migrations.is_migrated(plugin, csi_node):
        return "", ""
    try:
        return plugin.driver, volume_handle(plugin, volume.source)
    except TranslationError as error:
        raise AttachableError(f"converting volume({volume.name}) from inline to csi: {error}") from error


def claim_driver(claim: PersistentVolumeClaim, csi_node: CSINode | None, storage: Storage) -> tuple[str, str]:
    """Return the driver of a claim's volume and the driver's name for it; ("", "") if no CSI driver attaches it."""
    pv = storage.persistent_volume(claim.volume_name) if claim.volume_name else None
    if pv is None:
        return _provisioned_driver(claim, csi_node, storage)
    csi = pv.source.get("csi")
    if csi is not None:
        return str(csi.get("driver", "")), str(csi.get("volumeHandle", ""))
    return _migrated_driver(pv, csi_node, storage)


def _migrated_driver(pv: PersistentVolume, csi_node: CSINode | None, storage: Storage) -> tuple[str, str]:
    plugin = migratable(pv)
    if plugin is None or not storage.migrations.is_migrated(plugin, csi_node):
        return "", ""
    try:
        return plugin.driver, volume_handle(plugin, pv.source[plugin.source] or {}, pv)
    except TranslationError:
        return "", ""


def _provisioned_driver(claim: PersistentVolumeClaim, csi_node: CSINode | None, storage: Storage) -> tuple[str, str]:
    """Return the driver of the claim's class and a unique volume name; ("", "") if no CSI driver provisions it."""
    storage_class = storage.storage_class(claim_class(claim))
    if storage_class is None:
        return "", ""
    handle = f"unbound-{claim.namespace}/{claim.name}"
    plugin = BY_NAME.get(storage_class.provisioner)
    if plugin is None:
        return storage_class.provisioner, handle
    return (plugin.driver, handle) if storage.migrations.is_migrated(plugin, csi_node) else ("", "")
