"""NodeName: a pod that names its node can only be scheduled there (kube-scheduler: plugins/nodename)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scheduler_core.apis.core import Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.facts import Fact
from scheduler_core.framework.interface import (
    PASS,
    Action,
    Change,
    ClusterEvent,
    Code,
    EnqueueExtensions,
    ExplainsFilter,
    FilterPlugin,
    Reads,
    RegisteredEvent,
    Rows,
    SignPlugin,
    Status,
    Verdicts,
)
from scheduler_core.plugins.helpers.signing import by_node_name

NO_MATCH = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("node(s) didn't match the requested node name",))


class NodeName(FilterPlugin, EnqueueExtensions, ExplainsFilter, SignPlugin):
    """Rejects all nodes but the one in `spec.nodeName`; without one, as for most pending pods, all nodes pass."""

    name = "NodeName"
    about = AboutFile("node_name.yaml")
    reads = Reads(pod=("node_name",), node=("name",))
    sign_pod = staticmethod(by_node_name)

    def filter(self, pod: Pod, state: None, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        if not pod.node_name:
            return PASS
        matches = np.arange(len(nodes))[rows] == nodes.row_of.get(pod.node_name, -1)
        return Verdicts.reject(~matches, NO_MATCH)

    def events_to_register(self) -> Sequence[RegisteredEvent]:
        return (RegisteredEvent(ClusterEvent("Node", Action.ADD)),)

    def explain_filter(
        self, pod: Pod, state: None, cluster: Cluster, row: int, change: Change | None = None
    ) -> list[Fact]:
        node = cluster.nodes.names[row]
        holds = pod.node_name in ("", node)
        return [
            Fact(
                "NodeName.nodeName",
                left=node,
                op="=" if holds else "≠",
                right=pod.node_name or "any node",
                holds=holds,
                text=f"The pod names the node {pod.node_name}." if pod.node_name else "The pod names no node.",
                field="spec.nodeName",
            )
        ]
