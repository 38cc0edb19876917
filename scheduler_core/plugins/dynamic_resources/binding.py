"""Writes of PreBind, Unreserve and PostFilter to claims (dynamicresources.go: bindClaim), and a simulated DRA driver.

A write of PreBind is added to the scheduler's cache of claims at once (assume cache), so waiting pods are notified
immediately. The scheduler is notified of all other writes after the attempt.
"""

from __future__ import annotations

import math

from msgspec.structs import replace

from scheduler_core.apis.core import Pod
from scheduler_core.apis.device_manifests import claim_manifest
from scheduler_core.apis.devices import (
    RESERVED_FOR_MAX_SIZE,
    Allocation,
    Consumer,
    DeviceCondition,
    DeviceResult,
    DeviceStatus,
    ResourceClaim,
)
from scheduler_core.framework.interface import Handle
from scheduler_core.plugins.dynamic_resources.claims import stored_claim
from scheduler_core.plugins.dynamic_resources.state import State

BINDING_TIMEOUT_SECONDS = 600.0
BINDING = "kschedui.io/binding"  # annotation of a claim: the report of the simulated driver about its devices
BINDING_DEVICE = "kschedui.io/binding-device"
PLAYED = ("Played", "set by the played driver")  # reason and message of its conditions


class BindingError(Exception):
    """A claim could not be written, or its devices are not ready."""


def with_manifest(claim: ResourceClaim) -> ResourceClaim:
    """Return the claim with a manifest of its current fields."""
    return replace(claim, manifest=claim_manifest(claim))


def allocated(claim: ResourceClaim, allocation: Allocation) -> ResourceClaim:
    """Return the claim with its allocation."""
    return replace(claim, allocation=allocation, finalizer=True)


def bind_claim(pod: Pod, claim: ResourceClaim, allocation: Allocation | None, handle: Handle) -> ResourceClaim:
    """Write the allocation and reservation of a claim and return the claim (bindClaim). Raises BindingError."""
    stored = stored_claim(handle.cluster, claim.namespace, claim.name)
    binding_conditions = handle.release.has_on("DRADeviceBindingConditions")
    operation = "add allocation and reservation" if allocation is not None else "add reservation"
    if stored is None:
        first = "add finalizer" if allocation is not None and not claim.finalizer else operation
        raise BindingError(f'{first} to claim {claim.key}: resourceclaims.resource.k8s.io "{claim.name}" not found')
    if stored.terminating:
        raise BindingError(f"claim {claim.key} got deleted in the meantime")
    if allocation is not None:
        if stored.allocation is not None:
            raise BindingError(f"claim {claim.key} got allocated elsewhere in the meantime")
        stored = allocated(stored, allocation)
    consumers = (*stored.reserved_for, Consumer(pod.name, pod.uid))
    reason = ""
    if stored.allocation is None:
        if binding_conditions:
            raise BindingError(f"claim {claim.key} got deallocated elsewhere in the meantime")
        reason = "Forbidden: may not be specified when `allocated` is not set"
    elif len(consumers) > RESERVED_FOR_MAX_SIZE:
        reason = f"Too many: {len(consumers)}: must have at most {RESERVED_FOR_MAX_SIZE} items"
    if reason:
        invalid = f'ResourceClaim.resource.k8s.io "{claim.name}" is invalid: status.reservedFor: {reason}'
        raise BindingError(f"{operation} to claim {claim.key}: {invalid}")
    bound = replace(stored, reserved_for=consumers)
    if binding_conditions:
        bound = _with_driver_status(bound, handle.now)
    bound = with_manifest(bound)
    handle.write(bound)
    return bound


def deallocate(claim: ResourceClaim, handle: Handle) -> None:
    """Remove the allocation of the claim, its reservations and the status of its devices."""
    handle.write_later(with_manifest(replace(claim, allocation=None, reserved_for=(), devices=())))


def remove_reservation(claim: ResourceClaim, pod: Pod, handle: Handle) -> None:
    """Remove the pod from the claim's users. A patch that changes nothing has no event."""
    stored = stored_claim(handle.cluster, claim.namespace, claim.name)
    if stored is not None and stored.uid == claim.uid and stored.is_reserved_for(pod.uid):
        remaining = tuple(consumer for consumer in stored.reserved_for if consumer.uid != pod.uid)
        handle.write_later(with_manifest(replace(stored, reserved_for=remaining)))


