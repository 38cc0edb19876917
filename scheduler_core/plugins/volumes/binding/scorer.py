"""Scores of VolumeBinding by capacity (volumebinding/scorer.go; volume_binding.go: Score).

Used with the feature gate StorageCapacityScoring. With the default shape, a node scores higher the smaller the share of
its capacity that the claims use: nodes with much free storage, or with large existing volumes, are preferred.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from scheduler_core.apis.config import UtilizationShapePoint
from scheduler_core.apis.core import CSIStorageCapacity, PersistentVolumeClaim
from scheduler_core.apis.messages import Message, RunEnded
from scheduler_core.apis.quantity import format_bytes
from scheduler_core.plugins.node_resources.strategies import broken_linear
from scheduler_core.plugins.volumes.binding.assume_cache import PodVolumes
from scheduler_core.plugins.volumes.binding.binder import capacity_for
from scheduler_core.plugins.volumes.listers import Storage
from scheduler_core.plugins.volumes.matching import Labels, claim_class

GATE = "StorageCapacityScoring"
DEFAULT_SHAPE = (UtilizationShapePoint(0, 10), UtilizationShapePoint(100, 0))
MAX_UTILIZATION = 100


class StorageResource(msgspec.Struct):
    """Bytes of one storage class: requested by the pod's claims, and available for them on the node."""

    requested: int = 0
    capacity: int = 0

    @property
    def utilization(self) -> int:
        """Return the requested percentage of the capacity; 100 if more is requested, or the capacity is 0."""
        if self.capacity == 0 or self.requested > self.capacity:
            return MAX_UTILIZATION
        return self.requested * MAX_UTILIZATION // self.capacity


def class_resources(volumes: PodVolumes, storage: Storage, labels: Labels) -> dict[str, StorageResource]:
    """Return the resources by storage class: of existing volumes if the pod gets any, otherwise of new ones."""
    classes: dict[str, StorageResource] = {}
    for claim, pv in volumes.bindings:
        resource = classes.setdefault(pv.storage_class, StorageResource())
        resource.requested += claim.request
        resource.capacity += pv.capacity
    if classes:
        return classes
    for claim in volumes.provisions:
        published = _published(claim, storage, labels)
        if published is not None:
            resource = classes.setdefault(claim_class(claim), StorageResource())
            resource.requested += claim.request
            resource.capacity = _bytes(published)
    return classes


def score(classes: Mapping[str, StorageResource], shape: Sequence[UtilizationShapePoint]) -> int:
    """Return the mean of the classes' scores, rounded half up; 0 without classes."""
    if not classes:
        return 0
    return math.floor(sum(_points(storage, shape) for storage in classes.values()) / len(classes) + 0.5)


def arithmetic(classes: Mapping[str, StorageResource], shape: Sequence[UtilizationShapePoint]) -> list[str]:
    """Return a line for the utilization and points of each class, and one for their mean, the score."""
    lines = [
        f"{name}: {format_bytes(resource.requested)} of {format_bytes(resource.capacity)} = "
        f"{resource.utilization} % -> {_points(resource, shape)}"
        for name, resource in classes.items()
    ]
    return [*lines, f"mean of the storage classes = {score(classes, shape)}"]


def _points(resource: StorageResource, shape: Sequence[UtilizationShapePoint]) -> int:
    return int(broken_linear(shape, np.array([resource.utilization]))[0])


def _published(claim: PersistentVolumeClaim, storage: Storage, labels: Labels) -> CSIStorageCapacity | None:
    """Return the first published capacity of the class that suffices for the claim on the node, None without one."""
    storage_class = storage.storage_class(claim_class(claim))
    return capacity_for(claim, storage_class, storage, labels) if storage_class is not None else None


def _bytes(capacity: CSIStorageCapacity) -> int:
    """Return the published capacity in bytes. Raises RunEnded where kube-scheduler panics."""
    if capacity.capacity is None:
        message = Message(
            "kube-scheduler panics here (nil pointer dereference): CSIStorageCapacity {name} has a maximumVolumeSize "
            "and no capacity",
            name=f"{capacity.namespace}/{capacity.name}",
        )
        raise RunEnded(message)
    return capacity.capacity
