"""The capacity that a request consumes on a shared device, and whether enough is available (consumable_capacity.go)."""

from __future__ import annotations

from collections.abc import Mapping

from scheduler_core.apis.devices import Capacity, Device, RequestPolicy, ValidRange
from scheduler_core.apis.quantity import MAX_INT64, Quantity

_NANO = 10**9
_MILLI = 10**6  # in nano units
_MAX_MILLI = MAX_INT64 * _MILLI

Requested = tuple[tuple[str, Quantity], ...] | None
Consumed = Mapping[str, int]  # nano units by capacity


def fits(device: Device, requested: Requested, consumed: Consumed, allocating: Consumed, *, fractional: bool) -> bool:
    """Return whether the device has room for the request in addition to its consumption (`CmpRequestOverCapacity`).

    `fractional`: DRAFractionalCapacityRange.
    """
    amounts = dict(requested or ())
    if not amounts and not device.capacity:
        return True
    if any(name not in device.capacity for name in amounts):
        return False
    for name, capacity in device.capacity.items():
        amount = consumed_amount(amounts.get(name), capacity, fractional=fractional)
        if _violates(amount, capacity.policy, fractional=fractional):
            return False
        if consumed.get(name, 0) + amount.nano + allocating.get(name, 0) > capacity.value.nano:
            return False
    return True


def consumed_capacity(device: Device, requested: Requested, *, fractional: bool) -> tuple[tuple[str, Quantity], ...]:
    """Return the amount of each capacity that the request consumes (`GetConsumedCapacityFromRequest`)."""
    amounts = dict(requested or ())
    return tuple(
        (name, consumed_amount(amounts.get(name), capacity, fractional=fractional))
        for name, capacity in device.capacity.items()
    )


def consumed_amount(requested: Quantity | None, capacity: Capacity, *, fractional: bool) -> Quantity:
    """Return the amount rounded up by the policy; without a request, the default or the whole capacity."""
    policy = capacity.policy
    if requested is None:
        return policy.default if policy is not None and policy.default is not None else capacity.value
    if policy is None:
        return requested
    if policy.valid_range is not None and policy.valid_range.minimum is not None:
        return _rounded_up(requested, policy.valid_range, fractional=fractional)
    larger = (value for value in policy.valid_values if requested.nano <= value.nano)
    return next(larger, requested)


def _rounded_up(requested: Quantity, bounds: ValidRange, *, fractional: bool) -> Quantity:
    """Return the next multiple of the step from the minimum (`roundUpRange`).

    Up to 1.36 it is a binary quantity of whole units, afterwards in the format of the step.
    """
    assert bounds.minimum is not None
    if requested.nano < bounds.minimum.nano:
        return bounds.minimum
    if bounds.step is None:
        return requested
    unit = _unit(bounds, fractional=fractional)
    least, step = _count(bounds.minimum, unit), _count(bounds.step, unit)
    steps = -(-(_count(requested, unit) - least) // step)
    return Quantity((least + step * steps) * unit, bounds.step.format if fractional else "BinarySI")


def _unit(bounds: ValidRange, *, fractional: bool) -> int:
    """Return the unit in which steps are counted, in nano units: milli if nothing is lost (`useMilli`), or one."""
    amounts = [amount for amount in (bounds.minimum, bounds.maximum, bounds.step) if amount is not None]
    in_milli = fractional and all(amount.nano % _MILLI == 0 and amount.nano < _MAX_MILLI for amount in amounts)
    return _MILLI if in_milli else _NANO


def _count(amount: Quantity, unit: int) -> int:
    return -(-amount.nano // unit)


def _violates(amount: Quantity, policy: RequestPolicy | None, *, fractional: bool) -> bool:
    """Return whether the amount is above the maximum, between two steps, or not a valid value (`violatesPolicy`)."""
    if policy is None or (policy.default is not None and amount == policy.default):
        return False
    if policy.valid_range is not None:
        bounds = policy.valid_range
        if bounds.maximum is not None and amount.nano > bounds.maximum.nano:
            return True
        if bounds.step is None:
            return False
        unit = _unit(bounds, fractional=fractional)
        if unit == _MILLI and amount.nano % _MILLI:
            return True
        least = _count(bounds.minimum, unit) if bounds.minimum is not None else 0
        return (_count(amount, unit) - least) % _count(bounds.step, unit) != 0
    return bool(policy.valid_values) and all(amount.nano != value.nano for value in policy.valid_values)
