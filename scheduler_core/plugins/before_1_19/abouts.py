"""The texts of the plugins that exist only before 1.19: their questions and rules."""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_core.framework.about import About, Reason, Text
from scheduler_core.plugins.node_affinity.about import ABOUT as NODE_AFFINITY
from scheduler_core.plugins.node_resources.balanced_allocation_about import ABOUT as BALANCE
from scheduler_core.plugins.node_resources.fit_about import ABOUT as FIT
from scheduler_core.plugins.pod_topology_spread.about import ABOUT as SPREAD
from scheduler_core.plugins.volumes.binding.about import ABOUT as VOLUMES
from scheduler_core.plugins.volumes.limits_about import ABOUT as LIMITS
from scheduler_core.plugins.volumes.restrictions_about import ABOUT as DISKS
from scheduler_core.plugins.volumes.zone_about import ABOUT as ZONES

GENERAL = About(
    question=Text("General?", "基本？"),
    rule=Text(
        "A node must have room for the pod, free host ports, and fit its node name and its selector.",
        "节点必须有足够资源和空闲主机端口，并符合 Pod 的节点名称和选择器。",
    ),
    looks_at=("requests", "port", "node"),
    like="NodeResourcesFit",
)
LEAST_ALLOCATED = About(
    score=Text("Room", "余量"),
    rule=Text(
        "The more cpu and memory is left on a node, the more points it gets.", "节点上剩余的 CPU 和内存越多，得分越高。"
    ),
    colour=FIT.colour,
    upstream="noderesources",
)
MAX_ALLOCATED = About(
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
NODE_LABEL = About(
    question=Text("Labels?", "标签？"),
    score=Text("Labels", "标签"),
    rule=Text(
        "A Policy lists the labels that a node must or must not have, and the labels that give it points.",
        "Policy 规定节点必须有或不得有哪些标签，以及哪些标签加分。",
    ),
    colour=NODE_AFFINITY.colour,
    upstream="nodelabel",
    reasons=(
        Reason(
            r"node\(s\) didn't have the requested labels",
            Text(
                "The scheduler was told to use only nodes with, or without, a certain label (a Policy, up to 1.22).",
                "调度器被配置为只使用带有（或不带）某个标签的节点（Policy，1.22 及以前）。",
            ),
            Text("Which label: it stands in the scheduler's configuration.", "是哪个标签：写在调度器的配置里。"),
            kind="labels",
            short=Text("labels violate the Policy", "标签不符合 Policy"),
        ),
    ),
)
SERVICE_AFFINITY = About(
    question=Text("With its service?", "与服务同处？"),
    score=Text("Service spread", "服务分布"),
    rule=Text(
        "A Policy keeps the pods of a service on nodes with equal labels, or spreads them over the values.",
        "Policy 让一个服务的 Pod 位于某些标签取值相同的节点上，或把它们分散到不同取值上。",
    ),
    colour=SPREAD.colour,
    looks_at=("labels",),
    upstream="serviceaffinity",
    reasons=(
        Reason(
            r"node\(s\) didn't match service affinity",
            Text(
                "The pods of a service were to run on nodes with the same label (a Policy, up to 1.22).",
                "同一 Service 的 Pod 应运行在标签相同的节点上（Policy，1.22 及以前）。",
            ),
            Text("Which label: it stands in the scheduler's configuration.", "是哪个标签：写在调度器的配置里。"),
            preemption_helps=True,
            kind="service",
            short=Text("not with its service", "与其 Service 不在一处"),
        ),
    ),
)
CAPACITY_RATIO = About(
    score=Text("Use", "使用率"),
    rule=Text(
        "The points follow the share of a node’s resources that is in use, by the shape of the Policy.",
        "得分按 Policy 中的曲线，由节点资源的使用率决定。",
    ),
    colour=FIT.colour,
    upstream="noderesources",
)
EQUAL = About(
    score=Text("Equal", "相同"),
    rule=Text("Every node gets one point.", "每个节点得一分。"),
    colour=BALANCE.colour,
)
VOLUME_BINDING = replace(
    VOLUMES,
    captions={
        **VOLUMES.captions,
        "reserve.*.nothing": Text(
            "{pod} uses no claim, so no volume is assumed with it on {node}.",
            "{pod} 没有使用申领，所以没有卷随它一起假定到 {node}。",
        ),
        "prebind.*.nothing": Text(
            "{pod} uses no claim, so no volume is bound before it goes to {node}.",
            "{pod} 没有使用申领，所以绑定到 {node} 之前不绑定卷。",
        ),
    },
)
DISK_CONFLICT = replace(DISKS, question=Text("Disks?", "磁盘？"))
VOLUME_ZONE = replace(ZONES, question=Text("Zone?", "可用区？"))
CSI_COUNT = replace(LIMITS, question=Text("CSI?", "CSI？"))
