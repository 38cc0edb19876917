"""resourceclaim-controller (pkg/controller/resourceclaim/controller.go); also deletes pods' own claims with them.

It generates claims from templates, maintains `status.reservedFor`, and deallocates unused claims. It responds to a
change as soon as it is delivered, and its writes are delivered immediately.
"""

from __future__ import annotations

from typing import Literal, Protocol, cast

from msgspec.structs import replace

from scheduler_core.apis.core import KubernetesObject, Pod
from scheduler_core.apis.device_manifests import claim_manifest
from scheduler_core.apis.devices import POD_CLAIM_NAME, Consumer, PodClaim, ResourceClaim, ResourceClaimTemplate
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.controllers.causes import because
from scheduler_core.trace.records import Because


class ClaimApi(Protocol):
    """The part of `Api` that the controller uses."""

    cluster: Cluster

    def apply_object(
        self, item: KubernetesObject, action: Literal["create", "update"], because: Because | None
    ) -> None: ...

    def delete(self, kind: str, key: str, because: Because) -> None: ...

    def write_pod_status(self, pod: Pod) -> None: ...


def reconcile(item: Pod | ResourceClaim, api: ClaimApi) -> None:
    """Handle a pod that was added, updated or deleted or has finished; or check a claim (`syncPod`, `syncClaim`)."""
    if isinstance(item, ResourceClaim):
        _sync_claim(item, api)
    elif api.cluster.pods.get(item.key) is None:
        _release(item, api)
    else:
        if not item.terminating:
            _generate(item, api)
        if item.node_name:
            _reserve(item, api)


def delete(claim: ResourceClaim, api: ClaimApi, cause: Because) -> None:
    """Delete the claim; a protected claim is deleted once it is unused."""
    if not claim.finalizer:
        api.delete("ResourceClaim", claim.key, cause)
        return
    if not claim.terminating:
        _update(replace(claim, terminating=True), api, cause)
    _sync_claim(claim, api)


def _release(pod: Pod, api: ClaimApi) -> None:
    """Release the claims of a pod that was deleted or has finished, and delete those that it owns."""
    for claim in _claims(api):
        _sync_claim(claim, api)
        stored = _stored(claim, api)
        if stored is not None and stored.owner_uid == pod.uid:
            delete(stored, api, because("owner-deleted", owner=f"Pod {pod.name}"))


def _sync_claim(claim: ResourceClaim, api: ClaimApi) -> None:
    """Remove users that no longer exist; deallocate a claim that has none left, and unprotect it (`syncClaim`)."""
    stored = _stored(claim, api)
    if stored is None:
        return
    users = tuple(consumer for consumer in stored.reserved_for if _exists(stored, consumer, api))
    unused = not users and stored.finalizer
    cause = because("claim-users", claim=stored.name, users=len(users))
    if len(users) < len(stored.reserved_for) or (unused and stored.terminating and stored.allocation is not None):
        freed = replace(stored, allocation=None, devices=()) if unused else stored
        _update(replace(freed, reserved_for=users), api, cause)
    elif not (unused and stored.terminating):
        return
    if unused:
        _unprotect(stored, api, cause)


def _unprotect(claim: ResourceClaim, api: ClaimApi, cause: Because) -> None:
    """Remove the finalizer, and the claim if it is being deleted."""
    stored = _stored(claim, api)
    if stored is None:
        return
    if stored.terminating:
        api.delete("ResourceClaim", stored.key, cause)
    else:
        _update(replace(stored, finalizer=False), api, cause)


def _generate(pod: Pod, api: ClaimApi) -> None:
    """Create a claim for each template, then update the pod's status; stop if a template is missing (`handleClaim`)."""
    claim_names = dict(pod.resource_claim_statuses)
    missing = [entry for entry in pod.resource_claims if entry.template and entry.name not in claim_names]
    for entry in missing:
        generated = _own_claim(pod, entry, api)
        if generated is None:
            return
        claim_names[entry.name] = generated.name
    if missing:
        statuses = tuple(claim_names.items())
        entries = [{"name": name, "resourceClaimName": claim} for name, claim in statuses]
        status = {**(pod.manifest.get("status") or {}), "resourceClaimStatuses": entries}
        manifest = {**pod.manifest, "status": status}
        api.write_pod_status(replace(pod, resource_claim_statuses=statuses, manifest=manifest))


