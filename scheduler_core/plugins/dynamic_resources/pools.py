"""The pools of devices that a node can use (structured/internal/*/pools_*.go: GatherPools).

Pools are sorted by driver and name, and their slices by name, as in 1.36; earlier releases iterate over a Go map.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, cast

import msgspec

from scheduler_core.apis.core import Node
from scheduler_core.apis.devices import CounterSet, Device, DeviceID, ResourceSlice
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.releases import Release

PoolID = tuple[str, str]  # driver, pool
Counters = dict[str, dict[str, int]]  # counter set -> counter -> amount in nano units


class Candidate(msgspec.Struct, frozen=True):
    """A device of a pool that the node can use."""

    id: DeviceID
    device: Device
    slice: ResourceSlice
    pool: Pool


class Pool(msgspec.Struct, frozen=True, eq=False):
    """A pool. `slices` contain the devices for the node, `elsewhere` are the slices of the same pool for other nodes.

    An incomplete pool lacks slices that its driver has yet to publish. `invalid`: the reason that the pool cannot be
    used.
    """

    id: PoolID
    slices: Sequence[ResourceSlice] = ()
    elsewhere: Sequence[ResourceSlice] = ()
    counters: Counters = {}
    incomplete: bool = False
    invalid: str = ""

    @property
    def name(self) -> str:
        """Return the name in messages: "driver/pool"."""
        return "/".join(self.id)

    def devices(self) -> Iterable[Candidate]:
        """Yield the devices for the node, in order."""
        for resource_slice in self.slices:
            for device in resource_slice.devices:
                yield Candidate((*self.id, device.name), device, resource_slice, self)


class Pools:
    """The pools of every node, cached until slices or the node change."""

    def __init__(self, cluster: Cluster, release: Release) -> None:
        self._cluster = cluster
        self._rules = release.rules
        self._partitions = release.has_on("DRAPartitionableDevices")
        self._binding_conditions = release.has_on("DRADeviceBindingConditions")
        self._seen = 0
        self._slices: dict[str, ResourceSlice] = {}
        self._pools: dict[PoolID, dict[str, ResourceSlice]] = {}
        self._on_node: dict[str, dict[str, ResourceSlice]] = {}
        self._shared: dict[str, ResourceSlice] = {}
        self._known: dict[str, tuple[Node, Sequence[Pool]]] = {}
        self._built: dict[PoolID, dict[tuple[str, ...], Pool | None]] = {}  # by the names of the slices for a node
        self._users: dict[PoolID, set[str]] = {}  # the nodes whose cached pools depend on the pool
        self.changes: list[PoolID] = []  # pools whose slices changed; `Searches` empties it
        self.counters_are_ambiguous = False  # pools of two drivers have the same name, and so share counters

    def of_node(self, node: Node) -> Sequence[Pool]:
        """Return the pools of the node, invalid and incomplete ones included. Call `follow` after changes of slices."""
        pools = self._known.get(node.name)
        if pools is None or pools[0] is not node:
            pools = self._known[node.name] = (node, self._gather(node))
        return pools[1]

    def follow(self) -> None:
        """Process the changes of ResourceSlices since the last call."""
        version = self._cluster.version("ResourceSlice")
        if version == self._seen:
            return
        for name in self._cluster.changed("ResourceSlice", self._seen):
            self._replace(name, cast("ResourceSlice | None", self._cluster.get("ResourceSlice", name)))
        self._seen = version
        self.counters_are_ambiguous = self._has_ambiguous_counters()

    def users(self, pool_id: PoolID) -> Iterable[str]:
        """Return the names of the nodes whose cached pools depend on the pool."""
        return self._users.get(pool_id, ())

    def completeness(self, pool_id: PoolID) -> tuple[int, int]:
        """Return the number of slices of the newest generation, and the required number; zeros for an unknown pool."""
        slices: list[ResourceSlice] = []
        for resource_slice in self._pools.get(pool_id, {}).values():
            _add(slices, resource_slice)
        return len(slices), slices[0].slice_count if slices else 0

    def left_out(self, node: Node) -> Iterator[tuple[PoolID, Literal["elsewhere", "outdated"]]]:
        """Yield the pool of each slice with devices that belongs to the node or to several nodes, in order of name.

        The second value is the reason that the node cannot use the pool, if it cannot: the slice is for other nodes, or
        it is for this one and outdated. The caller leaves out the pools of `of_node`.
        """
        for name in sorted({**self._on_node.get(node.name, {}), **self._shared}):
            resource_slice = self._slices[name]
            if not resource_slice.shared_counters:  # these have no devices
                yield (
                    (resource_slice.driver, resource_slice.pool),
                    "outdated" if _reaches(resource_slice, node) else "elsewhere",
                )

    def _replace(self, name: str, new: ResourceSlice | None) -> None:
        old = self._slices.pop(name, None)
        for resource_slice in (old, new):
            if resource_slice is not None:
                self._forget(resource_slice)
        if old is not None:
            self._siblings(old).pop(name, None)
            self._pools[old.driver, old.pool].pop(name, None)
        if new is not None:
            self._slices[name] = self._siblings(new)[name] = new
            self._pools.setdefault((new.driver, new.pool), {})[name] = new

    def _siblings(self, resource_slice: ResourceSlice) -> dict[str, ResourceSlice]:
        """Return the slices of the same node by name, or those of several nodes if the slice is one of them."""
        node_name = self._node_of(resource_slice)
        return self._on_node.setdefault(node_name, {}) if node_name else self._shared

    def _node_of(self, resource_slice: ResourceSlice) -> str:
        """Return the name of the only node that can use the slice, "" if several can."""
        everywhere = resource_slice.shared_counters and not self._rules.counter_slices_are_for_their_nodes
        return "" if resource_slice.reach is None or everywhere else resource_slice.reach.node_name

    def _forget(self, resource_slice: ResourceSlice) -> None:
        """Record the change of the slice's pool, and discard the cached pools of the nodes that can use it."""
        pool_id = resource_slice.driver, resource_slice.pool
        self.changes.append(pool_id)
        self._built.pop(pool_id, None)
        node_name = self._node_of(resource_slice)
        if not node_name:
            self._known.clear()
            self._users.clear()
            return
        self._known.pop(node_name, None)
        for name in self._users.pop(pool_id, ()):
            self._known.pop(name, None)

    def _has_ambiguous_counters(self) -> bool:
        if self._rules.counters_belong_to_a_driver:
            return False
        drivers: dict[str, str] = {}
        return any(
            drivers.setdefault(resource_slice.pool, resource_slice.driver) != resource_slice.driver
            for resource_slice in self._slices.values()
            if resource_slice.shared_counters
        )

    def _gather(self, node: Node) -> Sequence[Pool]:
        """Return the pools of the node; slices for other nodes and older generations are ignored."""
        slices_by_pool: dict[PoolID, list[ResourceSlice]] = {}
        slices = {**self._on_node.get(node.name, {}), **self._shared}
        for name in sorted(slices):
            resource_slice = slices[name]
            if not self._partitions and (resource_slice.reach is None or resource_slice.shared_counters):
                continue
            everywhere = resource_slice.shared_counters and not self._rules.counter_slices_are_for_their_nodes
            if everywhere or _reaches(resource_slice, node):
                _add(slices_by_pool.setdefault((resource_slice.driver, resource_slice.pool), []), resource_slice)
        for pool_id in slices_by_pool:
            self._users.setdefault(pool_id, set()).add(node.name)
        built = [self._cached_pool(pool_id, slices_by_pool[pool_id]) for pool_id in sorted(slices_by_pool)]
        pools = [pool for pool in built if pool is not None]
        if not self._binding_conditions:
            return pools
        return sorted(pools, key=_has_binding_conditions)  # those with binding conditions come last

    def _cached_pool(self, pool_id: PoolID, slices: list[ResourceSlice]) -> Pool | None:
        """Return the pool, built once for all nodes with the same slices; None if it is outdated (`_build`)."""
        built = self._built.setdefault(pool_id, {})
        key = tuple([resource_slice.name for resource_slice in slices])
        if key not in built:
            build = self._build if self._rules.pools_are_complete_across_nodes else _build_before_1_35
            built[key] = build(pool_id, slices)
        return built[key]

    def _build(self, pool_id: PoolID, slices: list[ResourceSlice]) -> Pool | None:
        """Return the pool as built since 1.35, None if a newer generation has slices for other nodes."""
        first, elsewhere = slices[0], []
        if self._rules.slices_of_the_node_come_first:
            first = next(filter(self._node_of, slices), first)
        if len(slices) != first.slice_count:
            all_slices = [resource_slice for _, resource_slice in sorted(self._pools[pool_id].items())]
            if any(resource_slice.generation > first.generation for resource_slice in all_slices):
                return None
            same_generation = [
                resource_slice for resource_slice in all_slices if resource_slice.generation == first.generation
            ]
            if len(same_generation) != first.slice_count:
                return Pool(pool_id, incomplete=True)
            elsewhere = [resource_slice for resource_slice in same_generation if resource_slice not in slices]
        return self._checked(pool_id, slices, elsewhere)

    def _checked(self, pool_id: PoolID, slices: list[ResourceSlice], elsewhere: list[ResourceSlice]) -> Pool:
        """Return the pool; it is invalid if a name is not unique or a counter is unknown (`buildPool`)."""
        with_devices = [
            resource_slice for resource_slice in slices if not (self._partitions and resource_slice.shared_counters)
        ]
        duplicate = _duplicate_device(with_devices)
        if duplicate:
            return Pool(pool_id, invalid=duplicate)
        counters: Counters = {}
        for name, amounts in (
            counter for resource_slice in (*slices, *elsewhere) for counter in resource_slice.shared_counters
        ):
            if name in counters:
                return Pool(pool_id, invalid=f"duplicate counter set name {name}")
            counters[name] = dict(amounts)
        unknown = _unknown_counter(counters, (*slices, *elsewhere)) if self._partitions else ""
        if unknown:
            return Pool(pool_id, invalid=unknown)
        return Pool(pool_id, with_devices, elsewhere, counters)


