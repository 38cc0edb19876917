"""Missing objects and resources that no edit can replace: a claim, its class or volume, a resource, or its user."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from scheduler_core.apis.core import PersistentVolume, PersistentVolumeClaim, Pod, StorageClass
from scheduler_core.ask.moments.world import World
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.plugins.volumes.matching import fully_bound

ONCE_POD = "ReadWriteOncePod"
AT_ONCE = "Immediate"


class Missing(msgspec.Struct, frozen=True):
    """Something that is missing: `name`.

    `of`: the object that needs it; `where`: the location of a volume without nodes.

    claim, class, volume, resource: the object does not exist, or no node has the resource. binding: the claim `name` is
    not bound, though its class `of` binds immediately. place: no node can reach the volume `name` of the claim `of`.
    in-use: the claim `name` can be used by one pod only, and `of` uses it.
    """

    kind: Literal["claim", "class", "volume", "resource", "binding", "place", "in-use"]
    name: str
    of: str = ""
    where: str = ""


def missing(world: World, pod: Pod) -> list[Missing]:
    """Return everything that the pod requires and that is missing."""
    cluster = world.cluster
    all_missing = [entry for name in _claims(pod) for entry in _of_claim(cluster, pod, name)]
    offered = {name for node in cluster.all_nodes() for name, amount in node.allocatable.items() if amount}
    all_missing += [
        Missing("resource", name) for name, amount in pod.requests.items() if amount and name not in offered
    ]
    return all_missing


def _claims(pod: Pod) -> list[str]:
    return list(dict.fromkeys(volume.claim for volume in pod.volumes if volume.claim is not None))


def _of_claim(cluster: Cluster, pod: Pod, name: str) -> Iterator[Missing]:
    claim = cluster.get("PersistentVolumeClaim", f"{pod.namespace}/{name}")
    if not isinstance(claim, PersistentVolumeClaim):
        yield Missing("claim", name)
        return
    if claim.volume_name:
        volume = cluster.get("PersistentVolume", claim.volume_name)
        if not isinstance(volume, PersistentVolume):
            yield Missing("volume", claim.volume_name, name)
        elif volume.node_affinity is not None and not _reachable(cluster, volume):
            yield Missing("place", volume.name, name, str(volume.node_affinity))
    elif not fully_bound(claim):
        yield from _unbound(cluster, claim)
    if ONCE_POD in claim.access_modes:
        pods = cluster.pods
        users = (
            other.key
            for other in pods.all()
            if other.namespace == pod.namespace and other.key != pod.key and name in _claims(other)
            if pods.node_name[pods.slot_of[other.key]]
        )
        yield from (Missing("in-use", name, user) for user in users)


def _reachable(cluster: Cluster, volume: PersistentVolume) -> bool:
    assert volume.node_affinity is not None
    return any(volume.node_affinity.matches(node.labels, node.name) for node in cluster.all_nodes())


def _unbound(cluster: Cluster, claim: PersistentVolumeClaim) -> Iterator[Missing]:
    name = claim.storage_class or ""
    storage_class = cluster.get("StorageClass", name)
    if not isinstance(storage_class, StorageClass):
        if name or not any(True for _ in cluster.objects("PersistentVolume")):
            yield Missing("class", name, claim.name)
    elif storage_class.volume_binding_mode == AT_ONCE:
        yield Missing("binding", claim.name, name)
