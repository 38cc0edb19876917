"""The parts of the answer about an autoscaler. Prices are for an hour; None: unknown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from scheduler_core.apis.core import PodKey
from scheduler_core.trace.records import NodeName

TITLES = {"cluster-autoscaler": "Cluster Autoscaler", "karpenter": "Karpenter"}


class NewNodes(msgspec.Struct, frozen=True):
    """Nodes that would be added, for pods; of a NodeGroup, or of a NodePool by the cheapest of `types`."""

    group: str
    count: int
    pods: list[PodKey]
    instance_type: str = ""
    zone: str = ""
    capacity_type: str = ""
    types: list[str] = []
    price: float | None = None  # of one node


class ScoredOption(msgspec.Struct, frozen=True):
    """An option of Cluster Autoscaler's first pass: `nodes` of a group would help `pods`. `scores`: by expander."""

    group: str
    nodes: int
    pods: int
    scores: dict[str, float]
    chosen: bool


class Refusal(msgspec.Struct, frozen=True):
    """The reason that no node of a group or pool helps a pod, in the autoscaler's words with the scheduler's reason."""

    group: str
    reason: str


class TypeRefusal(msgspec.Struct, frozen=True):
    """The reason that a pool would not make a node of a type. `reason`: requirements, resources, offering, or price.

    "price": it would do, but another type costs less.
    """

    pool: str
    instance_type: str
    reason: Literal["requirements", "resources", "offering", "price"]
    price: float | None = None


class PodAnswer(msgspec.Struct):
    """A pod that waits. `place`: the group or pool of its new node, or an existing node; "" if it gets none.

    `changes`: single changes that would get it a node; each was tried.
    """

    pod: PodKey
    outcome: Literal["new node", "existing node", "none"]
    place: str = ""
    reason: str = ""
    refusals: list[Refusal] = []
    types: list[TypeRefusal] = []
    changes: Sequence[str] = []


class NodeAnswer(msgspec.Struct, frozen=True):
    """A node: whether it would go now, else why it stays. `saves`: what that saves an hour."""

    node: NodeName
    group: str
    outcome: Literal["stays", "delete", "replace"]
    reason: str = ""
    saves: float | None = None


class MadeNode(msgspec.Struct):
    """A node that appeared in the run. `pods`: those of the question that were bound to it."""

    node: NodeName
    group: str
    instance_type: str
    pods: list[PodKey]


class Proof(msgspec.Struct):
    """The result of a run with the autoscaler, in seconds after its start.

    `ordered`: when nodes were ordered first; `placed`: when the last of the pods was bound, None if some still wait.
    """

    ordered: float | None = None
    placed: float | None = None
    added: int = 0
    removed: int = 0
    waiting: list[PodKey] = []
    nodes: list[MadeNode] = []


class Autoscaling(msgspec.Struct):
    """The plan of an autoscaler at a moment."""

    actor: Literal["cluster-autoscaler", "karpenter"]
    new_nodes: list[NewNodes] = []
    options: list[ScoredOption] = []
    pods: list[PodAnswer] = []
    nodes: list[NodeAnswer] = []
    proof: Proof | None = None

    @property
    def price(self) -> float | None:
        """Return the price of the new nodes per hour, None if a price is unknown."""
        prices = [new.price for new in self.new_nodes]
        if any(price is None for price in prices):
            return None
        return sum(new.count * (new.price or 0.0) for new in self.new_nodes)
