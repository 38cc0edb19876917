"""The texts of SchedulingGates: its question, reasons and captions."""

from __future__ import annotations

import re

from scheduler_core.framework.about import About, Reason, Text
from scheduler_core.framework.starter import Manifest, StarterCluster


def add_gates(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Add the scheduling gates that the message names."""
    match = re.search(r"\[([^\[\]]+)\]", reason)
    names = (match[1] if match else "example.com/gate").split()
    cluster.spec["schedulingGates"] = [{"name": name} for name in names]


ABOUT = About(
    blocker=Text("Scheduling gates", "调度门控"),
    reasons=(
        Reason(
            r"Scheduling is blocked due to non-empty scheduling gates.*|waiting for scheduling gates: .*",
            Text(
                "The pod has scheduling gates: it is not tried before all of them are removed.",
                "Pod 设有调度门控：在全部移除之前不会尝试调度。",
            ),
            Text("Which controller is to remove them.", "应由哪个控制器移除它们。"),
            lesson="scheduling-gates",
            starter=add_gates,
        ),
    ),
    captions={
        "queue.gated.*": Text(
            "{pod} is held back until its scheduling {n|gate|gates} {gates} {n|is|are} removed.",
            "{pod} 暂不调度，要等调度门控 {gates} 被移除。",
        ),
    },
)
