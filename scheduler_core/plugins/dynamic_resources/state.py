"""The state of a pod's claims in one scheduling cycle (dynamicresources.go: stateData)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from scheduler_core.apis.devices import Allocation, ResourceClaim
from scheduler_core.apis.selectors import NodeSelector
from scheduler_core.framework.status import Status
from scheduler_core.plugins.dynamic_resources.alike import Shape
from scheduler_core.plugins.dynamic_resources.allocator import Allocator, Solution


class NodeAllocation(msgspec.Struct):
    """The devices that Filter selected for the unallocated claims, in the order of the claims.

    They are devices of the node itself or of a node with equal devices (`Solution.moved`).
    """

    solution: Solution
    extended: ResourceClaim | None = None  # the claim for extended resources, with its requests on this node


class State(msgspec.Struct):
    """The claims of a pod in a scheduling cycle: `claims` are its own in the order of its spec, then the one for
    extended resources, if it needs one.

    `selectors`: the nodes on which allocated claims can be used. `pending`: allocations that another pod of the same
    group will write; `reserved`: those of Reserve. `unavailable`: the allocated claims that some node cannot use.
    """

    claims: list[ResourceClaim]
    selectors: list[NodeSelector | None]
    extended: ResourceClaim | None = None
    extended_uid: str = ""  # the uid of that claim before it was written
    allocator: Allocator | None = None
    shape: Shape | None = None  # the shape of the claims to allocate
    allocated: Sequence[int] = ()  # the indices of allocated claims
    pending: dict[int, Allocation] = {}
    reserved: dict[int, Allocation] = {}
    unavailable: dict[int, None] = {}
    nodes: dict[str, NodeAllocation] = {}
    verdicts: dict[str, Status] = {}
    _to_search: Sequence[ResourceClaim] | None = None

    @property
    def user_claims(self) -> Sequence[ResourceClaim]:
        """Return the claims in the pod's spec, without the claim for extended resources."""
        return self.claims if self.extended is None else self.claims[:-1]

    def to_allocate(self) -> Iterator[tuple[int, ResourceClaim]]:
        """Yield (index, claim) of each unallocated claim."""
        return ((number, claim) for number, claim in enumerate(self.claims) if claim.allocation is None)

    def to_search(self, extended: ResourceClaim | None = None) -> Sequence[ResourceClaim]:
        """Return the claims for which a search must find devices.

        `extended` replaces the claim for extended resources, whose requests differ by node.
        """
        if extended is None and self._to_search is not None:
            return self._to_search
        claims = [
            extended if claim is self.extended and extended is not None else claim
            for number, claim in self.to_allocate()
            if number not in self.pending
        ]
        if extended is None:
            self._to_search = claims
        return claims
