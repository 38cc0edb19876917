"""Searches for devices, shared by nodes with equal devices and by pods with equal claims.

A search does not read the names of devices. It reads the driver, the capacity, taints and counters of a device, the
attributes that the selectors and constraints of the claims name, and whether it is in use. Nodes that are equal in all
of this, pool by pool, have the same number, and claims with equal specs have the same outcome on them. So each distinct
node is searched once, and after a pod was scheduled, only the nodes whose devices it uses are searched again.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, cast

import msgspec

from scheduler_core.apis.core import Node
from scheduler_core.apis.devices import ClaimSpec, Device, DeviceClass, ResourceClaim, ResourceSlice
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.plugins.dynamic_resources.allocated import AllocatedDevices
from scheduler_core.plugins.dynamic_resources.allocator import Allocator, InvalidPools, Solution, TimedOut
from scheduler_core.plugins.dynamic_resources.contents import Contents
from scheduler_core.plugins.dynamic_resources.counters import available_counters
from scheduler_core.plugins.dynamic_resources.pools import Pool, PoolID, Pools
from scheduler_core.plugins.dynamic_resources.selectors import Selectors

if TYPE_CHECKING:
    from scheduler_core.cel.reads import Attributes

MAX_SHAPES = 256
MAX_VIEWS = 64
MAX_OUTCOMES = 100_000  # per shape

Outcome = Solution | None | type[InvalidPools] | type[TimedOut]


class Shape(msgspec.Struct):
    """Claims with the same specs, and the `outcomes` of their search by the number of the node."""

    view: View
    outcomes: dict[int, Outcome] = {}


class Searches:
    """The outcomes of searches, kept across cycles."""

    def __init__(self, cluster: Cluster, pools: Pools, allocated: AllocatedDevices, selectors: Selectors) -> None:
        self._cluster = cluster
        self._pools = pools
        self._allocated = allocated
        self._selectors = selectors
        self._shapes: dict[tuple[ClaimSpec, ...], Shape] = {}
        self._views: dict[Attributes, View] = {}
        self._classes_seen = 0

    def follow(self) -> None:
        """Process the changes of pools, allocations and classes since the last call."""
        changed = {*self._pools.changes, *(device[:2] for device in self._allocated.changes)}
        self._pools.changes.clear()
        self._allocated.changes.clear()
        for view in self._views.values():
            for pool_id in changed:
                view.forget(pool_id)
        version = self._cluster.version("DeviceClass")
        if version != self._classes_seen or len(self._shapes) > MAX_SHAPES or len(self._views) > MAX_VIEWS:
            self._classes_seen = version
            self._shapes.clear()
            self._views.clear()

    def shape(self, claims: Sequence[ResourceClaim]) -> Shape:
        """Return the shape of the claims, which claims with equal specs share."""
        key = tuple(claim.spec for claim in claims)
        shape = self._shapes.get(key)
        if shape is None:
            reads = self._reads(key)
            view = self._views.get(reads)
            if view is None:
                contents = self._selectors.contents(reads)
                view = self._views[reads] = View(self._pools, self._allocated, contents)
            shape = self._shapes[key] = Shape(view)
        return shape

    def solve(self, allocator: Allocator, node: Node, claims: Sequence[ResourceClaim], shape: Shape) -> Solution | None:
        """Return the devices that `Allocator.allocate` finds, or None if it finds none.

        Equal nodes with equal claims share one search. Raises the errors of `allocate`.
        """
        pools = self._pools.of_node(node)
        number = None if self._has_pending_allocations(allocator, pools) else shape.view.number(node, pools)
        if number is None:
            return allocator.allocate(node, pools, claims)
        if number in shape.outcomes:
            outcome = shape.outcomes[number]
        else:
            if len(shape.outcomes) >= MAX_OUTCOMES:
                shape.outcomes.clear()
            outcome = shape.outcomes[number] = _outcome(allocator, node, pools, claims)
        if isinstance(outcome, type):
            raise outcome
        return outcome

    def _has_pending_allocations(self, allocator: Allocator, pools: Sequence[Pool]) -> bool:
        """Return whether devices in these pools have pending allocations, which the cluster's objects do not show."""
        pending = allocator.allocated.pending_pools
        return bool(pending) and any(pool.id in pending for pool in pools)

    def _reads(self, specs: Sequence[ClaimSpec]) -> Attributes:
        """Return the attributes that selectors and constraints name, None if they may read any."""
        read: set[tuple[str, str]] = set()
        for names in self._names(specs):
            if names is None:
                return None
            read |= names
        return frozenset(read)

    def _names(self, specs: Sequence[ClaimSpec]) -> Iterator[Attributes]:
        """Yield the attributes that each constraint and each selector names, None if it may read any."""
        for spec in specs:
            for constraint in spec.constraints:
                domain, slash, name = (constraint.match_attribute or constraint.distinct_attribute).partition("/")
                yield frozenset({(domain, name)}) if slash else None
            for request in chain.from_iterable(
                subrequest.first_available or (subrequest,) for subrequest in spec.requests
            ):
                device_class = cast("DeviceClass | None", self._cluster.get("DeviceClass", request.device_class))
                for expression in (*(device_class.selectors if device_class is not None else ()), *request.selectors):
                    yield self._selectors.reads(expression)


