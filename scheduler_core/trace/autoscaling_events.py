"""Acts of autoscalers that are no change of an object: calls of the cloud."""

from __future__ import annotations

from scheduler_core.trace.event import Event
from scheduler_core.trace.records import NodeName


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
