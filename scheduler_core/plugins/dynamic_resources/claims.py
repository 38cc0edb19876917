"""The ResourceClaims of a pod (dynamicresources.go: foreachPodResourceClaim, resourceclaim/resourceclaim.go: Name)."""

from __future__ import annotations

from typing import cast

from scheduler_core.apis.core import Pod
from scheduler_core.apis.devices import EXTENDED_RESOURCE_CLAIM, DeviceClass, PodClaim, ResourceClaim
from scheduler_core.cluster.cluster import Cluster


class ClaimError(Exception):
    """A claim of the pod does not exist yet, is being deleted, or belongs to another pod."""


def stored_claim(cluster: Cluster, namespace: str, name: str) -> ResourceClaim | None:
    """Return the claim as known to the scheduler, None if it does not exist."""
    return cast("ResourceClaim | None", cluster.get("ResourceClaim", f"{namespace}/{name}"))


def device_class(cluster: Cluster, name: str) -> DeviceClass | None:
    """Return the class, None if it does not exist."""
    return cast("DeviceClass | None", cluster.get("DeviceClass", name))


def claim_name(pod: Pod, claim: PodClaim) -> str | None:
    """Return the claim's name for an entry of spec.resourceClaims: "" if none was needed, None if it is unknown."""
    if claim.claim:
        return claim.claim
    return next((generated for name, generated in pod.resource_claim_statuses if name == claim.name), None)


def claim_keys(pod: Pod) -> list[str]:
    """Return the keys ("namespace/name") of the pod's claims whose names are known, whether or not they exist."""
    if not pod.resource_claims and not pod.extended_resource_claim:
        return []
    names = [claim_name(pod, entry) for entry in pod.resource_claims]
    return [f"{pod.namespace}/{name}" for name in (*names, pod.extended_resource_claim) if name]


def claims_of(pod: Pod, cluster: Cluster) -> list[ResourceClaim]:
    """Return the pod's claims in the order of its spec. Raises ClaimError for the first one that cannot be used."""
    claims = []
    for entry in pod.resource_claims:
        name = claim_name(pod, entry)
        if name is None:
            raise ClaimError(f'pod "{pod.key}": ResourceClaim not created yet')
        if not name:
            continue
        claim = stored_claim(cluster, pod.namespace, name)
        if claim is None:
            raise ClaimError(f'could not find ResourceClaim "{pod.namespace}/{name}"')
        if claim.terminating:
            raise ClaimError(f'resourceclaim "{claim.name}" is being deleted')
        if not entry.claim and claim.owner_uid != pod.uid:
            raise ClaimError(f"ResourceClaim {claim.key} was not created for pod {pod.key} (pod is not owner)")
        claims.append(claim)
    return claims


def claim_error(pod: Pod, cluster: Cluster) -> str:
    """Return the reason that the pod's claims cannot be used, "" if they can be."""
    try:
        claims_of(pod, cluster)
    except ClaimError as error:
        return str(error)
    return ""


def extended_resource_claim(pod: Pod, cluster: Cluster) -> ResourceClaim | None:
    """Return the claim that an earlier cycle created for the pod's extended resources, None if there is none."""
    for claim in cluster.objects("ResourceClaim"):
        assert isinstance(claim, ResourceClaim)
        if claim.annotations.get(EXTENDED_RESOURCE_CLAIM) == "true" and claim.owner_uid == pod.uid:
            return claim
    return None
