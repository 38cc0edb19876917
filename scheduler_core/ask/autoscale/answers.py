"""Records of the plan of an autoscaler. Prices are per hour; None means unknown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from scheduler_core.apis.core import PodKey
from scheduler_core.trace.records import NodeName

TITLES = {"cluster-autoscaler": "Cluster Autoscaler", "karpenter": "Karpenter"}


class NewNodes(msgspec.Struct, frozen=True):
    """Nodes that would be added for `pods`: to a NodeGroup, or to a NodePool with the cheapest of `types`."""

    group: str
    count: int
    pods: list[PodKey]
    instance_type: str = ""
    zone: str = ""
    capacity_type: str = ""
    types: list[str] = []
    price: float | None = None  # of one node


class ScoredOption(msgspec.Struct, frozen=True):
    """An option of Cluster Autoscaler's first pass: `nodes` of a group help `pods` pods. `scores`: by expander."""

    group: str
    nodes: int
    pods: int
    scores: dict[str, float]
    chosen: bool


class Refusal(msgspec.Struct, frozen=True):
    """The reason why no node of a group or pool helps a pod, as the autoscaler reports it."""

    group: str
    reason: str


class TypeRefusal(msgspec.Struct, frozen=True):
    """The reason why a pool would not create a node of an instance type.

    "price" means that the type would help, but another one costs less.
    """

    pool: str
    instance_type: str
    reason: Literal["requirements", "resources", "offering", "price"]
    price: float | None = None


class PodAnswer(msgspec.Struct):
    """A pending pod. `place`: the group or pool of its new node, or an existing node; "" if it gets none.

    `changes`: single changes after which it would get a node; each was tried.
    """

    pod: PodKey
    outcome: Literal["new node", "existing node", "none"]
    place: str = ""
    reason: str = ""
    refusals: list[Refusal] = []
    types: list[TypeRefusal] = []
    changes: Sequence[str] = []


class NodeAnswer(msgspec.Struct, frozen=True):
    """A node and whether the autoscaler would delete or replace it now. `saves`: the price per hour that this saves.

    `reason`: why the node stays or is deleted, or the nodes that replace it.
    """

    node: NodeName
    group: str
    outcome: Literal["stays", "delete", "replace"]
    reason: str = ""
    saves: float | None = None


class MadeNode(msgspec.Struct):
    """A node that was added during the run. `pods`: the pods that were bound to it."""

    node: NodeName
    group: str
    instance_type: str
    pods: list[PodKey]


class Proof(msgspec.Struct):
    """The result of a run with the autoscaler; times are in seconds from the moment of the question.

    `ordered`: when the first nodes were requested; `placed`: when the last pod was bound, None if a pod is pending.
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