def _outcome(allocator: Allocator, node: Node, pools: Sequence[Pool], claims: Sequence[ResourceClaim]) -> Outcome:
    """Return the solution, or the class of the error that ended the search."""
    try:
        return allocator.allocate(node, pools, claims)
    except (InvalidPools, TimedOut) as end:
        return type(end)


class View:
    """Numbers for nodes; nodes whose devices are equal in the read attributes have the same number."""

    def __init__(self, pools: Pools, allocated: AllocatedDevices, contents: Contents) -> None:
        self._all_pools = pools
        self._allocated = allocated
        self._contents = contents
        self._numbers: dict[Hashable, int] = {}
        self._pools: dict[PoolID, dict[Pool, int]] = {}
        self._nodes: dict[str, tuple[Sequence[Pool], int]] = {}

    def forget(self, pool_id: PoolID) -> None:
        """Discard the cached data of a pool whose devices were changed, allocated or deallocated."""
        self._pools.pop(pool_id, None)
        for name in self._all_pools.users(pool_id):
            self._nodes.pop(name, None)

    def number(self, node: Node, pools: Sequence[Pool]) -> int | None:
        """Return the number of the node with these pools.

        Return None if pools of two drivers share counters: the searches then depend on the order of the nodes.
        """
        entry = self._nodes.get(node.name)
        if entry is None or entry[0] is not pools:
            if self._all_pools.counters_are_ambiguous:
                return None
            number = self._number(tuple([self._number_of_pool(pool, node) for pool in pools]))
            entry = self._nodes[node.name] = pools, number
        return entry[1]

    def _number(self, content: Hashable) -> int:
        return self._numbers.setdefault(content, len(self._numbers))

    def _number_of_pool(self, pool: Pool, node: Node) -> int:
        numbers = self._pools.setdefault(pool.id, {})
        number = numbers.get(pool)
        if number is None:
            number = numbers[pool] = self._number(self._content(pool))
        if all(resource_slice.reach is not None for resource_slice in pool.slices):
            return number
        reached = tuple(
            candidate.device.reach is not None and candidate.device.reach.includes(node.name, node.labels)
            for candidate in pool.devices()
            if candidate.slice.reach is None
        )
        return self._number((number, reached))

    def _content(self, pool: Pool) -> Hashable:
        counters = available_counters(pool, self._allocated)
        return (
            pool.id[0],
            pool.incomplete,
            bool(pool.invalid),
            tuple([(name, tuple(sorted(amounts.items()))) for name, amounts in sorted(counters.items())]),
            tuple(
                [
                    self._device_content(*pool.id, resource_slice, device)
                    for resource_slice in pool.slices
                    for device in resource_slice.devices
                ]
            ),
        )

    def _device_content(self, driver: str, pool: str, resource_slice: ResourceSlice, device: Device) -> Hashable:
        device_id = driver, pool, device.name
        consumed = self._allocated.capacities.get(device_id)
        return (
            self._contents.number(driver, device),
            device.taints,
            device.consumes_counters,
            bool(device.binding_conditions),
            resource_slice.reach is None,
            device_id in self._allocated.held,
            None if consumed is None else tuple(sorted(consumed.items())),
        )
