"""ephemeral-volume-controller (pkg/controller/volume/ephemeral/controller.go): claims of pods' ephemeral volumes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scheduler_core.apis.core import Pod
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.causes import because

CLAIM = "PersistentVolumeClaim"


def reconcile(key: str, api: Api) -> None:
    """Create the missing claims of a pod, which are deleted together with it (handleVolume)."""
    pod = api.pod(key)
    if pod is None or api.status(pod).deletion_requested is not None:
        return
    for name, template in ephemeral_volumes(pod):
        claim_name = f"{pod.name}-{name}"  # VolumeClaimName
        claim_key = f"{pod.namespace}/{claim_name}"
        if api.cluster.get(CLAIM, claim_key) is not None:
            continue  # the scheduler and the kubelet check whether the pod owns it
        given = template.get("metadata") or {}
        metadata = {field: given[field] for field in ("labels", "annotations") if given.get(field)}
        owner = {"apiVersion": "v1", "kind": "Pod", "name": pod.name, "uid": pod.uid, "controller": True}
        metadata |= {"name": claim_name, "namespace": pod.namespace, "ownerReferences": [owner]}
        spec = template.get("spec") or {}
        claim = api.build(CLAIM, {"apiVersion": "v1", "kind": CLAIM, "metadata": metadata, "spec": spec})
        api.apply_object(claim, "create", because("ephemeral-volume", pod=pod.key))
        api.own(pod.uid, CLAIM, claim_key)


def ephemeral_volumes(pod: Pod) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the name and claim template of each ephemeral volume."""
    for volume in (pod.manifest.get("spec") or {}).get("volumes") or ():
        template = (volume.get("ephemeral") or {}).get("volumeClaimTemplate")
        if template is not None:
            yield str(volume.get("name") or ""), template
