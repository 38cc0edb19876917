"""Constraints between a claim's devices: shared or distinct attributes (matchAttributeConstraint, constraint.go)."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol

from scheduler_core.apis.devices import Attribute, Device, DeviceConstraint
from scheduler_core.releases import Rules


class Constraint(Protocol):
    """Follows the devices that are chosen for a claim. `request` and `subrequest` are names; the latter may be ""."""

    attribute: str

    def add(self, request: str, subrequest: str, device: Device, driver: str) -> bool:
        """Add the device if the constraint permits it. Return whether it does."""
        ...

    def remove(self, request: str, subrequest: str) -> None:
        """Undo `add`."""
        ...

    def objection(self, request: str, subrequest: str, device: Device, driver: str) -> str:
        """Return the reason that `add` would reject the device, with the values ("pcieRoot pci1 ≠ pci0"), or ""."""
        ...

    def state(self) -> Hashable:
        """Return a key for everything that later results depend on."""
        ...


def constraint_of(spec: DeviceConstraint, rules: Rules) -> Constraint:
    """Return a new constraint without devices."""
    if spec.match_attribute:
        return MatchAttribute(spec)
    return DistinctAttribute(spec, of_all_devices=rules.distinct_attributes_differ_between_all_devices)


def lookup_attribute(device: Device, driver: str, name: str) -> Attribute | None:
    """Return the attribute by its full name, or without the driver's domain, None if absent (`lookupAttribute`)."""
    attribute = device.attributes.get(name)
    if attribute is None:
        domain, _, identifier = name.partition("/")
        attribute = device.attributes.get(identifier) if domain == driver else None
    return attribute


def applies(spec: DeviceConstraint, request: str, subrequest: str) -> bool:
    """Return whether the constraint applies to the request; the name of a list includes its subrequests."""
    if not spec.requests:
        return True
    return request in spec.requests or (bool(subrequest) and f"{request}/{subrequest}" in spec.requests)


class MatchAttribute:
    """Requires the same value of the attribute for all devices."""

    def __init__(self, spec: DeviceConstraint) -> None:
        self.attribute = spec.match_attribute
        self._spec = spec
        self._value: Attribute | None = None
        self._devices = 0

    def add(self, request: str, subrequest: str, device: Device, driver: str) -> bool:
        if not applies(self._spec, request, subrequest):
            return True
        value = lookup_attribute(device, driver, self.attribute)
        if value is None or (self._devices and value != self._value):
            return False
        self._value = value
        self._devices += 1
        return True

    def remove(self, request: str, subrequest: str) -> None:
        if applies(self._spec, request, subrequest):
            self._devices -= 1

    def objection(self, request: str, subrequest: str, device: Device, driver: str) -> str:
        value = lookup_attribute(device, driver, self.attribute)
        if not applies(self._spec, request, subrequest):
            return ""
        if value is None:
            return f"{_short(self.attribute)} is missing"
        if not self._devices or self._value is None or value == self._value:
            return ""
        return f"{_short(self.attribute)} {value} ≠ {self._value}"

    def state(self) -> Hashable:
        return self._devices, self._value if self._devices else None


class DistinctAttribute:
    """Requires distinct values of the attribute, `of_all_devices` or only of the last device of each request."""

    def __init__(self, spec: DeviceConstraint, *, of_all_devices: bool) -> None:
        self.attribute = spec.distinct_attribute
        self._spec = spec
        self._of_all_devices = of_all_devices
        self._values: dict[tuple[str, int], Attribute] = {}  # by request, and number of the device if all count
        self._devices = 0

    def add(self, request: str, subrequest: str, device: Device, driver: str) -> bool:
        if not applies(self._spec, request, subrequest):
            return True
        value = lookup_attribute(device, driver, self.attribute)
        if value is None or (self._devices and value in self._values.values()):
            return False
        self._values[self._key(request)] = value
        self._devices += 1
        return True

    def remove(self, request: str, subrequest: str) -> None:
        if applies(self._spec, request, subrequest):
            self._devices -= 1
            self._values.pop(self._key(request), None)

    def _key(self, request: str) -> tuple[str, int]:
        return ("", self._devices) if self._of_all_devices else (request, 0)

    def objection(self, request: str, subrequest: str, device: Device, driver: str) -> str:
        value = lookup_attribute(device, driver, self.attribute)
        if not applies(self._spec, request, subrequest):
            return ""
        if value is None:
            return f"{_short(self.attribute)} is missing"
        is_taken = self._devices and value in self._values.values()
        return f"{_short(self.attribute)} {value} is taken" if is_taken else ""

    def state(self) -> Hashable:
        return self._devices, tuple(
            sorted((name, value.kind, str(value.value)) for name, value in self._values.items())
        )


def _short(attribute: str) -> str:
    """Return the name without its domain."""
    return attribute.rpartition("/")[2]
