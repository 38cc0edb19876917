"""Questions of the volume plugins about a pod and its claims."""

from __future__ import annotations

from scheduler_core.apis.core import PersistentVolumeClaim, Pod
from tests.reference.framework.interface import UNRESOLVABLE, Verdict

SELECTED_NODE = "volume.kubernetes.io/selected-node"


def direct_claims(pod: Pod) -> list[str]:
    """Return the claims that the pod names itself, in order; not those of ephemeral volumes."""
    return [volume.claim for volume in pod.volumes if volume.claim is not None and not volume.ephemeral]


def not_found(kind: str, name: str) -> Verdict:
    return (UNRESOLVABLE, (f'{kind} "{name}" not found',))


def mounts(pod: Pod, claim: PersistentVolumeClaim) -> bool:
    """Return whether the pod uses the claim, as an ephemeral volume or by name."""
    return claim.namespace == pod.namespace and any(volume.claim == claim.name for volume in pod.volumes)


def names(pod: Pod, claim: PersistentVolumeClaim) -> bool:
    """Return whether the pod's spec names the claim."""
    return claim.namespace == pod.namespace and claim.name in direct_claims(pod)


def class_of(claim: PersistentVolumeClaim) -> str:
    return claim.annotations.get("volume.beta.kubernetes.io/storage-class", claim.storage_class or "")
