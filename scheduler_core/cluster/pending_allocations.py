"""Allocations of claims between Reserve and the write in PreBind (dra_manager.go: inFlightAllocations)."""

from __future__ import annotations

from collections.abc import Iterable

from scheduler_core.apis.devices import ResourceClaim


class PendingAllocations:
    """Pending allocations, by the uid of the claim. Part of `Cluster`.

    Pods of one group may share an allocation during their cycle; it is removed with the last of them.
    """

    def __init__(self) -> None:
        # the claim with its allocation, and the number of pods that share it
        self._claims: dict[str, tuple[ResourceClaim, int]] = {}
        self._of_group: set[str] | None = None

    def __bool__(self) -> bool:
        return bool(self._claims)

    def copy(self) -> PendingAllocations:
        """Return an independent copy, which is not within a pod group cycle."""
        other = PendingAllocations()
        other._claims = dict(self._claims)
        return other

    def get(self, uid: str) -> ResourceClaim | None:
        """Return the claim with its pending allocation, None if there is none."""
        entry = self._claims.get(uid)
        return None if entry is None else entry[0]

    def claims(self) -> Iterable[ResourceClaim]:
        """Return all claims with pending allocations."""
        return [claim for claim, _ in self._claims.values()]

    def signal(self, claim: ResourceClaim) -> None:
        """Add a pod that shares the allocation of a claim (SignalClaimPendingAllocation).

        The first allocation of the claim is kept.
        """
        first, pods = self._claims.get(claim.uid, (claim, 0))
        self._claims[claim.uid] = first, pods + 1
        if self._of_group is not None:
            self._of_group.add(claim.uid)

    def remove(self, uid: str, *, force: bool = False) -> None:
        """Remove a pod that shares the allocation, if there is one (MaybeRemoveClaimPendingAllocation).

        `force`: the allocation was written, so no pod shares it any longer.
        """
        entry = self._claims.get(uid)
        if entry is None:
            return
        claim, pods = entry
        if not force and pods > 1:
            self._claims[uid] = claim, pods - 1
            return
        del self._claims[uid]
        if self._of_group is not None:
            self._of_group.discard(uid)

    def begin_group(self) -> None:
        """Begin a pod group cycle, whose pods can share new allocations."""
        self._of_group = set()

    def end_group(self) -> None:
        """End the pod group cycle, before its pods are bound."""
        self._of_group = None

    def is_of_group(self, uid: str) -> bool:
        """Return whether the allocation was signalled in the current pod group cycle; False outside one."""
        return self._of_group is not None and uid in self._of_group
