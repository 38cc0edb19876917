"""VolumeZone: a volume's zone labels. Rules: kube-scheduler's volumezone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scheduler_core.apis.core import PersistentVolume, Pod, Workload
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
from tests.reference.plugins.volumes.claims import class_of, direct_claims, names, not_found

ZONE_LABELS = (
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
)
STABLE = {ZONE_LABELS[0]: ZONE_LABELS[2], ZONE_LABELS[1]: ZONE_LABELS[3]}


class VolumeZone(Plugin):
    events = {
        "Node": ("Add", NODE_LABEL),
        "PersistentVolumeClaim": ("Add", "Update"),
        "PersistentVolume": ("Add", "Update"),
        "StorageClass": ("Add",),
    }

    def pre_filter(self, cycle: Cycle) -> Verdict:
        pod, storage, topologies = cycle.pod, cycle.storage, []
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
                return UNRESOLVABLE, ("PersistentVolumeClaim had no pv name and storageClass name",)
            storage_class = storage.classes.get(class_of(claim))
            if storage_class is None:
                return not_found("storageclass.storage.k8s.io", class_of(claim))
            if storage_class.volume_binding_mode != "WaitForFirstConsumer":
                return UNRESOLVABLE, ("PersistentVolume had no name",)
        return FITS if topologies else SKIP

    def filter(self, cycle: Cycle, on: NodeInfo) -> Verdict:
        labels, storage = on.node.labels, cycle.storage
        if not any(key in labels for key in ZONE_LABELS):
            return FITS
        for name in direct_claims(cycle.pod):
            claim = storage.claims[f"{cycle.pod.namespace}/{name}"]
            for key, zones in zones_of(storage.volumes[claim.volume_name]) if claim.volume_name else ():
                if labels.get(key, labels.get(STABLE.get(key, key))) not in zones:
                    return UNRESOLVABLE, ("node(s) had no available volume zone",)
        return FITS

    def hint(self, event: Event, pod: Pod, args: Any, workloads: Sequence[Workload]) -> bool:
        match event.kind:
            case "PersistentVolumeClaim":
                return names(pod, event.new)
            case "PersistentVolume":
                return event.old is None or zones_of(event.old) != zones_of(event.new)
            case "StorageClass":
                return bool(event.new.volume_binding_mode == "WaitForFirstConsumer")
        return True


def zones_of(volume: PersistentVolume) -> list[tuple[str, set[str]]]:
    found = []
    for key in ZONE_LABELS:
        zones = [zone.strip() for zone in volume.labels.get(key, "").split("__")]
        if key in volume.labels and all(zones):
            found.append((key, set(zones)))
    return found
