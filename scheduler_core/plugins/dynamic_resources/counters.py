"""The counters that the devices of a pool share (allocator_*.go: checkAvailableCounters).

As in kube-scheduler, pools are identified by name alone up to 1.36, so pools of two drivers with the same name share
their counters.
"""

from __future__ import annotations

from collections.abc import Hashable

from scheduler_core.plugins.dynamic_resources.allocated import AllocatedDevices
from scheduler_core.plugins.dynamic_resources.pools import Candidate, Counters, Pool, PoolID
from scheduler_core.releases import Rules


def available_counters(pool: Pool, allocated: AllocatedDevices) -> Counters:
    """Return the pool's counters minus the amounts that its allocated devices consume."""
    available = {name: dict(amounts) for name, amounts in pool.counters.items()}
    if available:
        for resource_slice in (*pool.slices, *pool.elsewhere):
            for device in resource_slice.devices:
                if device.consumes_counters and allocated.is_allocated((*pool.id, device.name)):
                    for name, amounts in device.consumes_counters:
                        _subtract(available.get(name, {}), amounts)
    return available


class AvailableCounters:
    """The remaining counters of each pool, valid for one cycle. They are computed when a node first needs them."""

    def __init__(self, allocated: AllocatedDevices, rules: Rules) -> None:
        self._allocated = allocated
        self._by_driver = rules.counters_belong_to_a_driver
        self._pools: dict[PoolID, Counters] = {}

    def key(self, pool: Pool) -> PoolID:
        """Return the key of the pool's counters, which is the same for all pools that share them."""
        return pool.id if self._by_driver else ("", pool.id[1])

    def of(self, pool: Pool) -> Counters:
        """Return the available counters, which may be negative."""
        key = self.key(pool)
        available = self._pools.get(key)
        if available is None:
            available = self._pools[key] = available_counters(pool, self._allocated)
        return available


class ConsumedCounters:
    """The counters that the devices chosen in one search consume."""

    def __init__(self, available: AvailableCounters) -> None:
        self._available = available
        self._pools: dict[PoolID, Counters] = {}

    def consume(self, candidate: Candidate) -> bool:
        """Consume the device's counters if they are sufficient. Return whether they are."""
        available = self._available.of(candidate.pool)
        consumed = self._pools.setdefault(self._available.key(candidate.pool), {})
        for name, amounts in candidate.device.consumes_counters:
            counters = consumed.setdefault(name, {})
            for counter, amount in amounts:
                counters[counter] = counters.get(counter, 0) + amount
        for name, counters in available.items():
            used = consumed.get(name, {})
            if any(amount < used.get(counter, 0) for counter, amount in counters.items()):
                self.give_back(candidate)
                return False
        return True

    def give_back(self, candidate: Candidate) -> None:
        """Undo `consume` (deallocateCountersForDevice)."""
        consumed = self._pools[self._available.key(candidate.pool)]
        for name, amounts in candidate.device.consumes_counters:
            for counter, amount in amounts:
                consumed[name][counter] -= amount

    def consumed(self, pool: Pool) -> Counters:
        """Return the consumed counters by set and counter."""
        return self._pools.get(self._available.key(pool), {})

    def state(self) -> Hashable:
        """Return a key that changes with the consumed counters."""
        return tuple(
            (pool, name, counter, amount)
            for pool, sets in sorted(self._pools.items())
            for name, counters in sorted(sets.items())
            for counter, amount in sorted(counters.items())
            if amount
        )


def _subtract(counters: dict[str, int], amounts: tuple[tuple[str, int], ...]) -> None:
    for counter, amount in amounts:
        if counter in counters:
            counters[counter] -= amount
