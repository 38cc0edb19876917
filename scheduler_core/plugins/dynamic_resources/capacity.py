"""The capacity that a request consumes on a shared device, and whether enough is available (consumable_capacity.go)."""

from __future__ import annotations

from collections.abc import Mapping

from scheduler_core.apis.devices import Capacity, Device, RequestPolicy, ValidRange
from scheduler_core.apis.quantity import Quantity

Requested = tuple[tuple[str, Quantity], ...] | None
Consumed = Mapping[str, int]  # nano units by capacity


def fits(device: Device, requested: Requested, consumed: Consumed, allocating: Consumed) -> bool:
    """Return whether the device has the requested capacity left (`CmpRequestOverCapacity`).

    `consumed` is consumed by allocated devices, `allocating` by those of this search. False if a requested capacity
    does not exist, or the amount violates its policy.
    """
    amounts = dict(requested or ())
    if not amounts and not device.capacity:
        return True
    if any(name not in device.capacity for name in amounts):
        return False
    for name, capacity in device.capacity.items():
        amount = consumed_amount(amounts.get(name), capacity)
        if _violates(amount, capacity.policy):
            return False
        if consumed.get(name, 0) + amount.nano + allocating.get(name, 0) > capacity.value.nano:
            return False
    return True


def consumed_capacity(device: Device, requested: Requested) -> tuple[tuple[str, Quantity], ...]:
    """Return the amount of each capacity that the request consumes (`GetConsumedCapacityFromRequest`)."""
    amounts = dict(requested or ())
    return tuple((name, consumed_amount(amounts.get(name), capacity)) for name, capacity in device.capacity.items())


def consumed_amount(requested: Quantity | None, capacity: Capacity) -> Quantity:
    """Return the amount, rounded up as the policy requires; without a request, the default or the whole capacity."""
    policy = capacity.policy
    if requested is None:
        return policy.default if policy is not None and policy.default is not None else capacity.value
    if policy is None:
        return requested
    if policy.valid_range is not None and policy.valid_range.minimum is not None:
        return _rounded_up(requested, policy.valid_range)
    larger = (value for value in policy.valid_values if requested.nano <= value.nano)
    return next(larger, requested)


def _rounded_up(requested: Quantity, bounds: ValidRange) -> Quantity:
    """Return the amount, at least the minimum and rounded up to the next step above it (`roundUpRange`).

    With a step, the result is a binary quantity, but has the format of the step with DRAFractionalCapacityRange.
    """
    assert bounds.minimum is not None
    if requested.nano < bounds.minimum.nano:
        return bounds.minimum
    if bounds.step is None:
        return requested
    least, step = bounds.count(bounds.minimum), bounds.count(bounds.step)
    steps = -(-(bounds.count(requested) - least) // step)
    return Quantity((least + step * steps) * bounds.unit, bounds.step.format if bounds.fractional else "BinarySI")


def _violates(amount: Quantity, policy: RequestPolicy | None) -> bool:
    """Return whether the amount is above the maximum, between two steps, or not a valid value (`violatesPolicy`).

    The default of the policy is always valid.
    """
    if policy is None or (policy.default is not None and amount == policy.default):
        return False
    if policy.valid_range is not None:
        bounds = policy.valid_range
        if bounds.maximum is not None and amount.nano > bounds.maximum.nano:
            return True
        return not bounds.is_in_steps(amount)
    return bool(policy.valid_values) and all(amount.nano != value.nano for value in policy.valid_values)
