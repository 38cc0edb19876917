"""VolumeRestrictions, NodeVolumeLimits and VolumeZone read straight from their rules: plain loops, node by node.

The oracle for the columnar plugins; VolumeBinding stands in `volume_binding`. Rules: kube-scheduler's
volumerestrictions, nodevolumelimits, volumebinding and volumezone packages and component-helpers' storage/volume. A
verdict is (code, reasons), or None for success; what PreFilter says stands in `pre_filter` of the same shape with
"Skip" for the skip.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scheduler_core.apis.core import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    StorageClass,
    Volume,
    VolumeAttachment,
)
from scheduler_core.plugins.volumes.csi_migration import BY_NAME, BY_SOURCE, volume_handle

Verdict = tuple[str, tuple[str, ...]] | None
NodeWithPods = tuple[Node, Sequence[Pod]]

UNRESOLVABLE = "UnschedulableAndUnresolvable"
SKIP: Verdict = ("Skip", ())
ZONE_LABELS = (
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
)
STABLE = {ZONE_LABELS[0]: ZONE_LABELS[2], ZONE_LABELS[1]: ZONE_LABELS[3]}
SELECTED_NODE = "volume.kubernetes.io/selected-node"
IN_USE = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
)


@dataclass(frozen=True)
class Storage:
    """All storage objects, by name ("namespace/name" for claims)."""

    claims: Mapping[str, PersistentVolumeClaim] = field(default_factory=dict)
    volumes: Mapping[str, PersistentVolume] = field(default_factory=dict)
    classes: Mapping[str, StorageClass] = field(default_factory=dict)
    csi_nodes: Mapping[str, CSINode] = field(default_factory=dict)
    drivers: Mapping[str, CSIDriver] = field(default_factory=dict)
    capacities: Sequence[CSIStorageCapacity] = ()
    attachments: Sequence[VolumeAttachment] = ()


def direct_claims(pod: Pod) -> list[str]:
    """Claims that the pod names itself, in order; not those of ephemeral volumes."""
    return [volume.claim for volume in pod.volumes if volume.claim is not None and not volume.ephemeral]


def not_found(kind: str, name: str) -> Verdict:
    return (UNRESOLVABLE, (f'{kind} "{name}" not found',))


# VolumeRestrictions


def restricted(volume: Volume) -> bool:
    return volume.source_type in ("gcePersistentDisk", "awsElasticBlockStore", "rbd", "iscsi")


def conflicts(one: Volume, other: Volume) -> bool:
    """Two inline volumes that may not be mounted together on a node."""
    if one.source is None or other.source is None or one.source_type != other.source_type:
        return False
    a, b = one.source, other.source
    both_read_only = bool(a.get("readOnly")) and bool(b.get("readOnly"))
    if one.source_type == "gcePersistentDisk":
        return a.get("pdName") == b.get("pdName") and not both_read_only
    if one.source_type == "awsElasticBlockStore":
        return bool(a.get("volumeID") == b.get("volumeID"))
    if one.source_type == "iscsi":
        return a.get("iqn") == b.get("iqn") and not both_read_only
    if one.source_type == "rbd":
        same = (a.get("pool", "rbd"), a.get("image")) == (b.get("pool", "rbd"), b.get("image"))
        return same and bool(set(a.get("monitors", ())) & set(b.get("monitors", ()))) and not both_read_only
    return False


def once_claims(pod: Pod, storage: Storage) -> set[str]:
    """Names of the pod's claims with the access mode ReadWriteOncePod; KeyError for a claim that is missing."""
    found = set()
    for name in direct_claims(pod):
        if "ReadWriteOncePod" in storage.claims[f"{pod.namespace}/{name}"].access_modes:
            found.add(name)
    return found


def once_conflicts(pod: Pod, cluster: Sequence[NodeWithPods], storage: Storage) -> int:
    """How many of these claims some pod on a node already uses."""
    used = {f"{other.namespace}/{name}" for _, pods in cluster for other in pods for name in direct_claims(other)}
    return sum(f"{pod.namespace}/{name}" in used for name in once_claims(pod, storage))


def restrictions_pre_filter(pod: Pod, cluster: Sequence[NodeWithPods], storage: Storage) -> Verdict:
    for name in direct_claims(pod):
        if f"{pod.namespace}/{name}" not in storage.claims:
            return not_found("persistentvolumeclaim", name)
    if not any(map(restricted, pod.volumes)) and once_conflicts(pod, cluster, storage) == 0:
        return SKIP
    return None


def once_references(pod: Pod, other: Pod, storage: Storage) -> int:
    """AddPod and RemovePod count every volume of the other pod by its claim's name, whatever its namespace."""
    return sum(name in once_claims(pod, storage) for name in direct_claims(other))


