"""Acts of autoscalers that are no change of an object: calls of the cloud, and what a pass found."""

from __future__ import annotations

from typing import Literal

import msgspec

from scheduler_core.apis.core import PodKey
from scheduler_core.trace.event import Event
from scheduler_core.trace.records import NodeName

MOST_OPTIONS = 30  # of an event: options, and reasons
MOST_NODES = 50
MOST_PODS = 20
MOST_TYPES = 5


class NodeGroupResized(Event, frozen=True, tag=True):
    """The cloud was asked to change the size of a node group by `delta`; `target` is the size that it now aims at.

    `nodes`: those that are deleted. `error`: why the cloud refused.
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
    """The reason that a group ("": any pool) helps none of some pods, in the actor's words."""

    group: str
    reason: str
    pods: list[PodKey]
    pod_count: int


class EvaluatedNode(msgspec.Struct, frozen=True, omit_defaults=True):
    """The judgement about a node. `moves`: where the simulation of its drain places its pods; `stranded`: the first pod
    that has no place.
    """

    node: NodeName
    outcome: Literal["stays", "unneeded", "delete", "replace"]
    reason: str = ""
    moves: list[tuple[PodKey, NodeName]] = []
    stranded: PodKey = ""


class ScaleUpEvaluated(Event, frozen=True, tag=True):
    """An autoscaler judged what new nodes would do for `waiting` pods. Lists are cut (MOST_OPTIONS and so on)."""

    part_of = "run"

    by: str
    waiting: int
    options: list[EvaluatedOption] = []
    refusals: list[EvaluatedRefusal] = []


class ScaleDownEvaluated(Event, frozen=True, tag=True):
    """An autoscaler judged which nodes could go: those that could first. `more`: the number that the list lacks.

    `replacements`: the nodes that would be made in their place.
    """

    part_of = "run"

    by: str
    nodes: list[EvaluatedNode]
    more: int = 0
    replacements: list[EvaluatedOption] = []
