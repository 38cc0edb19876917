"""The texts of NodeResourcesBalancedAllocation: its question, reasons and captions."""

from __future__ import annotations

from scheduler_core.framework.about import About, Text

ABOUT = About(
    score=Text("Balance", "均衡"),
    rule=Text(
        "The more evenly the pod would use cpu and memory, the more points; since 1.36, compared with the node "
        "without it.",
        "Pod 让 cpu 与内存用得越均匀，分数越高；从 1.36 起与放上它之前相比。",
    ),
    colour=5,
    looks_at=("requests",),
    upstream="noderesources",
    captions={
        "scored.*.best": Text(
            "Balance differs by {gap} {gap|point|points} at most; {nodes} {n|leads|lead} with {top}.",
            "均衡分最多相差 {gap} 分；{nodes} 最高，得 {top} 分。",
        ),
        "scored.*.why": Text(
            "It compares the shares of cpu and memory, not how full a node is.",
            "它比较 cpu 与内存的使用比例，不看节点有多满。",
        ),
    },
)
