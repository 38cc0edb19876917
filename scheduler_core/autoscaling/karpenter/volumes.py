"""The topology in which a pod's volumes can be reached, and the drivers that mount them.

karpenter: pkg/controllers/provisioning/scheduling/volumetopology.go, pkg/scheduling/volumeusage.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scheduler_core.apis.core import PersistentVolume, PersistentVolumeClaim, Pod, StorageClass
from scheduler_core.apis.requirements import (
    HOSTNAME,
    NO_REQUIREMENTS,
    Requirements,
    disjoint,
    merge,
    of_expressions,
    requirement,
)
from scheduler_core.controllers.api import Api
from scheduler_core.plugins.volumes.csi_migration import BY_NAME, BY_SOURCE

LOCAL = ("local", "hostPath")
BIND_COMPLETED = "pv.kubernetes.io/bind-completed"


def volume_problem(pod: Pod, api: Api) -> str:
    """Return why the claims of a pod's volumes are invalid, "" if they are not (ValidatePersistentVolumeClaims)."""
    for volume in pod.volumes:
        if volume.claim is None:
            continue
        claim = api.cluster.get("PersistentVolumeClaim", f"{pod.namespace}/{volume.claim}")
        if not isinstance(claim, PersistentVolumeClaim):
            name = volume.claim
            return (
                f'getting persistent volume claim, PersistentVolumeClaim "{name}" not found '
                f"(PersistentVolumeClaim={name})"
            )
        about = f"PersistentVolumeClaim={claim.namespace}/{claim.name}"
        if claim.terminating:
            return f"persistentvolumeclaim is being deleted ({about})"
        if claim.phase == "Lost":
            volume_name = f"PersistentVolume={claim.volume_name}"
            return f"persistentvolumeclaim bound to non-existent persistentvolume ({volume_name}, {about})"
        if problem := _problem_of_claim(claim, about, api):
            return problem
    return ""


def _problem_of_claim(claim: PersistentVolumeClaim, about: str, api: Api) -> str:
    name = claim.storage_class or ""
    if claim.volume_name:
        volume = api.cluster.get("PersistentVolume", claim.volume_name)
        volume_name, reason = f"PersistentVolume={claim.volume_name}", ""
        if not isinstance(volume, PersistentVolume):
            reason = f'PersistentVolume "{claim.volume_name}" not found'
        elif volume.terminating:
            reason = "persistentvolume is being deleted"
        if reason:
            return f"failed to validate pvc, {reason} ({volume_name}, {about}, StorageClass={name})"
        if not claim.bound:
            about = f"{volume_name}, PersistentVolumeClaim={claim.name}, annotation={BIND_COMPLETED}"
            return f"pvc is considered unbound because it does not contain annotation ({about})"
        return ""
    if not name:
        return f"unbound pvc must define a storage class ({about}, StorageClass=)"
    storage_class = api.cluster.get("StorageClass", name)
    if not isinstance(storage_class, StorageClass):
        reason = f'failed to get storage class, StorageClass.storage.k8s.io "{name}" not found'
        return f"failed to validate pvc, {reason} ({about}, StorageClass={name})"
    if storage_class.volume_binding_mode == "Immediate":
        reason = "pvc with immediate volume binding mode must be bound"
        return f"failed to validate pvc, {reason} ({about}, StorageClass={name})"
    return ""


def volume_requirements(pod: Pod, api: Api) -> Sequence[Requirements]:
    """Return the topologies in which all volumes of a pod can be reached, () if all are possible (GetRequirements)."""
    places: list[Requirements] | None = None
    for volume in pod.volumes:
        if volume.claim is None:
            continue
        claim = api.cluster.get("PersistentVolumeClaim", f"{pod.namespace}/{volume.claim}")
        of_volume = _places(claim, api) if isinstance(claim, PersistentVolumeClaim) else []
        if not of_volume:
            continue
        if places is None:
            places = of_volume
            continue
        pairs = [(first, second) for first in places for second in of_volume]
        together = [pair for pair in pairs if disjoint(*pair) is None]
        places = [merge(*pair) for pair in together or pairs]
    return places or ()


def mounted(pods: Iterable[Pod], api: Api) -> dict[str, set[str]]:
    """Return the claims of the pods' volumes by CSI driver, without those of other drivers (GetVolumes)."""
    claims: dict[str, set[str]] = {}
    for pod in pods:
        for volume in pod.volumes:
            key = f"{pod.namespace}/{volume.claim}"
            claim = api.cluster.get("PersistentVolumeClaim", key) if volume.claim is not None else None
            if isinstance(claim, PersistentVolumeClaim) and (driver := _driver(claim, api)):
                claims.setdefault(driver, set()).add(key)
    return claims


def _driver(claim: PersistentVolumeClaim, api: Api) -> str:
    """Return the CSI driver that serves a claim, "" if it is unknown (ResolveDriver)."""
    if claim.volume_name:
        volume = api.cluster.get("PersistentVolume", claim.volume_name)
        source = volume.source if isinstance(volume, PersistentVolume) else {}
        if "csi" in source:
            return str(source["csi"].get("driver") or "")
        return BY_SOURCE["awsElasticBlockStore"].driver if "awsElasticBlockStore" in source else ""
    storage_class = api.cluster.get("StorageClass", claim.storage_class or "")
    provisioner = storage_class.provisioner if isinstance(storage_class, StorageClass) else ""
    return BY_NAME[provisioner].driver if provisioner in BY_NAME else provisioner


def _places(claim: PersistentVolumeClaim, api: Api) -> list[Requirements]:
    if claim.volume_name:
        volume = api.cluster.get("PersistentVolume", claim.volume_name)
        return _places_of_volume(volume) if isinstance(volume, PersistentVolume) else []
    storage_class = api.cluster.get("StorageClass", claim.storage_class or "")
    if not isinstance(storage_class, StorageClass):
        return []
    terms = (merge(requirement(key, "In", values) for key, values in term) for term in storage_class.allowed_topologies)
    return [term for term in terms if term]


def _places_of_volume(volume: PersistentVolume) -> list[Requirements]:
    places: list[Requirements] = []
    for term in volume.node_affinity.terms if volume.node_affinity is not None else ():
        expressions = term.match_expressions
        if any(kind in volume.source for kind in LOCAL):
            expressions = tuple(entry for entry in expressions if entry.key != HOSTNAME)
            if term.match_expressions and not expressions:
                places.append(NO_REQUIREMENTS)
        if expressions:
            places.append(of_expressions(expressions))
    return places
