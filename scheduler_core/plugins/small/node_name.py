"""NodeName: a pod that names its node can only be scheduled there (kube-scheduler: plugins/nodename)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scheduler_core.apis.core import Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.about import About, Reason, Text
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

ABOUT = About(
    question=Text("Named?", "指定？"),
    rule=Text("A pod may name one node; then only that one fits.", "Pod 可以指定节点名称；那样只有该节点合适。"),
    blocker=Text("It names another node", "指定了另一个节点"),
    reasons=(
        Reason(
            r"node\(s\) didn't match the requested (?:node name|hostname)(?:, .*)?",
            Text("The pod names another node in spec.nodeName.", "Pod 在 spec.nodeName 中指定了另一个节点。"),
            Text("Which nodes these are.", "是哪些节点。"),
            lesson="node-affinity",
            kind="name",
            short=Text("another node was named", "指定了别的节点"),
        ),
    ),
    captions={
        "filter.*.none": Text(
            "{pod} does not name a node, so {all} {left|passes|pass}.",
            "{pod} 没有指定节点名称，{all}{left|=1:|都}通过。",
        ),
        "filter.*.none.why": Text("spec.nodeName is empty.", "spec.nodeName 为空。"),
        "filter.*.one": Text(
            "{node} is rejected: {pod} names another node.", "{node} 被排除：{pod} 指定了另一个节点。"
        ),
        "filter.*.many": Text(
            "{n} nodes are rejected: {pod} names one node.", "{n} 个节点被排除：{pod} 指定了一个节点。"
        ),
        "next.filter.*": Text("NodeName: did the pod ask for one particular node?", "NodeName：Pod 指定了某个节点吗？"),
        "pass.*": Text("any", "任意"),
    },
)

NO_MATCH = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("node(s) didn't match the requested node name",))


class NodeName(FilterPlugin, EnqueueExtensions, ExplainsFilter, SignPlugin):
    """Accepts all pods: pending pods have no `spec.nodeName`."""

    name = "NodeName"
    about = ABOUT
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
