"""The texts of NodeName: its question, reasons and captions."""

from __future__ import annotations

from scheduler_core.framework.about import About, Reason, Text

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
