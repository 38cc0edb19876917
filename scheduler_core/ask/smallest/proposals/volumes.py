"""Proposals about volumes: claims with a smaller request or another class, and nodes that can reach the volumes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, cast

from scheduler_core.apis.core import PersistentVolume, PersistentVolumeClaim, StorageClass
from scheduler_core.apis.quantity import format_bytes
from scheduler_core.ask.editing.edits import SetField
from scheduler_core.ask.smallest.proposals.proposal import MAX_VALUES, Case, Proposal

ONCE_POD = "ReadWriteOncePod"
MAX_CLASSES = 10


def claims_of(case: Case) -> list[PersistentVolumeClaim]:
    """Return the claims of the pod that exist."""
    keys = [f"{case.pod.namespace}/{volume.claim}" for volume in case.pod.volumes if volume.claim is not None]
    claims = (case.world.cluster.get("PersistentVolumeClaim", key) for key in dict.fromkeys(keys))
    return [claim for claim in claims if isinstance(claim, PersistentVolumeClaim)]


def _of_claim(claim: PersistentVolumeClaim, *path: str | int, value: Any = None) -> SetField:
    return SetField("PersistentVolumeClaim", claim.name, path, value, claim.namespace)


def volume_binding(case: Case) -> Iterator[Proposal]:
    """Propose a smaller request or another class for an unbound claim, or a node in the volume's location."""
    for claim in claims_of(case):
        if not claim.volume_name:
            yield from _smaller(case, claim)
            yield from _other_classes(case, claim)
    yield from _where_volumes_are(case)


def _smaller(case: Case, claim: PersistentVolumeClaim) -> Iterator[Proposal]:
    """Propose the largest smaller size of existing volumes and capacities with which the plugin accepts the node."""
    cluster = case.world.cluster
    volumes = cast("Iterator[PersistentVolume]", cluster.objects("PersistentVolume"))
    sizes = {volume.capacity for volume in volumes}
    for capacity in cluster.objects("CSIStorageCapacity"):
        sizes |= {
            size
            for size in (getattr(capacity, "capacity", None), getattr(capacity, "maximum_volume_size", None))
            if size
        }
    for size in sorted((candidate for candidate in sizes if candidate < claim.request), reverse=True):
        edit = _of_claim(claim, "spec", "resources", "requests", "storage", value=format_bytes(size))
        if case.accepts([edit]):
            before, share = format_bytes(claim.request), (claim.request - size) / claim.request
            yield Proposal("claim", [edit], f"{claim.name} storage", before, format_bytes(size), share)
            return


def _other_classes(case: Case, claim: PersistentVolumeClaim) -> Iterator[Proposal]:
    """Propose the other StorageClasses, at most MAX_CLASSES."""
    classes = cast("Iterator[StorageClass]", case.world.cluster.objects("StorageClass"))
    others = (storage_class for storage_class in classes if storage_class.name != claim.storage_class)
    for storage_class in islice(others, MAX_CLASSES):
        edit = _of_claim(claim, "spec", "storageClassName", value=storage_class.name)
        yield Proposal("claim", [edit], f"{claim.name} storageClassName", claim.storage_class, storage_class.name, 1.0)


def _where_volumes_are(case: Case) -> Iterator[Proposal]:
    """Propose node labels that volumes and classes require. They are marked as untrue: labels move no machine."""
    cluster = case.world.cluster
    keys: dict[str, None] = {}
    values: dict[str, set[str]] = {}

    def take(key: str, terms: tuple[str, ...]) -> None:
        keys[key] = None
        values.setdefault(key, set()).update(terms)

    for claim in claims_of(case):
        volumes = [cluster.get("PersistentVolume", claim.volume_name)] if claim.volume_name else []
        if not claim.volume_name:
            every = cast("Iterator[PersistentVolume]", cluster.objects("PersistentVolume"))
            volumes += [volume for volume in every if volume.storage_class == claim.storage_class]
        for volume in volumes:
            if isinstance(volume, PersistentVolume):
                for key, text in volume.labels.items():
                    take(key, tuple(text.split("__")))
                for term in volume.node_affinity.terms if volume.node_affinity is not None else ():
                    for match_expression in term.match_expressions:
                        take(match_expression.key, tuple(match_expression.values))
        storage_class = cluster.get("StorageClass", claim.storage_class or "")
        if isinstance(storage_class, StorageClass):
            for topology in storage_class.allowed_topologies:
                for key, allowed in topology:
                    take(key, allowed)
    for key in keys:
        for value in sorted(values[key] - {case.node.labels.get(key, "")})[:MAX_VALUES]:
            yield case.label(key, value)


def volume_zone(case: Case) -> Iterator[Proposal]:
    """Propose another class for an unbound claim, or to move the node to the zone of a volume, which cannot move."""
    for claim in claims_of(case):
        if not claim.volume_name:
            yield from _other_classes(case, claim)
    yield from _where_volumes_are(case)


def volume_restrictions(case: Case) -> Iterator[Proposal]:
    """Propose to share a ReadWriteOncePod claim."""
    for claim in claims_of(case):
        if ONCE_POD in claim.access_modes:
            modes = ["ReadWriteOnce" if mode == ONCE_POD else mode for mode in claim.access_modes]
            edit = _of_claim(claim, "spec", "accessModes", value=list(dict.fromkeys(modes)))
            yield Proposal("claim", [edit], f"{claim.name} accessModes", ONCE_POD, "ReadWriteOnce", 1.0)
