"""Manifests of ResourceClaims, with allocation and status, for recordings and for `kubectl get -o yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scheduler_core.apis.devices import (
    Allocation,
    Consumer,
    DeviceResult,
    DeviceStatus,
    DeviceToleration,
    ResourceClaim,
)

Manifest = dict[str, Any]

FINALIZER = "resource.kubernetes.io/delete-protection"


def result_manifest(result: DeviceResult) -> Manifest:
    """Return a DeviceRequestAllocationResult without absent fields."""
    return {
        "request": result.request,
        "driver": result.driver,
        "pool": result.pool,
        "device": result.device,
        **({} if result.admin_access is None else {"adminAccess": result.admin_access}),
        **_without_empty(
            tolerations=[_toleration(toleration) for toleration in result.tolerations],
            bindingConditions=list(result.binding_conditions),
            bindingFailureConditions=list(result.binding_failure_conditions),
            shareID=result.share_id,
            consumedCapacity={name: str(amount) for name, amount in result.consumed_capacity},
        ),
    }


def allocation_manifest(allocation: Allocation) -> Manifest:
    """Return an AllocationResult without its configurations, of which only the number is stored."""
    return {
        "devices": {"results": [result_manifest(result) for result in allocation.results]},
        **_without_empty(nodeSelector=allocation.selector_manifest),
    }


def claim_manifest(claim: ResourceClaim) -> Mapping[str, Any]:
    """Return the manifest of the claim with its current status and finalizers."""
    metadata = dict(claim.manifest.get("metadata") or {})
    others = [name for name in metadata.get("finalizers") or () if name != FINALIZER]
    metadata.pop("finalizers", None)
    metadata |= _without_empty(finalizers=[*others, FINALIZER] if claim.finalizer else others)
    status = _without_empty(
        allocation=allocation_manifest(claim.allocation) if claim.allocation is not None else None,
        reservedFor=[_consumer(consumer) for consumer in claim.reserved_for],
        devices=[_device(device) for device in claim.devices],
    )
    without_status = {key: value for key, value in claim.manifest.items() if key != "status"}
    return {**without_status, "metadata": metadata, **_without_empty(status=status)}


def _toleration(toleration: DeviceToleration) -> Manifest:
    return _without_empty(
        key=toleration.key,
        operator=toleration.operator,
        value=toleration.value,
        effect=toleration.effect,
    ) | ({} if toleration.seconds is None else {"tolerationSeconds": toleration.seconds})


def _consumer(consumer: Consumer) -> Manifest:
    return _without_empty(apiGroup=consumer.api_group, resource=consumer.resource, name=consumer.name, uid=consumer.uid)


def _device(status: DeviceStatus) -> Manifest:
    conditions = [
        _without_empty(type=condition.type, status=condition.status, reason=condition.reason, message=condition.message)
        for condition in status.conditions
    ]
    return {
        "driver": status.driver,
        "pool": status.pool,
        "device": status.device,
        **_without_empty(conditions=conditions),
    }


def _without_empty(**fields: Any) -> Manifest:
    return {name: value for name, value in fields.items() if value}
