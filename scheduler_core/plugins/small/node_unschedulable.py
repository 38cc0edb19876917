"""NodeUnschedulable: a cordoned node takes no new pods (kube-scheduler: plugins/nodeunschedulable)."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.apis.constraints import Taint
from scheduler_core.apis.core import Node, Pod
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
    QueueingHint,
    Reads,
    RegisteredEvent,
    Rows,
    SignPlugin,
    Status,
    Verdicts,
)
from scheduler_core.framework.starter import Manifest, StarterCluster
from scheduler_core.plugins.helpers.signing import by_tolerations
from scheduler_core.plugins.taint_toleration.rule import tolerates


def cordon(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    for node in nodes:
        node["spec"] = {"unschedulable": True}


ABOUT = About(
    question=Text("Open?", "可调度？"),
    rule=Text(
        "A cordoned node takes only pods that tolerate the unschedulable taint.",
        "被 cordon 的节点只接受容忍 unschedulable 污点的 Pod。",
    ),
    blocker=Text("Cordoned nodes", "节点已封锁"),
    looks_at=("tolerates",),
    reasons=(
        Reason(
            r"node\(s\) were unschedulable",
            Text(
                "The node is cordoned: spec.unschedulable is true.",
                "节点已被封锁（cordon）：spec.unschedulable 为 true。",
            ),
            Text(
                "Who cordoned it. While a node is drained or upgraded, that is usual.",
                "是谁封锁的。节点在排空或升级期间通常如此。",
            ),
            lesson="cordoned-node",
            kind="cordoned",
            short=Text("cordoned", "已被 cordon"),
            starter=cordon,
            about_nodes=True,
        ),
        Reason(
            r"node\(s\) had unknown conditions|node not found|nodeinfo not found",
            Text("The node went away while the pod was tried.", "尝试调度该 Pod 时，节点已不存在。"),
            Text("Which nodes these are.", "是哪些节点。"),
        ),
    ),
    captions={
        "filter.*.none": Text(
            "No node is cordoned: {all} {left|passes|pass}.", "没有节点被 cordon：{all}{left|=1:|都}通过。"
        ),
        "filter.*.one": Text(
            "{node} is cordoned, so {pod} may not go there.", "{node} 已被 cordon，{pod} 不能放到那里。"
        ),
        "filter.*.many": Text(
            "{n} of {total} nodes are cordoned: {nodes}.", "{total} 个节点中有 {n} 个已被 cordon：{nodes}。"
        ),
        "filter.*.why": Text(
            "Its spec.unschedulable is true, and {pod} has no toleration for that.",
            "spec.unschedulable 为 true，而 {pod} 没有相应的容忍度。",
        ),
        "next.filter.*": Text("NodeUnschedulable: is a node cordoned?", "NodeUnschedulable：有节点被 cordon 吗？"),
        "filter.*.none.why": Text("spec.unschedulable is set on none of them.", "没有节点设置了 spec.unschedulable。"),
        "filter.*.tolerated": Text(
            "{pod} tolerates that {nodes} {n|is|are} cordoned: {all} {left|passes|pass}.",
            "{nodes} 已被 cordon，但 {pod} 容忍这一点：{all}{left|=1:|都}通过。",
        ),
        "filter.*.tolerated.why": Text(
            "Its tolerations cover the taint node.kubernetes.io/unschedulable.",
            "它的容忍度覆盖污点 node.kubernetes.io/unschedulable。",
        ),
        "stop.*.rest": Text("spec.unschedulable is true", "spec.unschedulable 为 true"),
    },
)

UNSCHEDULABLE_TAINT = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
UNSCHEDULABLE = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("node(s) were unschedulable",))


class NodeUnschedulable(FilterPlugin, EnqueueExtensions, ExplainsFilter, SignPlugin):
    """Rejects a cordoned node unless the pod tolerates the taint that a cordoned node would have."""

    name = "NodeUnschedulable"
    about = ABOUT
    reads = Reads(pod=("tolerations",), node=("unschedulable",))
    sign_pod = staticmethod(by_tolerations)

    def filter(self, pod: Pod, state: None, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        if tolerates(pod.tolerations, UNSCHEDULABLE_TAINT):
            return PASS
        return Verdicts.reject(nodes.unschedulable[rows], UNSCHEDULABLE)

    def events_to_register(self) -> Sequence[RegisteredEvent]:
        return (
            RegisteredEvent(ClusterEvent("Node", Action.ADD | Action.UPDATE_NODE_TAINT), _after_node_change),
            RegisteredEvent(ClusterEvent("Pod", Action.UPDATE_POD_TOLERATION), _after_toleration_change),
        )

    def explain_filter(
        self, pod: Pod, state: None, cluster: Cluster, row: int, change: Change | None = None
    ) -> list[Fact]:
        node = cluster.nodes.nodes[row]
        tolerated = tolerates(pod.tolerations, UNSCHEDULABLE_TAINT)
        why = " and the pod does not tolerate that" if not tolerated else ", which the pod tolerates"
        return [
            Fact(
                "NodeUnschedulable.unschedulable",
                left=f"{node.name} is cordoned",
                op="=",
                right="true" if node.unschedulable else "false",
                holds=tolerated or not node.unschedulable,
                values={"tolerated": "true" if tolerated else "false"},
                text=f"{node.name} is cordoned{why}." if node.unschedulable else f"{node.name} is not cordoned.",
                field="spec.unschedulable",
            )
        ]


def _after_node_change(pod: Pod, old: Node | None, new: Node) -> QueueingHint:
    """Queue the pod if the node is new or was uncordoned."""
    changed = old is None or (old.unschedulable and not new.unschedulable)
    return QueueingHint.QUEUE if changed and not new.unschedulable else QueueingHint.SKIP


def _after_toleration_change(pod: Pod, old: Pod | None, new: Pod) -> QueueingHint:
    """Queue the pod if it tolerates the taint now."""
    helps = new.uid == pod.uid and tolerates(new.tolerations, UNSCHEDULABLE_TAINT)
    return QueueingHint.QUEUE if helps else QueueingHint.SKIP
