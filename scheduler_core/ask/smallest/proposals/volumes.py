"""Proposals about volumes: claims with a smaller request or another class, and nodes that can reach the volumes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from scheduler_core.apis.core import PersistentVolume, PersistentVolumeClaim, StorageClass
from scheduler_core.apis.quantity import format_bytes
from scheduler_core.ask.editing.edits import SetField
from scheduler_core.ask.smallest.proposals.proposal import MOST_VALUES, Asked, Proposal

ONCE_POD = "ReadWriteOncePod"
MOST_CLASSES = 10


def claims_of(asked: Asked) -> list[PersistentVolumeClaim]:
    """Return the claims of the pod that exist."""
    keys = [f"{asked.pod.namespace}/{volume.claim}" for volume in asked.pod.volumes if volume.claim is not None]
    found = (asked.world.cluster.get("PersistentVolumeClaim", key) for key in dict.fromkeys(keys))
    return [one for one in found if isinstance(one, PersistentVolumeClaim)]


def _of_claim(claim: PersistentVolumeClaim, *path: str | int, value: Any = None) -> SetField:
    return SetField("PersistentVolumeClaim", claim.name, path, value, claim.namespace)


def volume_binding(asked: Asked) -> Iterator[Proposal]:
    """Propose a smaller request or another class for an unbound claim, or a node in the volume's location."""
    for claim in claims_of(asked):
        if not claim.volume_name:
            yield from _smaller(asked, claim)
            yield from _other_classes(asked, claim)
    yield from _where_volumes_are(asked)


def _smaller(asked: Asked, claim: PersistentVolumeClaim) -> Iterator[Proposal]:
    """Return the largest size of existing volumes and capacities that satisfies the claim here."""
    cluster = asked.world.cluster
    volumes = cast("Iterator[PersistentVolume]", cluster.objects("PersistentVolume"))
    sizes = {volume.capacity for volume in volumes}
    for one in cluster.objects("CSIStorageCapacity"):
        sizes |= {size for size in (getattr(one, "capacity", None), getattr(one, "maximum_volume_size", None)) if size}
    for size in sorted((one for one in sizes if one < claim.request), reverse=True):
        edit = _of_claim(claim, "spec", "resources", "requests", "storage", value=format_bytes(size))
        if asked.answers([edit]):
            before, share = format_bytes(claim.request), (claim.request - size) / claim.request
            yield Proposal("claim", [edit], f"{claim.name} storage", before, format_bytes(size), share)
            return


def _other_classes(asked: Asked, claim: PersistentVolumeClaim) -> Iterator[Proposal]:
    """Propose each other StorageClass."""
    classes = cast("Iterator[StorageClass]", asked.world.cluster.objects("StorageClass"))
    for one in [storage_class for storage_class in classes if storage_class.name != claim.storage_class][:MOST_CLASSES]:
        edit = _of_claim(claim, "spec", "storageClassName", value=one.name)
        yield Proposal("claim", [edit], f"{claim.name} storageClassName", claim.storage_class, one.name, 1.0)


def _where_volumes_are(asked: Asked) -> Iterator[Proposal]:
    """Propose the node labels that volumes and classes require. They are marked as untrue: labels move no machine."""
    cluster = asked.world.cluster
    keys: dict[str, None] = {}
    values: dict[str, set[str]] = {}

    def take(key: str, found: tuple[str, ...]) -> None:
        keys[key] = None
        values.setdefault(key, set()).update(found)

    for claim in claims_of(asked):
        volumes = [cluster.get("PersistentVolume", claim.volume_name)] if claim.volume_name else []
        if not claim.volume_name:
            every = cast("Iterator[PersistentVolume]", cluster.objects("PersistentVolume"))
            volumes += [one for one in every if one.storage_class == claim.storage_class]
        for volume in volumes:
            if isinstance(volume, PersistentVolume):
                for key, text in volume.labels.items():
                    take(key, tuple(text.split("__")))
                for term in volume.node_affinity.terms if volume.node_affinity is not None else ():
                    for match_expression in term.match_expressions:
                        take(match_expression.key, tuple(match_expression.values))
        found = cluster.get("StorageClass", claim.storage_class or "")
        if isinstance(found, StorageClass):
            for topology in found.allowed_topologies:
                for key, allowed in topology:
                    take(key, allowed)
    for key in keys:
        for value in sorted(values[key] - {asked.node.labels.get(key, "")})[:MOST_VALUES]:
            yield asked.label(key, value)


def volume_zone(asked: Asked) -> Iterator[Proposal]:
    """Propose to move the node to the zone of a bound volume, which cannot move. The class of a claim has to exist."""
    for claim in claims_of(asked):
        if not claim.volume_name:
            yield from _other_classes(asked, claim)
    yield from _where_volumes_are(asked)


def volume_restrictions(asked: Asked) -> Iterator[Proposal]:
    """Propose to share a ReadWriteOncePod claim."""
    for claim in claims_of(asked):
        if ONCE_POD in claim.access_modes:
            modes = ["ReadWriteOnce" if mode == ONCE_POD else mode for mode in claim.access_modes]
            edit = _of_claim(claim, "spec", "accessModes", value=list(dict.fromkeys(modes)))
            yield Proposal("claim", [edit], f"{claim.name} accessModes", ONCE_POD, "ReadWriteOnce", 1.0)
