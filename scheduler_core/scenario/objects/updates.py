"""Merges an update with the stored object: some fields are kept, and the update replaces all others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from scheduler_core.apis.core import (
    CoschedulingPodGroup,
    KubernetesObject,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    PodDisruptionBudget,
    PodGroup,
    StorageClass,
    Workload,
)
from scheduler_core.apis.device_manifests import claim_manifest
from scheduler_core.apis.devices import DeviceClass, DeviceTaintRule, ResourceClaim
from scheduler_core.apis.karpenter import NodeClaim
from scheduler_core.releases import DEFAULT_RELEASE, Release
from scheduler_core.scenario.objects.pods import TERMINAL_PHASES, request_fields
from scheduler_core.scenario.reading.problems import Problems

Manifest = Mapping[str, Any]


def merge_update(old: KubernetesObject, new: KubernetesObject, release: Release = DEFAULT_RELEASE) -> KubernetesObject:
    """Return `new` as it is stored when it replaces `old`, an object of the same kind and name.

    Kinds with a case below keep those of uid, creationTimestamp and deletionTimestamp that their objects have; objects
    of other kinds are replaced as a whole. A Pod keeps its status, nodeName, schedulingGroup, priority,
    priorityClassName and preemptionPolicy, except that the phase Succeeded or Failed is applied: to the scheduler such
    a pod is deleted.
    A Node, a PodDisruptionBudget, a PersistentVolume and a ResourceClaim without status keep the stored one, and a
    PodGroup its condition. A Workload and a ResourceClaim keep their owner. A claim keeps its volume, and a bound
    volume its claim. A NodeClaim changes labels, annotations and status only, because its spec is immutable.
    """
    match old, new:
        case Pod(), Pod():
            return _pod(old, new, release)
        case Node(), Node():
            return _node(old, new)
        case PodDisruptionBudget(), PodDisruptionBudget():
            if new.disruptions_allowed is None:
                return replace(
                    new,
                    disruptions_allowed=old.disruptions_allowed,
                    disrupted_pods=old.disrupted_pods,
                    current_healthy=old.current_healthy,
                    desired_healthy=old.desired_healthy,
                )
            return new
        case PersistentVolumeClaim(), PersistentVolumeClaim():
            return _volume_claim(old, new)
        case PersistentVolume(), PersistentVolume():
            return _volume(old, new)
        case ResourceClaim(), ResourceClaim():
            return _claim(old, new)
        case DeviceTaintRule(), DeviceTaintRule():  # a new effect counts as a new taint (PrepareForUpdate)
            changed = new.taint.effect != old.taint.effect and new.added == old.added
            return replace(new, added=new.written) if changed else new
        case StorageClass(), StorageClass():
            return replace(new, creation_timestamp=old.creation_timestamp)
        case DeviceClass(), DeviceClass():
            return replace(new, creation_timestamp=old.creation_timestamp)
        case PodGroup(), PodGroup():
            return replace(new, uid=old.uid, condition=old.condition)
        case CoschedulingPodGroup(), CoschedulingPodGroup():
            return replace(new, creation_timestamp=old.creation_timestamp)
        case NodeClaim(), NodeClaim():
            return _node_claim(old, new)
        case Workload(), Workload():
            return replace(new, uid=old.uid, owner=old.owner, creation_timestamp=old.creation_timestamp)
        case _:
            return new


def _pod(old: Pod, new: Pod, release: Release) -> Pod:
    spec = {
        **(new.manifest.get("spec") or {}),
        **_unless_empty("nodeName", old.node_name),
        **_unless_empty("priorityClassName", old.priority_class_name),
        "priority": old.priority,
        "preemptionPolicy": old.preemption_policy,
    }
    status = old.manifest.get("status")
    resized = old.node_name and any(_has_container_statuses(entry) for entry in (old, new))
    return replace(
        new,
        uid=old.uid,
        creation_timestamp=old.creation_timestamp,
        terminating=old.terminating,
        start_time=old.start_time,
        node_name=old.node_name,
        nominated_node_name=old.nominated_node_name,
        phase=new.phase if new.phase in TERMINAL_PHASES else old.phase,
        ready=old.ready,
        disruption_target=old.disruption_target,
        pod_group=old.pod_group,
        resource_claim_statuses=old.resource_claim_statuses,
        extended_resource_claim=old.extended_resource_claim,
        priority=old.priority,
        priority_class_name=old.priority_class_name,
        preemption_policy=old.preemption_policy,
        manifest={**_without_status(new), "spec": spec, **_unless_empty("status", status)},
        **(request_fields(spec, status or {}, Problems(), release) if resized else {}),
    )


def _volume(old: PersistentVolume, new: PersistentVolume) -> PersistentVolume:
    """Return the volume; without status, its phase is the stored one, or Available if its claimRef was removed."""
    volume = replace(new, terminating=old.terminating)
    if not new.claim_ref and old.phase == "Bound":  # the PV controller binds it to its claim again
        volume = replace(volume, claim_ref=old.claim_ref)
    if volume.claim_ref == old.claim_ref:
        volume = replace(volume, claim_uid=volume.claim_uid or old.claim_uid)
    if (new.manifest.get("status") or {}).get("phase"):
        return volume
    return replace(volume, phase="Available" if old.phase == "Released" and not volume.claim_ref else old.phase)


def _volume_claim(old: PersistentVolumeClaim, new: PersistentVolumeClaim) -> PersistentVolumeClaim:
    claim = replace(new, uid=old.uid, terminating=old.terminating, owner=old.owner)
    if new.volume_name:
        return claim
    return replace(claim, volume_name=old.volume_name, bound=old.bound, phase=old.phase)


def _node_claim(old: NodeClaim, new: NodeClaim) -> NodeClaim:
    claim = replace(
        old,
        labels={**old.labels, **new.labels},
        annotations={**old.annotations, **new.annotations},
        manifest=new.manifest,
    )
    if not new.manifest.get("status"):
        return claim
    return replace(claim, node=new.node, capacity=new.capacity, allocatable=new.allocatable, conditions=new.conditions)


def _claim(old: ResourceClaim, new: ResourceClaim) -> ResourceClaim:
    """Return the claim with the stored uid, finalizer and owner, and the stored status if the update has none."""
    stored = replace(
        new,
        uid=old.uid,
        terminating=old.terminating,
        finalizer=old.finalizer or new.allocation is not None,
        owner_name=old.owner_name,
        owner_uid=old.owner_uid,
    )
    if not new.manifest.get("status"):
        stored = replace(stored, allocation=old.allocation, reserved_for=old.reserved_for, devices=old.devices)
    return replace(stored, manifest=claim_manifest(stored))


def _has_container_statuses(pod: Pod) -> bool:
    """Return whether the pod's status has container statuses, which may show that it is being resized."""
    status = pod.manifest.get("status") or {}
    return bool(status.get("containerStatuses") or status.get("initContainerStatuses"))


def _without_status(pod: Pod) -> dict[str, Any]:
    return {key: value for key, value in pod.manifest.items() if key != "status"}


def _node(old: Node, new: Node) -> Node:
    node = replace(new, uid=old.uid, creation_timestamp=old.creation_timestamp)
    if new.manifest.get("status"):
        return node
    return replace(
        node,
        allocatable=old.allocatable,
        capacity=old.capacity,
        images=old.images,
        declared_features=old.declared_features,
        manifest={**new.manifest, **_unless_empty("status", old.manifest.get("status"))},
    )


def _unless_empty(key: str, value: Any) -> dict[str, Any]:
    return {key: value} if value else {}
