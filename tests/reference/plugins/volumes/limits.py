"""NodeVolumeLimits: the number of volumes that a CSI driver can attach to a node.

Rules: kube-scheduler's nodevolumelimits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scheduler_core.apis.core import CSINode, PersistentVolumeClaim, Pod, Workload
from scheduler_core.plugins.volumes.csi_migration import BY_NAME, BY_SOURCE, volume_handle
from tests.reference.framework.cluster_event import Event
from tests.reference.framework.interface import (
    FITS,
    SKIP,
    UNSCHEDULABLE,
    Cycle,
    NodeInfo,
    Plugin,
    Verdict,
)
from tests.reference.framework.storage import Storage
from tests.reference.plugins.volumes.claims import class_of, direct_claims, mounts


class NodeVolumeLimits(Plugin):
    events = {
        "Pod": ("Delete",),
        "PersistentVolumeClaim": ("Add",),
        "CSINode": ("Add", "Update"),
        "VolumeAttachment": ("Delete",),
    }

    def pre_filter(self, cycle: Cycle) -> Verdict:
        return FITS if attaches(cycle.pod) else SKIP

    def filter(self, cycle: Cycle, on: NodeInfo) -> Verdict:
        storage = cycle.storage
        csi_node = storage.csi_nodes.get(on.node.name)
        used_by_pods: dict[str, str] = {}
        for other in on.pods:
            used_by_pods |= attached(other, csi_node, storage)
        there = used_by_pods | attached_already(on.node.name, storage)
        new = {n: driver for n, driver in attached(cycle.pod, csi_node, storage).items() if n not in used_by_pods}
        limits = {} if csi_node is None else {d: n for d, n in csi_node.limits.items() if n is not None}
        for driver, limit in limits.items():
            adding = list(new.values()).count(driver)
            if adding and list(there.values()).count(driver) + adding > limit:
                return UNSCHEDULABLE, ("node(s) exceed max volume count",)
        return FITS

    def hint(self, event: Event, pod: Pod, args: Any, workloads: Sequence[Workload]) -> bool:
        old, new = event.old, event.new
        match event.kind:
            case "Pod":
                return bool(old.node_name or old.nominated_node_name) and attaches(old)
            case "PersistentVolumeClaim":
                return mounts(pod, new)
            case "CSINode":
                return old is None or any((n or 0) > (old.limits.get(driver) or 0) for driver, n in new.limits.items())
        drivers = [BY_SOURCE[v.source_type].driver for v in pod.volumes if v.source_type in BY_SOURCE]
        return bool(direct_claims(pod)) or old.attacher in drivers


def attaches(pod: Pod) -> bool:
    """Return whether a volume of the pod is a claim, or an in-tree volume that a CSI driver may attach."""
    return any(volume.claim is not None or volume.source_type in BY_SOURCE for volume in pod.volumes)


def attached_already(node: str, storage: Storage) -> dict[str, str]:
    """Return the drivers of the node's CSI volumes with a VolumeAttachment, by unique volume name."""
    found = {}
    for attachment in storage.attachments:
        volume = storage.volumes.get(attachment.volume_name)
        if attachment.node_name == node and attachment.attacher and volume is not None and "csi" in volume.source:
            found[f"{attachment.attacher}/{volume.source['csi']['volumeHandle']}"] = attachment.attacher
    return found


def migrated(plugin_name: str, csi_node: CSINode | None) -> bool:
    """Return whether a CSI driver serves the in-tree plugin on the node (`isCSIMigrationOn`).

    It does for the plugins below if the node has a CSINode.
    """
    served = ("aws-ebs", "gce-pd", "azure-disk", "cinder", "portworx-volume")
    return csi_node is not None and plugin_name.removeprefix("kubernetes.io/") in served


def attached(pod: Pod, csi_node: CSINode | None, storage: Storage) -> dict[str, str]:
    """Return the driver of every volume of the pod that a CSI driver attaches, by unique volume name."""
    result = {}
    for volume in pod.volumes:
        if volume.claim is not None:
            claim = storage.claims.get(f"{pod.namespace}/{volume.claim}")
            found = None if claim is None else claim_volume(claim, csi_node, storage)
        elif volume.source_type in BY_SOURCE and volume.source is not None:
            plugin = BY_SOURCE[volume.source_type]
            on = migrated(plugin.name, csi_node)
            found = (plugin.driver, volume_handle(plugin, volume.source)) if on else None
        else:
            found = None
        if found is not None and all(found):
            result["/".join(found)] = found[0]
    return result


def claim_volume(claim: PersistentVolumeClaim, csi_node: CSINode | None, storage: Storage) -> tuple[str, str] | None:
    """Return driver and handle of a claim's volume, or of the volume that its class would provision.

    None if the volume or the provisioner is in-tree and not migrated, or there is neither volume nor class.
    """
    volume = storage.volumes.get(claim.volume_name)
    if volume is not None and "csi" in volume.source:
        return volume.source["csi"]["driver"], volume.source["csi"]["volumeHandle"]
    if volume is not None:
        for source, plugin in BY_SOURCE.items():
            if source in volume.source and migrated(plugin.name, csi_node):
                return plugin.driver, volume_handle(plugin, volume.source[source], volume)
        return None
    storage_class = storage.classes.get(class_of(claim))
    if storage_class is None:
        return None
    provisioner = storage_class.provisioner
    if provisioner in BY_NAME:
        if not migrated(provisioner, csi_node):
            return None
        provisioner = BY_NAME[provisioner].driver
    return provisioner, f"unbound-{claim.namespace}/{claim.name}"
