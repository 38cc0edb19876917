"""VolumeRestrictions: volumes that may not be mounted together. Rules: kube-scheduler's volumerestrictions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scheduler_core.apis.core import Pod, Volume, Workload
from tests.reference.framework.cluster_event import Event
from tests.reference.framework.interface import (
    FITS,
    SKIP,
    UNSCHEDULABLE,
    Cycle,
    NodeInfo,
    NodeWithPods,
    Plugin,
    Verdict,
)
from tests.reference.framework.storage import Storage
from tests.reference.plugins.volumes.claims import direct_claims, names, not_found

IN_USE = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
)


class VolumeRestrictions(Plugin):
    events = {"Node": ("Add",), "Pod": ("Delete",), "PersistentVolumeClaim": ("Add",)}

    def pre_filter(self, cycle: Cycle) -> Verdict:
        pod, storage = cycle.pod, cycle.storage
        for name in direct_claims(pod):
            if f"{pod.namespace}/{name}" not in storage.claims:
                return not_found("persistentvolumeclaim", name)
        if not any(map(restricted, pod.volumes)) and once_conflicts(pod, cycle.snapshot, storage) == 0:
            return SKIP
        return FITS

    def filter(self, cycle: Cycle, on: NodeInfo) -> Verdict:
        pod, storage = cycle.pod, cycle.storage
        if any(may_not_share(pod, other) for other in on.pods):
            return UNSCHEDULABLE, ("node(s) had no available disk",)
        count = once_conflicts(pod, cycle.snapshot, storage)
        count += sum(once_references(pod, other, storage) for other in on.added)
        count -= sum(once_references(pod, other, storage) for other in on.removed)
        return (UNSCHEDULABLE, (IN_USE,)) if count > 0 else FITS

    def hint(self, event: Event, pod: Pod, args: Any, workloads: Sequence[Workload]) -> bool:
        if event.kind == "Node":
            return True
        if event.kind == "PersistentVolumeClaim":
            return names(pod, event.new)
        shared = set(direct_claims(pod)) & set(direct_claims(event.old))
        return event.old.namespace == pod.namespace and (bool(shared) or may_not_share(pod, event.old))


def may_not_share(pod: Pod, other: Pod) -> bool:
    """Return whether inline volumes of the two pods may not be mounted on one node."""
    return any(conflicts(one, two) for one in pod.volumes for two in other.volumes)


def restricted(volume: Volume) -> bool:
    return volume.source_type in ("gcePersistentDisk", "awsElasticBlockStore", "rbd", "iscsi")


def conflicts(one: Volume, other: Volume) -> bool:
    """Return whether two inline volumes may not be mounted together on a node."""
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
    """Return the names of the pod's ReadWriteOncePod claims. Raise KeyError if a claim does not exist."""
    found = set()
    for name in direct_claims(pod):
        if "ReadWriteOncePod" in storage.claims[f"{pod.namespace}/{name}"].access_modes:
            found.add(name)
    return found


def once_conflicts(pod: Pod, cluster: Sequence[NodeWithPods], storage: Storage) -> int:
    """Return the number of the pod's ReadWriteOncePod claims that a pod on a node already uses."""
    used = {f"{other.namespace}/{name}" for _, pods in cluster for other in pods for name in direct_claims(other)}
    return sum(f"{pod.namespace}/{name}" in used for name in once_claims(pod, storage))


def once_references(pod: Pod, other: Pod, storage: Storage) -> int:
    """Return the number of the other pod's claims that AddPod and RemovePod count.

    They are those with the name of one of the pod's ReadWriteOncePod claims, in any namespace.
    """
    return sum(name in once_claims(pod, storage) for name in direct_claims(other))
