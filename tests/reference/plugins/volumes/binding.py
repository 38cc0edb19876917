"""VolumeBinding on one node. Rules: kube-scheduler's volumebinding, and component-helpers' storage/volume."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scheduler_core.apis.core import (
    CSIStorageCapacity,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    StorageClass,
    Workload,
)
from tests.reference.framework.cluster_event import NODE_LABEL, Event
from tests.reference.framework.interface import (
    FITS,
    SKIP,
    UNRESOLVABLE,
    Cycle,
    NodeInfo,
    Plugin,
    Verdict,
)
from tests.reference.framework.storage import Storage
from tests.reference.plugins.volumes.claims import SELECTED_NODE, class_of, mounts, not_found

CHANGES = ("Add", "Update")


class VolumeBinding(Plugin):
    """VolumeBinding without scores, which need a feature gate that is off."""

    events = {
        "Node": ("Add", NODE_LABEL),
        "PersistentVolumeClaim": CHANGES,
        "PersistentVolume": CHANGES,
        "StorageClass": CHANGES,
        "CSINode": CHANGES,
        "CSIStorageCapacity": CHANGES,
        "CSIDriver": ("Update",),
    }

    def pre_filter(self, cycle: Cycle) -> Verdict:
        pod, storage = cycle.pod, cycle.storage
        claims = [volume for volume in pod.volumes if volume.claim is not None]
        if not claims:
            return SKIP
        for volume in claims:
            claim = storage.claims.get(f"{pod.namespace}/{volume.claim}")
            if claim is None and volume.ephemeral:
                waiting = "waiting for ephemeral volume controller to create the persistentvolumeclaim"
                return UNRESOLVABLE, (f'{waiting} "{volume.claim}"',)
            if claim is None:
                return not_found("persistentvolumeclaim", str(volume.claim))
            if claim.phase == "Lost":
                lost = (
                    f'persistentvolumeclaim "{claim.name}" bound to non-existent persistentvolume "{claim.volume_name}"'
                )
                return UNRESOLVABLE, (lost,)
            if claim.terminating:
                return UNRESOLVABLE, (f'persistentvolumeclaim "{claim.name}" is being deleted',)
        if any(state(storage.claims[f"{pod.namespace}/{v.claim}"], storage) == "immediate" for v in claims):
            return UNRESOLVABLE, ("pod has unbound immediate PersistentVolumeClaims",)
        return FITS

    def filter(self, cycle: Cycle, on: NodeInfo) -> Verdict:
        """Reject a node that a bound volume does not reach, or on which a claim cannot be bound.

        In-tree volumes keep their own node affinity; they are not translated to CSI.
        """
        pod, node, storage = cycle.pod, on.node, cycle.storage
        bound_fits, no_such_volume, reasons = True, False, []
        waiting, provisioned = [], []
        for volume in pod.volumes:
            if volume.claim is None:
                continue
            claim = storage.claims[f"{pod.namespace}/{volume.claim}"]
            if state(claim, storage) == "delayed":
                waiting.append(claim)
            elif bound_fits and not no_such_volume:
                if claim.volume_name not in storage.volumes:
                    no_such_volume = True
                elif not reaches(storage.volumes[claim.volume_name], node):
                    bound_fits = False
        if not bound_fits:
            reasons.append("node(s) didn't match PersistentVolume's node affinity")
        selected = [claim.annotations.get(SELECTED_NODE) for claim in waiting]
        if any(name not in (None, node.name) for name in selected):
            reasons.append("node(s) didn't find available persistent volumes to bind")
        else:
            provisioned = [claim for claim, name in zip(waiting, selected, strict=True) if name is not None]
            free = [claim for claim, name in zip(waiting, selected, strict=True) if name is None]
            reasons += unbound_reasons(provisioned, free, node, storage)
        if no_such_volume:
            reasons.append("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)")
        return (UNRESOLVABLE, tuple(reasons)) if reasons else FITS

    def hint(self, event: Event, pod: Pod, args: Any, workloads: Sequence[Workload]) -> bool:
        old, new = event.old, event.new
        match event.kind:
            case "PersistentVolumeClaim":
                return mounts(pod, new)
            case "StorageClass":
                return old is None or old.allowed_topologies != new.allowed_topologies
            case "CSINode":
                return old is None or old.migrated != new.migrated
            case "CSIStorageCapacity":
                return old is None or _largest(new) > _largest(old)
            case "CSIDriver":
                return _uses_inline(pod, new.name) and old.storage_capacity and not new.storage_capacity
        return True


def state(claim: PersistentVolumeClaim, storage: Storage) -> str:
    if claim.volume_name and claim.bound:
        return "bound"
    storage_class = storage.classes.get(class_of(claim))
    waits = storage_class is not None and storage_class.volume_binding_mode == "WaitForFirstConsumer"
    return "delayed" if waits and not claim.volume_name else "immediate"


def unbound_reasons(
    provisioned: list[PersistentVolumeClaim], free: list[PersistentVolumeClaim], node: Node, storage: Storage
) -> list[str]:
    provisioned = provisioned + match_volumes(free, node, storage)[1]
    for claim in provisioned:
        storage_class = storage.classes[class_of(claim)]
        allowed = not storage_class.allowed_topologies
        for term in storage_class.allowed_topologies:
            if term and all(node.labels.get(key) in values for key, values in term):
                allowed = True
        if storage_class.provisioner in ("", "kubernetes.io/no-provisioner") or not allowed:
            return ["node(s) didn't find available persistent volumes to bind"]
        driver = storage.drivers.get(storage_class.provisioner)
        if driver is not None and driver.storage_capacity and not has_room(claim, storage_class, node, storage):
            return ["node(s) did not have enough free storage"]
    return []


def match_volumes(
    free: list[PersistentVolumeClaim], node: Node, storage: Storage
) -> tuple[list[tuple[PersistentVolumeClaim, PersistentVolume]], list[PersistentVolumeClaim]]:
    """Return (claim, volume) pairs, chosen for the smallest claim first, and the claims without a matching volume."""
    found, left = [], []
    for claim in sorted(free, key=lambda one: one.request):
        match = matching_volume(claim, node, storage, {volume.name for _, volume in found})
        if match is None:
            left.append(claim)
        else:
            found.append((claim, storage.volumes[match]))
    return found, left


def choose(
    pod: Pod, node: Node, storage: Storage
) -> tuple[list[tuple[PersistentVolumeClaim, PersistentVolume]], list[PersistentVolumeClaim]]:
    """Return the (claim, volume) pairs to bind and the claims to provision when the pod is bound to the node.

    The node has passed Filter.
    """
    names = [volume.claim for volume in pod.volumes if volume.claim is not None]
    claims = [storage.claims[f"{pod.namespace}/{name}"] for name in names]
    waiting = {claim.name: claim for claim in claims if state(claim, storage) == "delayed"}
    found, left = match_volumes(
        [claim for claim in waiting.values() if SELECTED_NODE not in claim.annotations], node, storage
    )
    return found, [claim for claim in waiting.values() if SELECTED_NODE in claim.annotations] + left


def has_room(claim: PersistentVolumeClaim, storage_class: StorageClass, node: Node, storage: Storage) -> bool:
    for capacity in storage.capacities:
        size = capacity.capacity if capacity.maximum_volume_size is None else capacity.maximum_volume_size
        if capacity.storage_class != storage_class.name or size is None or size < claim.request:
            continue
        if capacity.node_topology is not None and capacity.node_topology.matches(node.labels):
            return True
    return False


def reaches(volume: PersistentVolume, node: Node) -> bool:
    return volume.node_affinity is None or volume.node_affinity.matches(node.labels, "")


def matching_volume(claim: PersistentVolumeClaim, node: Node, storage: Storage, taken: set[str]) -> str | None:
    best: PersistentVolume | None = None
    for name in sorted(storage.volumes):
        volume = storage.volumes[name]
        mine = volume.claim_ref == f"{claim.namespace}/{claim.name}" and volume.claim_uid in ("", claim.uid)
        volume_class = volume.annotations.get("volume.beta.kubernetes.io/storage-class", volume.storage_class)
        if volume_class != class_of(claim) or name in taken or (volume.claim_ref and not mine):
            continue
        if volume.capacity < claim.request or volume.volume_mode != claim.volume_mode or volume.terminating:
            continue
        if volume.attributes_class != claim.attributes_class:
            continue
        if mine:
            return name if reaches(volume, node) else None
        if volume.phase != "Available" or not reaches(volume, node):
            continue
        if claim.selector is not None and not claim.selector.matches(volume.labels):
            continue
        if not set(claim.access_modes) <= set(volume.access_modes):
            continue
        if best is None or volume.capacity < best.capacity:
            best = volume
    return None if best is None else best.name


def _uses_inline(pod: Pod, driver: str) -> bool:
    return any(v.source_type == "csi" and (v.source or {}).get("driver") == driver for v in pod.volumes)


def _largest(capacity: CSIStorageCapacity) -> int:
    """Return the size of the largest volume that can be provisioned according to the object, or -1 if it has none."""
    found = capacity.capacity if capacity.maximum_volume_size is None else capacity.maximum_volume_size
    return -1 if found is None else int(found)
