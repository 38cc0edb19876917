"""Inline volumes that two pods on one node cannot both mount (volumerestrictions' `isVolumeConflict`)."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_core.apis.core import Manifest, Pod, Volume

DEFAULT_POOL = "rbd"  # the API's default of rbd.pool


def is_exclusive(volume: Volume) -> bool:
    """Return whether the volume is of a kind that can conflict (`needsRestrictionsCheck`)."""
    return volume.source is not None and volume.source_type in _IDENTITIES


def disk_names(volume: Volume) -> Iterator[str]:
    """Yield the names of the disk that the volume mounts; an RBD image has one for each monitor.

    Only volumes with a common name can conflict.
    """
    if is_exclusive(volume) and volume.source is not None:
        for identity in _IDENTITIES[volume.source_type](volume.source):
            yield f"{volume.source_type} {identity}"


def conflicts(pod: Pod, other: Pod) -> bool:
    """Return whether a volume of the pod conflicts with a volume of the other pod."""
    return any(_conflict(own, another) for own in pod.volumes if is_exclusive(own) for another in other.volumes)


def _conflict(volume: Volume, other: Volume) -> bool:
    if set(disk_names(volume)).isdisjoint(disk_names(other)):
        return False
    return volume.source_type == "awsElasticBlockStore" or not (_read_only(volume) and _read_only(other))


def _read_only(volume: Volume) -> bool:
    return volume.source is not None and bool(volume.source.get("readOnly"))


def _image(source: Manifest) -> list[str]:
    """Return the names of an RBD image, one for each monitor; images with a common name are the same."""
    image = f"{source.get('pool') or DEFAULT_POOL}/{source.get('image', '')}"
    return [f"{image} at {monitor}" for monitor in source.get("monitors") or ()]


_IDENTITIES = {
    "gcePersistentDisk": lambda source: [str(source.get("pdName", ""))],
    "awsElasticBlockStore": lambda source: [str(source.get("volumeID", ""))],
    "iscsi": lambda source: [str(source.get("iqn", ""))],
    "rbd": _image,
}
