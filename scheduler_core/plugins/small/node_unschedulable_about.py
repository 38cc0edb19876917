"""The texts of NodeUnschedulable: its question, reasons and captions."""

from __future__ import annotations

from scheduler_core.framework.about import About, Reason, Text
from scheduler_core.framework.starter import Manifest, StarterCluster


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
