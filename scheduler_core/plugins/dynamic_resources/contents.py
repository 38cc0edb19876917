"""Numbers for devices: two devices have the same number if the search cannot distinguish them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from scheduler_core.apis.devices import Attribute, Device

if TYPE_CHECKING:
    from scheduler_core.cel.reads import Attributes

MAX_DEVICES = 1_000_000  # the number of devices whose numbers are cached


class Contents:
    """A numbering of devices: those equal in driver, capacity and the attributes that are read have the same number.

    Versions among the other attributes are included too: an invalid one fails every selector.
    """

    def __init__(self, reads: Attributes) -> None:
        self._reads = reads
        self._numbers: dict[Hashable, int] = {}
        self._known: dict[int, tuple[Device, str, int]] = {}

    def number(self, driver: str, device: Device) -> int:
        """Return the number of a device of the driver."""
        entry = self._known.get(id(device))
        if entry is not None and entry[0] is device and entry[1] == driver:
            return entry[2]
        attributes = (item for item in device.attributes.items() if self._is_included(driver, *item))
        capacity = frozenset(device.capacity.items())
        content = driver, frozenset(attributes), capacity, device.allow_multiple_allocations
        number = self._numbers.setdefault(content, len(self._numbers))
        if len(self._known) >= MAX_DEVICES:
            self._known.clear()
        self._known[id(device)] = (device, driver, number)
        return number

    def _is_included(self, driver: str, name: str, attribute: Attribute) -> bool:
        """Return whether the attribute is part of the content. A name without a domain is in that of the driver."""
        if self._reads is None or attribute.kind == "version":
            return True
        domain, slash, identifier = name.partition("/")
        return ((domain, identifier) if slash else (driver, name)) in self._reads
