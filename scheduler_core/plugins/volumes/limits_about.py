"""The texts of NodeVolumeLimits: its question, reasons and captions."""

from __future__ import annotations

from scheduler_core.framework.about import About, Reason, Text
from scheduler_core.plugins.volumes import starters

ABOUT = About(
    question=Text("Volume count?", "卷数量？"),
    rule=Text("A driver may limit how many volumes a node can attach.", "驱动可以限制一个节点能挂载多少卷。"),
    blocker=Text("No room for another volume", "不能再挂接卷"),
    looks_at=("claim",),
    reasons=(
        Reason(
            r"node\(s\) exceed max volume count",
            Text(
                "The node has as many volumes of a driver attached as that driver allows (CSINode).",
                "节点上某个驱动挂接的卷已达到该驱动的上限（CSINode）。",
            ),
            Text("Which driver, and its limit.", "是哪个驱动，上限是多少。"),
            preemption_helps=True,
            kind="volumecount",
            short=Text("too many volumes", "卷太多"),
            starter=starters.attach_too_many,
        ),
        Reason(
            r"\S+ CSI driver is not installed on the node",
            Text(
                "The driver of a volume of the pod does not run on the node (CSINode).",
                "Pod 某个卷的驱动没有在该节点上运行（CSINode）。",
            ),
            Text("Why it does not: see the driver's DaemonSet.", "为什么没有运行：请看该驱动的 DaemonSet。"),
        ),
    ),
    captions={
        "fact.*.driver": Text(
            "{node} may attach {v_limit} volumes, and {pod} would be one too many.",
            "{node} 最多挂载 {v_limit} 个卷，{pod} 会超出。",
        ),
        "stop.*.driver": Text(
            "{attached} + {new} > {limit} volumes|{driver}", "{attached} + {new} > {limit} 个卷|{driver}"
        ),
        "pass.*.driver": Text("{attached} + {new} ≤ {limit}", "{attached} + {new} ≤ {limit}"),
    },
)

IN_TREE = About(
    question=ABOUT.question,
    upstream="nodevolumelimits",
    rule=Text("A node has a limit for in-tree volumes of this kind.", "一个节点只能挂载有限个此类内置卷。"),
)
