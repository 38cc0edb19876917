"""Actions of autoscalers that change no object: calls to the cloud, and the results of a pass."""

from __future__ import annotations

from typing import Literal

import msgspec

from scheduler_core.apis.core import PodKey
from scheduler_core.trace.event import Event
from scheduler_core.trace.records import NodeName

MOST_OPTIONS = 30  # the largest numbers in an event: of options, and of refusals
MOST_NODES = 50
MOST_PODS = 20
MOST_TYPES = 5


class NodeGroupResized(Event, frozen=True, tag=True):
    """The cloud was asked to change the size of a node group by `delta`; `target` is the size that it now aims at.

    `nodes`: the nodes that are deleted. `error`: the reason that the cloud refused.
    """

    part_of = "run"

    group: str
    delta: int
    target: int
    nodes: list[NodeName] = []
    error: str = ""


class EvaluatedOption(msgspec.Struct, frozen=True, omit_defaults=True):
    """New nodes of a group or pool that would help pods. `scores`: by expander.

    `types`: the cheapest instance types that the node may be, of `type_count`; `price`: of one node, for an hour.
    """

    group: str
    nodes: int
    pods: list[PodKey]
    pod_count: int
    chosen: bool = False
    scores: dict[str, float] = {}
    types: list[str] = []
    type_count: int = 0
    price: float | None = None


class EvaluatedRefusal(msgspec.Struct, frozen=True, omit_defaults=True):
    """The reason that new nodes of a group ("": of any pool) do not help some pods, as the autoscaler words it."""

    group: str
    reason: str
    pods: list[PodKey]
    pod_count: int


class EvaluatedNode(msgspec.Struct, frozen=True, omit_defaults=True):
    """The decision about a node. `moves`: the new nodes of its pods in a simulation; `stranded`: a pod without any."""

    node: NodeName
    outcome: Literal["stays", "unneeded", "delete", "replace"]
    reason: str = ""
    moves: list[tuple[PodKey, NodeName]] = []
    stranded: PodKey = ""


class ScaleUpEvaluated(Event, frozen=True, tag=True):
    """An autoscaler evaluated new nodes for `waiting` pods. Lists are limited (MOST_OPTIONS and so on)."""

    part_of = "run"

    by: str
    waiting: int
    options: list[EvaluatedOption] = []
    refusals: list[EvaluatedRefusal] = []


class ScaleDownEvaluated(Event, frozen=True, tag=True):
    """An autoscaler evaluated which nodes can be removed; these come first. `more`: the number of nodes left out.

    `replacements`: the nodes that would replace them.
    """

    part_of = "run"

    by: str
    nodes: list[EvaluatedNode]
    more: int = 0
    replacements: list[EvaluatedOption] = []