def _build_before_1_35(pool_id: PoolID, slices: list[ResourceSlice]) -> Pool:
    """Return the pool, built from the slices for this node only; the devices of an incomplete pool can be used."""
    return Pool(pool_id, slices, incomplete=len(slices) != slices[0].slice_count, invalid=_duplicate_device(slices))


def _reaches(resource_slice: ResourceSlice, node: Node) -> bool:
    """Return whether the slice, or one of its devices, is for the node."""
    reaches = (
        [resource_slice.reach]
        if resource_slice.reach is not None
        else [device.reach for device in resource_slice.devices]
    )
    return any(reach is not None and reach.includes(node.name, node.labels) for reach in reaches)


def _add(slices: list[ResourceSlice], resource_slice: ResourceSlice) -> None:
    """Add a slice to its pool, which keeps only the newest generation."""
    if slices and resource_slice.generation < slices[0].generation:
        return
    if slices and resource_slice.generation > slices[0].generation:
        slices.clear()
    slices.append(resource_slice)


def _duplicate_device(slices: Iterable[ResourceSlice]) -> str:
    names: set[str] = set()
    for resource_slice in slices:
        for device in resource_slice.devices:
            if device.name in names:
                return f"duplicate device name {device.name}"
            names.add(device.name)
    return ""


def _unknown_counter(counters: Counters, slices: Iterable[ResourceSlice]) -> str:
    """Return the error for an unknown counter, "" if there is none (`validateDeviceCounterConsumption`)."""
    for resource_slice in slices:
        for device in resource_slice.devices:
            for consumed in device.consumes_counters:
                if error := _unknown_in(counters, consumed):
                    return error
    return ""


def _unknown_in(counters: Counters, consumed: CounterSet) -> str:
    name, amounts = consumed
    if name not in counters:
        return f"counter set {name} not found"
    missing = next((counter for counter, _ in amounts if counter not in counters[name]), "")
    return f"counter {missing} not found in counter set {name}" if missing else ""


def _has_binding_conditions(pool: Pool) -> bool:
    return any(device.binding_conditions for resource_slice in pool.slices for device in resource_slice.devices)