def restrictions_filter(
    pod: Pod,
    on: NodeWithPods,
    cluster: Sequence[NodeWithPods],
    storage: Storage,
    added: Sequence[Pod] = (),
    removed: Sequence[Pod] = (),
) -> Verdict:
    """`on[1]` are the pods on the node as imagined; `added` and `removed` is what was imagined."""
    for volume in pod.volumes:
        for other in on[1]:
            if any(conflicts(volume, theirs) for theirs in other.volumes):
                return ("Unschedulable", ("node(s) had no available disk",))
    count = once_conflicts(pod, cluster, storage)
    count += sum(once_references(pod, other, storage) for other in added)
    count -= sum(once_references(pod, other, storage) for other in removed)
    return ("Unschedulable", (IN_USE,)) if count > 0 else None


# NodeVolumeLimits


def limits_pre_filter(pod: Pod) -> Verdict:
    return None if any(v.claim is not None or v.source_type in BY_SOURCE for v in pod.volumes) else SKIP


def migrated(plugin_name: str, csi_node: CSINode | None) -> bool:
    """`isCSIMigrationOn`: wherever there is a CSINode, these are served by their CSI driver."""
    alone = ("kubernetes.io/aws-ebs", "kubernetes.io/gce-pd", "kubernetes.io/azure-disk", "kubernetes.io/cinder")
    if csi_node is None:
        return False
    return plugin_name in alone or (plugin_name == "kubernetes.io/portworx-volume" and plugin_name in csi_node.migrated)


def attached(pod: Pod, csi_node: CSINode | None, storage: Storage) -> dict[str, str]:
    """Unique volume name -> driver, of every volume of the pod that a CSI driver attaches."""
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
    """Driver and handle of a claim's volume, or of the volume that its class would provision."""
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


def limits_filter(pod: Pod, on: NodeWithPods, storage: Storage) -> Verdict:
    node, pods = on
    csi_node = storage.csi_nodes.get(node.name)
    new = attached(pod, csi_node, storage)
    there: dict[str, str] = {}
    for other in pods:
        there |= attached(other, csi_node, storage)
    for attachment in storage.attachments:
        volume = storage.volumes.get(attachment.volume_name)
        if attachment.node_name == node.name and attachment.attacher and volume is not None and "csi" in volume.source:
            there[f"{attachment.attacher}/{volume.source['csi']['volumeHandle']}"] = attachment.attacher
    used_by_pods: dict[str, str] = {}
    for other in pods:
        used_by_pods |= attached(other, csi_node, storage)
    new = {name: driver for name, driver in new.items() if name not in used_by_pods}
    limits = {} if csi_node is None else {d: n for d, n in csi_node.limits.items() if n is not None}
    for driver, limit in limits.items():
        adding = list(new.values()).count(driver)
        if adding and list(there.values()).count(driver) + adding > limit:
            return ("Unschedulable", ("node(s) exceed max volume count",))
    return None


# VolumeZone


def class_of(claim: PersistentVolumeClaim) -> str:
    return claim.annotations.get("volume.beta.kubernetes.io/storage-class", claim.storage_class or "")


def zone_pre_filter(pod: Pod, storage: Storage) -> Verdict:
    topologies = []
    for name in direct_claims(pod):
        claim = storage.claims.get(f"{pod.namespace}/{name}")
        if claim is None:
            return not_found("persistentvolumeclaim", name)
        if claim.volume_name:
            if claim.volume_name not in storage.volumes:
                return not_found("persistentvolume", claim.volume_name)
            topologies += zones_of(storage.volumes[claim.volume_name])
            continue
        if not class_of(claim):
            return (UNRESOLVABLE, ("PersistentVolumeClaim had no pv name and storageClass name",))
        storage_class = storage.classes.get(class_of(claim))
        if storage_class is None:
            return not_found("storageclass.storage.k8s.io", class_of(claim))
        if storage_class.volume_binding_mode != "WaitForFirstConsumer":
            return (UNRESOLVABLE, ("PersistentVolume had no name",))
    return None if topologies else SKIP


def zones_of(volume: PersistentVolume) -> list[tuple[str, set[str]]]:
    found = []
    for key in ZONE_LABELS:
        zones = [zone.strip() for zone in volume.labels.get(key, "").split("__")]
        if key in volume.labels and all(zones):
            found.append((key, set(zones)))
    return found


def zone_filter(pod: Pod, node: Node, storage: Storage) -> Verdict:
    if not any(key in node.labels for key in ZONE_LABELS):
        return None
    for name in direct_claims(pod):
        claim = storage.claims[f"{pod.namespace}/{name}"]
        for key, zones in zones_of(storage.volumes[claim.volume_name]) if claim.volume_name else ():
            if node.labels.get(key, node.labels.get(STABLE.get(key, key))) not in zones:
                return (UNRESOLVABLE, ("node(s) had no available volume zone",))
    return None
