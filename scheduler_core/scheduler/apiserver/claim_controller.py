"""The simulated resourceclaim controller (pkg/controller/resourceclaim/controller.go) and garbage collector.

It acts as soon as a pod's event is delivered; its writes are delivered immediately.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, Protocol, cast

from msgspec.structs import replace

from scheduler_core.apis.core import KubernetesObject, Pod
from scheduler_core.apis.device_manifests import claim_manifest
from scheduler_core.apis.devices import POD_CLAIM_NAME, Consumer, PodClaim, ResourceClaim, ResourceClaimTemplate
from scheduler_core.cluster.cluster import Cluster


class Writes(Protocol):
    """The API server as used by the controller."""

    def write(self, item: KubernetesObject, action: Literal["create", "update"]) -> None: ...

    def delete_object(self, kind: str, key: str) -> None: ...

    def pod_applied(self, pod: Pod) -> None: ...


class ClaimController:
    """Generates claims from templates, maintains `status.reservedFor`, and deallocates unused claims."""

    def __init__(self, cluster: Cluster, api: Writes) -> None:
        self._cluster = cluster
        self._api = api

    def on_pod(self, pod: Pod) -> None:
        """Handle a pod that was added or updated."""
        if not pod.resource_claims:
            return
        if not pod.terminating:
            self._generate(pod)
        if pod.node_name:
            self._reserve(pod)

    def on_pod_gone(self, pod: Pod) -> None:
        """Handle a pod that was deleted or has finished."""
        for claim in self._claims():
            self.check(claim)
            stored = self._stored_claim(claim)
            if stored is not None and stored.owner_uid == pod.uid:
                self.delete(stored)

    def on_template(self) -> None:
        """Handle a new template, for which pods may be waiting."""
        for pod in self._cluster.pods.all():
            stored = self._cluster.pods.get(pod.key)
            if stored is not None:
                self.on_pod(stored)

    def check_all(self) -> None:
        """Check all pods and claims, once all objects are loaded."""
        for claim in self._claims():
            self.check(claim)

    def check(self, claim: ResourceClaim) -> None:
        """Remove users that no longer exist and deallocate an unused claim (`syncClaim`)."""
        stored = self._stored_claim(claim)
        if stored is None:
            return
        users = tuple(consumer for consumer in stored.reserved_for if self._exists(stored, consumer))
        unused = not users and stored.finalizer
        if len(users) < len(stored.reserved_for) or (unused and stored.terminating and stored.allocation is not None):
            freed = replace(stored, allocation=None, devices=()) if unused else stored
            self._update(replace(freed, reserved_for=users))
        elif not (unused and stored.terminating):
            return
        if unused:
            self._unprotect(stored)

    def delete(self, claim: ResourceClaim) -> None:
        """Delete the claim; a protected claim is deleted once it is unused."""
        if not claim.finalizer:
            self._api.delete_object("ResourceClaim", claim.key)
            return
        if not claim.terminating:
            self._update(replace(claim, terminating=True))
        self.check(claim)

    def _unprotect(self, claim: ResourceClaim) -> None:
        """Remove the finalizer, and the claim if it is being deleted."""
        stored = self._stored_claim(claim)
        if stored is None:
            return
        if stored.terminating:
            self._api.delete_object("ResourceClaim", stored.key)
        else:
            self._update(replace(stored, finalizer=False))

    def _generate(self, pod: Pod) -> None:
        """Create a claim for each template, then update the pod's status once (`handleClaim`)."""
        claim_names = dict(pod.resource_claim_statuses)
        missing = [entry for entry in pod.resource_claims if entry.template and entry.name not in claim_names]
        for entry in missing:
            generated = self._own_claim(pod, entry)
            if generated is None:
                return
            claim_names[entry.name] = generated.name
        if missing:
            statuses = tuple(claim_names.items())
            entries = [{"name": name, "resourceClaimName": claim} for name, claim in statuses]
            status = {**(pod.manifest.get("status") or {}), "resourceClaimStatuses": entries}
            manifest = {**pod.manifest, "status": status}
            self._api.pod_applied(replace(pod, resource_claim_statuses=statuses, manifest=manifest))

    def _own_claim(self, pod: Pod, entry: PodClaim) -> ResourceClaim | None:
        """Return the pod's own claim, created if it is missing; None without its template."""
        for claim in self._claims():
            if claim.owner_uid == pod.uid and claim.annotations.get(POD_CLAIM_NAME) == entry.name:
                return claim
        template = self._cluster.get("ResourceClaimTemplate", f"{pod.namespace}/{entry.template}")
        if not isinstance(template, ResourceClaimTemplate):
            return None
        claim = _claim_of(pod, entry, template, self._free_name(pod, entry))
        self._api.write(claim, "create")
        return claim

    def _free_name(self, pod: Pod, entry: PodClaim) -> str:
        """Return an unused name, without the random suffix of the real controller."""
        name = f"{pod.name}-{entry.name}"
        number = 1
        while self._cluster.get("ResourceClaim", f"{pod.namespace}/{name}") is not None:
            number += 1
            name = f"{pod.name}-{entry.name}-{number}"
        return name

    def _reserve(self, pod: Pod) -> None:
        """Reserve the claims of a running pod, whoever bound it."""
        statuses = dict(pod.resource_claim_statuses)
        for entry in pod.resource_claims:
            name = entry.claim or statuses.get(entry.name, "")
            claim = cast("ResourceClaim | None", self._cluster.get("ResourceClaim", f"{pod.namespace}/{name}"))
            if claim is not None and claim.allocation is not None and not claim.is_reserved_for(pod.uid):
                self._update(replace(claim, reserved_for=(*claim.reserved_for, Consumer(pod.name, pod.uid))))

    def _exists(self, claim: ResourceClaim, consumer: Consumer) -> bool:
        """Return whether the pod that uses the claim exists; users of other kinds are assumed to exist."""
        if consumer.resource != "pods" or consumer.api_group:
            return True
        pod = self._cluster.pods.get(f"{claim.namespace}/{consumer.name}")
        return pod is not None and pod.uid == consumer.uid

    def _claims(self) -> Iterator[ResourceClaim]:
        yield from cast("list[ResourceClaim]", list(self._cluster.objects("ResourceClaim")))

    def _stored_claim(self, claim: ResourceClaim) -> ResourceClaim | None:
        return cast("ResourceClaim | None", self._cluster.get("ResourceClaim", claim.key))

    def _update(self, claim: ResourceClaim) -> None:
        self._api.write(replace(claim, manifest=claim_manifest(claim)), "update")


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
