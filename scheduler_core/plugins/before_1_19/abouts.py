"""The texts of the plugins that exist only before 1.19: their questions and rules."""

from __future__ import annotations

from scheduler_core.framework.about import About, Text
from scheduler_core.plugins.node_resources.balanced_allocation_about import ABOUT as BALANCE
from scheduler_core.plugins.node_resources.fit_about import ABOUT as FIT
from scheduler_core.plugins.pod_topology_spread.about import ABOUT as SPREAD

GENERAL = About(
    question=Text("Room, name, ports, selector?", "余量、名称、端口、选择器？"),
    rule=Text(
        "A node must have room for the pod, free host ports, and fit its node name and its selector.",
        "节点必须有足够资源和空闲主机端口，并符合 Pod 的节点名称和选择器。",
    ),
)
LEAST_ALLOCATED = About(
    score=Text("Room", "余量"),
    rule=Text(
        "The more cpu and memory is left on a node, the more points it gets.", "节点上剩余的 CPU 和内存越多，得分越高。"
    ),
    colour=FIT.colour,
    upstream="noderesources",
)
MOST_ALLOCATED = About(
    score=Text("Fullness", "占用"),
    rule=Text(
        "The more cpu and memory of a node is in use, the more points it gets.",
        "节点上已用的 CPU 和内存越多，得分越高。",
    ),
    colour=FIT.colour,
    upstream="noderesources",
)
PREFER_AVOID_PODS = About(
    score=Text("Avoided", "回避"),
    rule=Text(
        "A node whose annotation names the pod’s controller gets no points.",
        "若节点的注解列出 Pod 的控制器，则不得分。",
    ),
    colour=BALANCE.colour,
)
SELECTOR_SPREAD = About(
    score=Text("Spread", "分布"),
    rule=Text(
        "The fewer pods of the same services and controllers are on a node and in its zone, the more points it gets.",
        "节点及其可用区中属于相同服务和控制器的 Pod 越少，得分越高。",
    ),
    colour=SPREAD.colour,
)
