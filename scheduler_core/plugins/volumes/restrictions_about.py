"""The texts of VolumeRestrictions: its question, reasons and captions."""

from __future__ import annotations

from scheduler_core.framework.about import About, Reason, Text
from scheduler_core.plugins.volumes import starters

ABOUT = About(
    question=Text("Volume use?", "卷用途？"),
    rule=Text("Some volumes can be used by one pod or one node only.", "有些卷只能由一个 Pod 或一个节点使用。"),
    blocker=Text("Its disk is in use", "磁盘正被使用"),
    looks_at=("claim",),
    reasons=(
        Reason(
            r"node\(s\) had no available disk",
            Text("Another pod has the disk, and it cannot be shared.", "磁盘正被另一个 Pod 使用，且不能共享。"),
            Text("Which pod has it.", "被哪个 Pod 使用。"),
            preemption_helps=True,
            kind="disk",
            short=Text("disk in use", "磁盘被占用"),
            starter=starters.share_disk,
        ),
        Reason(
            r"node\(s\) unavailable due to PersistentVolumeClaim with ReadWriteOncePod.*"
            r"|node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
            Text(
                "Another pod uses the claim, and its access mode ReadWriteOncePod allows one pod only.",
                "另一个 Pod 正在使用这个 PVC，而访问模式 ReadWriteOncePod 只允许一个 Pod 使用。",
            ),
            Text("Which pod has it.", "被哪个 Pod 使用。"),
            preemption_helps=True,
            kind="inuse",
            short=Text("volume in use", "卷被占用"),
            starter=starters.use_claim_of_one_pod,
        ),
    ),
)
