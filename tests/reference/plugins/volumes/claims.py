"""Functions of a pod and its claims for the volume plugins."""

from __future__ import annotations

from scheduler_core.apis.core import PersistentVolumeClaim, Pod
from tests.reference.framework.interface import UNRESOLVABLE, Verdict

SELECTED_NODE = "volume.kubernetes.io/selected-node"


def direct_claims(pod: Pod) -> list[str]:
    """Return the names of the claims in the pod's spec, in order, without those of ephemeral volumes."""
    return [volume.claim for volume in pod.volumes if volume.claim is not None and not volume.ephemeral]


def not_found(kind: str, name: str) -> Verdict:
    return (UNRESOLVABLE, (f'{kind} "{name}" not found',))


def mounts(pod: Pod, claim: PersistentVolumeClaim) -> bool:
    """Return whether the pod uses the claim, by name or for an ephemeral volume."""
    return claim.namespace == pod.namespace and any(volume.claim == claim.name for volume in pod.volumes)


def names(pod: Pod, claim: PersistentVolumeClaim) -> bool:
    """Return whether the pod's spec names the claim."""
    return claim.namespace == pod.namespace and claim.name in direct_claims(pod)


def class_of(claim: PersistentVolumeClaim) -> str:
    return claim.annotations.get("volume.beta.kubernetes.io/storage-class", claim.storage_class or "")
