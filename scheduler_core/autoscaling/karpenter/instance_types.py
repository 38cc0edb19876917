"""The instance types of the cloud as bit sets, by requirements, resources, availability and price.

karpenter: pkg/cloudprovider/types.go, and filterInstanceTypesByRequirements in pkg/controllers/provisioning/scheduling.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.karpenter import InstanceType, Offering
from scheduler_core.apis.quantity import show_amount
from scheduler_core.apis.requirements import (
    CAPACITY_TYPE,
    HOSTNAME,
    WELL_KNOWN,
    ZONE,
    Requirement,
    Requirements,
    conflict,
    get,
    merge,
    of_labels,
    one_of,
    show,
)

Types = int  # a set of instance types: bit n stands for the n-th one
Resources = Mapping[str, int]
CAPACITY_TYPES = ("reserved", "spot", "on-demand")  # in the order in which they are preferred
MAX_INSTANCE_TYPES = 600  # of a claim
MANY_CPUS = 10**9  # millicores of a request that is probably a mistake
MOST_LABELS_KEPT = 10_000  # the number of label sets whose requirements are cached


class Catalogue:
    """The types of a cloud. Results are cached by requirement, since many pods have the same requirements."""

    def __init__(self, types: Sequence[InstanceType]) -> None:
        self.types = tuple(types)
        self.all: Types = (1 << len(self.types)) - 1
        self.number = {entry.name: number for number, entry in enumerate(self.types)}
        self.requirements = [entry.requirements for entry in self.types]
        self.well_known = WELL_KNOWN | {key for entry in self.types for key in entry.labels}
        self._allocatable = [entry.allocatable for entry in self.types]
        self._usable = self._set(all(amount >= 0 for amount in amounts.values()) for amounts in self._allocatable)
        self._meeting: dict[Requirement, Types] = {}
        self._thresholds: dict[str, tuple[list[int], list[Types]]] = {}
        self._offered: dict[tuple[Requirement, Requirement], Types] = {}
        self._prices: dict[tuple[Requirement, Requirement], list[float]] = {}
        self._of_nodes: dict[tuple[int, str], tuple[Mapping[str, str], Requirements, Requirements]] = {}

    def members(self, types: Types) -> Iterator[int]:
        """Yield the numbers of the types of a set."""
        while types:
            lowest = types & -types
            yield lowest.bit_length() - 1
            types ^= lowest

    def names(self, types: Types) -> list[str]:
        """Return the names of the types of a set, in order."""
        return sorted(self.types[number].name for number in self.members(types))

    def meeting(self, requirements: Requirements) -> Types:
        """Return the types whose properties overlap with all requirements."""
        types = self.all
        for entry in requirements.values():
            known = self._meeting.get(entry)
            if known is None:
                known = self._meeting[entry] = self._set(
                    (own := have.get(entry.key)) is None or _overlap(own, entry) for have in self.requirements
                )
            types &= known
        return types

    def fitting(self, requests: Resources) -> Types:
        """Return the types that have room for the requests."""
        types = self._usable
        for name, amount in requests.items():
            amounts, sets = self._thresholds.get(name) or self._measure(name)
            position = bisect_left(amounts, amount)
            types &= sets[position] if position < len(sets) else 0
        return types

    def offered(self, requirements: Requirements) -> Types:
        """Return the types that are available in a zone and with a capacity type that the requirements allow."""
        key = get(requirements, ZONE), get(requirements, CAPACITY_TYPE)
        if key not in self._offered:
            self._offered[key] = self._set(any(self._compatible(entry, *key)) for entry in self.types)
        return self._offered[key]

    def prices(self, requirements: Requirements) -> list[float]:
        """Return the lowest price of each type, infinity for a type that is not available."""
        key = get(requirements, ZONE), get(requirements, CAPACITY_TYPE)
        if key not in self._prices:
            self._prices[key] = [
                min((offering.price for offering in self._compatible(entry, *key)), default=math.inf)
                for entry in self.types
            ]
        return self._prices[key]

    def requirements_of_node(self, labels: Mapping[str, str], hostname: str) -> tuple[Requirements, Requirements]:
        """Return the labels of a node as requirements, then the same with `hostname` as the host name.

        The result is cached by the identity of the labels, which are never changed in place.
        """
        key = id(labels), hostname
        known = self._of_nodes.get(key)
        if known is None:
            if len(self._of_nodes) >= MOST_LABELS_KEPT:
                self._of_nodes.clear()
            own = of_labels(labels)
            named = merge((entry for name, entry in own.items() if name != HOSTNAME), (one_of(HOSTNAME, hostname),))
            known = self._of_nodes[key] = labels, own, named  # the labels too, so that no others get their id
        return known[1], known[2]

    def by_price(self, types: Types, requirements: Requirements) -> list[int]:
        """Return the numbers of the types, the cheapest first (OrderByPrice)."""
        prices = self.prices(requirements)
        return sorted(self.members(types), key=lambda number: prices[number])

    def truncated(self, types: Types, requirements: Requirements) -> Types:
        """Return the cheapest types, as many as a claim may have."""
        if types.bit_count() <= MAX_INSTANCE_TYPES:
            return types
        return sum(1 << number for number in self.by_price(types, requirements)[:MAX_INSTANCE_TYPES])

    def cheaper(self, types: Types, requirements: Requirements, price: float) -> Types:
        """Return the types whose worst launch price is lower (RemoveInstanceTypeOptionsByPriceAndMinValues)."""
        return sum(
            1 << number
            for number in self.members(types)
            if self.worst_launch_price(self.types[number], requirements) < price
        )

    def worst_launch_price(self, entry: InstanceType, requirements: Requirements) -> float:
        """Return the highest price of the capacity type that is launched, infinity without one (WorstLaunchPrice)."""
        zone, capacity_type = get(requirements, ZONE), get(requirements, CAPACITY_TYPE)
        offerings = list(self._compatible(entry, zone, capacity_type))
        for wanted in CAPACITY_TYPES:
            prices = [offering.price for offering in offerings if offering.capacity_type == wanted]
            if prices:
                return max(prices)
        return math.inf

    def cheapest(self, types: Types, requirements: Requirements) -> tuple[InstanceType, Offering] | None:
        """Return the cheapest offering and its type, which the cloud launches; None without one (kwok: toNode)."""
        zone, capacity_type = get(requirements, ZONE), get(requirements, CAPACITY_TYPE)
        best: tuple[InstanceType, Offering] | None = None
        for name in self.names(types):
            entry = self.types[self.number[name]]
            offerings = list(self._compatible(entry, zone, capacity_type))
            if offerings:
                offering = min(offerings, key=lambda offering: offering.price)
                if best is None or offering.price < best[1].price:
                    best = entry, offering
        return best

    def price_of(self, labels: Mapping[str, str], name: str) -> float | None:
        """Return the price of a node of a type, by zone and capacity type; None if it is no longer offered."""
        if name not in self.number:
            return None
        entry = self.types[self.number[name]]
        wanted = [
            one_of(key, labels[key]) if key in labels else Requirement(key, complement=True)
            for key in (ZONE, CAPACITY_TYPE)
        ]
        prices = [
            offering.price
            for offering in entry.offerings
            if wanted[0].has(offering.zone) and wanted[1].has(offering.capacity_type)
        ]
        return min(prices, default=None)

    def largest(self, types: Types, name: str) -> int:
        """Return the largest capacity of a resource among the types, 0 without any."""
        return max((self.types[number].capacity.get(name, 0) for number in self.members(types)), default=0)

    def within(self, types: Types, limits: Resources) -> Types:
        """Return the types that exceed no limit (filterByRemainingResources)."""
        return sum(
            1 << number
            for number in self.members(types)
            if all(self.types[number].capacity.get(name, 0) <= left for name, left in limits.items())
        )

    def shortfall(self, types: Types, requirements: Requirements) -> dict[str, int]:
        """Return the keys for which the types have fewer values than minValues requires, and how many they have
        (SatisfiesMinValues). Without any type, none is short.
        """
        short: dict[str, int] = {}
        if not types:
            return short
        for key, entry in requirements.items():
            if entry.min_values is not None:
                values = {
                    value for number in self.members(types) for value in get(self.requirements[number], key).values
                }
                if len(values) < entry.min_values:
                    short[key] = len(values)
        return short

    def needed(self, ordered: Sequence[int], requirements: Requirements) -> int:
        """Return how many of the first types have enough values for minValues (SatisfiesMinValues)."""
        types = 0
        for count, number in enumerate(ordered):
            if types and not self.shortfall(types, requirements):
                return count
            types |= 1 << number
        return len(ordered)

    def compatible(self, number: int, requirements: Requirements) -> list[Offering]:
        """Return the offerings of a type that the requirements allow."""
        zone, capacity_type = get(requirements, ZONE), get(requirements, CAPACITY_TYPE)
        return list(self._compatible(self.types[number], zone, capacity_type))

    def _compatible(self, entry: InstanceType, zone: Requirement, capacity_type: Requirement) -> Iterator[Offering]:
        for offering in entry.offerings:
            if offering.available and zone.has(offering.zone) and capacity_type.has(offering.capacity_type):
                yield offering

    def _measure(self, name: str) -> tuple[list[int], list[Types]]:
        """Return the amounts of a resource that types have, ascending, with the types that have at least as much."""
        by_amount: dict[int, Types] = {}
        for number, amounts in enumerate(self._allocatable):
            amount = amounts.get(name, 0)
            by_amount[amount] = by_amount.get(amount, 0) | 1 << number
        ascending = sorted(by_amount)
        sets: list[Types] = []
        above: Types = 0
        for amount in reversed(ascending):
            above |= by_amount[amount]
            sets.append(above)
        self._thresholds[name] = ascending, sets[::-1]
        return self._thresholds[name]

    def _set(self, answers: Iterator[bool]) -> Types:
        return sum(1 << number for number, answer in enumerate(answers) if answer)


class NoInstanceType(msgspec.Struct, frozen=True):
    """The reason why no type is left: the result of each of the three filters (InstanceTypeFilterError)."""

    meeting: Types
    fitting: Types
    offered: Types
    requirements: Requirements
    pod_requests: Resources
    daemon_requests: Resources
    short: Mapping[str, int] = {}

    def __str__(self) -> str:
        sums = {
            name: self.pod_requests.get(name, 0) + self.daemon_requests.get(name, 0)
            for name in {**self.daemon_requests, **self.pod_requests}
        }
        about = f", requirements={show(self.requirements)}, resources={show_resources(sums)}"
        reason = self._reason()
        typo = reason == "no instance type has enough resources" and self.pod_requests.get("cpu", 0) >= MANY_CPUS
        return reason + about + (" (CPU request >= 1 Million, m vs M typo?)" if typo else "")

    def _reason(self) -> str:
        if self.short:
            return f"minValues requirement is not met for label(s) (label(s)=[{' '.join(self.short)}])"
        failed = [
            text
            for types, text in (
                (self.meeting, "met the scheduling requirements"),
                (self.fitting, "had enough resources"),
                (self.offered, "had a required offering"),
            )
            if not types
        ]
        if len(failed) > 1:
            return f"no instance type {' or '.join(failed)}"
        if not self.meeting:
            return "no instance type met all requirements"
        if not self.fitting:
            return "no instance type has enough resources"
        if not self.offered:
            return "no instance type has the required offering"
        if self.meeting & self.fitting & ~self.offered:
            return (
                "no instance type which met the scheduling requirements and had enough resources, "
                "had a required offering"
            )
        if self.fitting & self.offered & ~self.meeting:
            return (
                "no instance type which had enough resources and the required offering met the scheduling requirements"
            )
        if self.meeting & self.offered & ~self.fitting:
            return (
                "no instance type which met the scheduling requirements and the required offering had the required "
                "resources"
            )
        return "no instance type met the requirements/resources/offering tuple"


def filter_types(
    catalogue: Catalogue,
    types: Types,
    requirements: Requirements,
    pod_requests: Resources,
    daemon_requests: Resources,
    total: Resources,
    *,
    relaxes_min_values: bool = False,
) -> tuple[Types, Requirements, NoInstanceType | None]:
    """Return the types that pass, the requirements, and None; or 0, the requirements and why no or too few types pass.

    `relaxes_min_values`: minValues are lowered in the requirements, so that any number of types is enough.
    """
    meeting, fitting, offered = (
        catalogue.meeting(requirements),
        catalogue.fitting(total),
        catalogue.offered(requirements),
    )
    left = types & meeting & fitting & offered
    short: Mapping[str, int] = {}
    if any(entry.min_values is not None for entry in requirements.values()):
        short = catalogue.shortfall(left, requirements)
        if short and relaxes_min_values:
            requirements = {
                key: replace(entry, min_values=short[key]) if key in short else entry
                for key, entry in requirements.items()
            }
            short = {}
    if left and not short:
        return left, requirements, None
    reason = NoInstanceType(
        types & meeting, types & fitting, types & offered, requirements, pod_requests, daemon_requests, short
    )
    return 0, requirements, reason


def show_resources(amounts: Resources) -> str:
    """Return a resource list as Karpenter prints it."""
    return json.dumps({name: show_amount(name, amounts[name]) for name in sorted(amounts)}, separators=(",", ":"))


def _overlap(own: Requirement, other: Requirement) -> bool:
    return conflict({own.key: own}, {other.key: other}) is None