def _own_claim(pod: Pod, entry: PodClaim, api: ClaimApi) -> ResourceClaim | None:
    """Return the pod's own claim, created if it is missing; None without its template."""
    for claim in _claims(api):
        if claim.owner_uid == pod.uid and claim.annotations.get(POD_CLAIM_NAME) == entry.name:
            return claim
    template = api.cluster.get("ResourceClaimTemplate", f"{pod.namespace}/{entry.template}")
    if not isinstance(template, ResourceClaimTemplate):
        return None
    claim = _claim_of(pod, entry, template, _free_name(pod, entry, api))
    api.apply_object(claim, "create", because("claim-of-template", pod=pod.key, template=template.name))
    return claim


def _free_name(pod: Pod, entry: PodClaim, api: ClaimApi) -> str:
    """Return an unused name, without the random suffix of the real controller."""
    name = f"{pod.name}-{entry.name}"
    number = 1
    while api.cluster.get("ResourceClaim", f"{pod.namespace}/{name}") is not None:
        number += 1
        name = f"{pod.name}-{entry.name}-{number}"
    return name


def _reserve(pod: Pod, api: ClaimApi) -> None:
    """Reserve the allocated claims of a pod that is bound, whichever scheduler bound it."""
    statuses = dict(pod.resource_claim_statuses)
    for entry in pod.resource_claims:
        name = entry.claim or statuses.get(entry.name, "")
        claim = cast("ResourceClaim | None", api.cluster.get("ResourceClaim", f"{pod.namespace}/{name}"))
        if claim is not None and claim.allocation is not None and not claim.is_reserved_for(pod.uid):
            users = (*claim.reserved_for, Consumer(pod.name, pod.uid))
            cause = because("claim-users", claim=claim.name, users=len(users))
            _update(replace(claim, reserved_for=users), api, cause)


def _exists(claim: ResourceClaim, consumer: Consumer, api: ClaimApi) -> bool:
    """Return whether the pod that uses the claim exists; users of other kinds are assumed to exist."""
    if consumer.resource != "pods" or consumer.api_group:
        return True
    pod = api.cluster.pods.get(f"{claim.namespace}/{consumer.name}")
    return pod is not None and pod.uid == consumer.uid


def _claims(api: ClaimApi) -> list[ResourceClaim]:
    return cast("list[ResourceClaim]", list(api.cluster.objects("ResourceClaim")))


def _stored(claim: ResourceClaim, api: ClaimApi) -> ResourceClaim | None:
    return cast("ResourceClaim | None", api.cluster.get("ResourceClaim", claim.key))


def _update(claim: ResourceClaim, api: ClaimApi, cause: Because) -> None:
    api.apply_object(replace(claim, manifest=claim_manifest(claim)), "update", cause)


def _claim_of(pod: Pod, entry: PodClaim, template: ResourceClaimTemplate, name: str) -> ResourceClaim:
    """Return the claim that the controller creates from a template."""
    annotations = {**template.annotations, POD_CLAIM_NAME: entry.name}
    owner = {"apiVersion": "v1", "kind": "Pod", "name": pod.name, "uid": pod.uid, "controller": True}
    metadata = {
        "name": name,
        "namespace": pod.namespace,
        **({"labels": dict(template.labels)} if template.labels else {}),
        "annotations": annotations,
        "ownerReferences": [owner],
    }
    spec = ((template.manifest.get("spec") or {}).get("spec")) or {}
    manifest = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": metadata, "spec": spec}
    return ResourceClaim(
        name,
        pod.namespace,
        f"{pod.uid}-{entry.name}",
        template.spec,
        owner_name=pod.name,
        owner_uid=pod.uid,
        annotations=annotations,
        manifest=manifest,
    )
