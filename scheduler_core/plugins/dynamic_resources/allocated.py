"""Allocated devices (allocateddevices.go, dra_manager.go: GatherAllocatedState)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from scheduler_core.apis.devices import DeviceID, DeviceResult, ResourceClaim
from scheduler_core.cluster.cluster import Cluster


class AllocatedDevices:
    """The allocated devices of all claims.

    As in kube-scheduler this is a set: if two claims have the same device, the first one to be removed frees it.
    Devices with admin access are not included. `shares` counts the shares of devices that allow multiple allocations,
    `capacities` adds up their consumption in nano units; without the feature (`shares_capacity`) such a device is
    treated like any other.
    """

    def __init__(self, cluster: Cluster, *, shares_capacity: bool) -> None:
        self._cluster = cluster
        self._shares_capacity = shares_capacity
        self._seen = 0
        self._claims: dict[str, ResourceClaim] = {}
        self.held: set[DeviceID] = set()
        self.shares: dict[DeviceID, int] = {}
        self.capacities: dict[DeviceID, dict[str, int]] = {}
        self.changes: list[DeviceID] = []  # devices that were allocated or deallocated; `Searches` empties it
        self.pending_pools: set[tuple[str, str]] = set()  # driver and pool of devices of pending allocations

    def follow(self) -> None:
        """Process the changes of claims since the last call."""
        version = self._cluster.version("ResourceClaim")
        if version == self._seen:
            return
        for key in self._cluster.changed("ResourceClaim", self._seen):
            old = self._claims.pop(key, None)
            new = cast("ResourceClaim | None", self._cluster.get("ResourceClaim", key))
            if new is not None and new.allocation is not None:
                self._claims[key] = new
            before = old.allocation if old is not None else None
            after = new.allocation if new is not None else None
            if before is not after and before != after:
                for result in before.results if before is not None else ():
                    self._give_back(result)
                for result in after.results if after is not None else ():
                    self._take(result)
        self._seen = version

    def including(self, claims: Iterable[ResourceClaim]) -> AllocatedDevices:
        """Return these devices and those of pending allocations (GatherAllocatedState); itself if none is pending."""
        pending = [claim.allocation for claim in claims if claim.allocation is not None]
        if not pending:
            return self
        other = AllocatedDevices(self._cluster, shares_capacity=self._shares_capacity)
        other.held, other.shares = set(self.held), dict(self.shares)
        other.capacities = {device: dict(consumed) for device, consumed in self.capacities.items()}
        for allocation in pending:
            for result in allocation.results:
                other._take(result)
                other.pending_pools.add((result.driver, result.pool))
        return other

    def is_allocated(self, device: DeviceID) -> bool:
        """Return whether any share of the device is allocated (`IsDeviceAllocated`)."""
        return device in self.held or device in self.shares

    def _take(self, result: DeviceResult) -> None:
        device = result.device_id
        if result.admin_access:
            return
        self.changes.append(device)
        if not (self._shares_capacity and result.share_id):
            self.held.add(device)
            return
        self.shares[device] = self.shares.get(device, 0) + 1
        for name, amount in result.consumed_capacity:
            consumed = self.capacities.setdefault(device, {})
            consumed[name] = consumed.get(name, 0) + amount.nano

    def _give_back(self, result: DeviceResult) -> None:
        device = result.device_id
        if result.admin_access:
            return
        self.changes.append(device)
        if not (self._shares_capacity and result.share_id):
            self.held.discard(device)
            return
        self.shares[device] -= 1
        if not self.shares[device]:
            del self.shares[device]
        consumed = self.capacities.get(device)
        if not result.consumed_capacity or consumed is None:  # a device of which nothing is consumed has no entry
            return
        for name, amount in result.consumed_capacity:
            consumed[name] -= amount.nano
        if not any(consumed.values()):
            del self.capacities[device]