def delete_claim(claim: ResourceClaim, handle: Handle) -> None:
    """Delete a claim that the scheduler created, after removing its finalizer."""
    stored = stored_claim(handle.cluster, claim.namespace, claim.name)
    if stored is not None:
        if stored.finalizer:
            handle.write_later(with_manifest(replace(stored, finalizer=False)))
        handle.delete_later("ResourceClaim", claim.key)


# --- binding conditions ---


def conditions_error(state: State, handle: Handle) -> str:
    """Return why the devices of the pod's claims are not ready, "" if they are (isPodReadyForBinding).

    If any device has binding conditions, the state's claims are replaced by the stored ones, up to the first one that
    is not ready.
    """
    results = (claim.allocation.results for claim in state.claims if claim.allocation is not None)
    if not any(result.binding_conditions for of_claim in results for result in of_claim):
        return ""
    for number, claim in enumerate(state.claims):
        stored = stored_claim(handle.cluster, claim.namespace, claim.name)
        if stored is None:
            return f'could not find ResourceClaim "{claim.key}"'
        state.claims[number] = stored
        try:
            if not is_ready(stored):
                return f"device binding timeout: claim={stored.name}"
        except BindingError as error:
            return str(error)
    return ""


def is_ready(claim: ResourceClaim) -> bool:
    """Return whether all binding conditions of the claim's devices are true (`isClaimReadyForBinding`).

    Raises BindingError if a failure condition is true.
    """
    for result in claim.allocation.results if claim.allocation is not None else ():
        if not result.binding_conditions:
            continue
        status = _status_of(claim, result)
        if status is None:
            return False
        for failure in map(status.condition, result.binding_failure_conditions):
            if failure is not None and failure.status == "True":
                raise BindingError(
                    f'device binding failed: claim={claim.name}, reason={failure.reason}, message="{failure.message}"'
                )
        conditions = map(status.condition, result.binding_conditions)
        if any(condition is None or condition.status != "True" for condition in conditions):
            return False
    return True


def has_timed_out(claim: ResourceClaim, now: float) -> bool:
    """Return whether the time for the claim's devices to become ready is over (`isClaimTimeout`)."""
    allocation = claim.allocation
    if allocation is None or allocation.timestamp is None:
        return False
    waits = any(result.binding_conditions for result in allocation.results)
    return waits and allocation.timestamp + BINDING_TIMEOUT_SECONDS < now


def _with_driver_status(claim: ResourceClaim, now: float) -> ResourceClaim:
    """Return the claim with its allocation time and the status that the simulated driver reports.

    All binding conditions are true. If the claim is annotated to fail, the failure conditions are true instead: with
    "fail" those of every device, with "fail-first" those of the devices with the name in another annotation.
    """
    allocation = claim.allocation
    assert allocation is not None
    if allocation.timestamp is None:
        claim = replace(claim, allocation=replace(allocation, timestamp=float(math.floor(now))))
    outcome, name = claim.annotations.get(BINDING, "ok"), claim.annotations.get(BINDING_DEVICE, "")
    devices = list(claim.devices)
    for result in allocation.results:
        if result.binding_conditions and _status_of(claim, result) is None:
            fails = outcome == "fail" or (outcome == "fail-first" and result.device == name)
            kinds = result.binding_failure_conditions if fails else result.binding_conditions
            conditions = tuple(DeviceCondition(kind, "True", *PLAYED) for kind in kinds)
            devices.append(DeviceStatus(result.driver, result.pool, result.device, conditions))
    return replace(claim, devices=tuple(devices))


def _status_of(claim: ResourceClaim, result: DeviceResult) -> DeviceStatus | None:
    """Return the status of the result's device, None if no driver reported one (`getAllocatedDeviceStatus`)."""
    statuses = (device for device in claim.devices if (device.driver, device.pool, device.device) == result.device_id)
    return next(statuses, None)
