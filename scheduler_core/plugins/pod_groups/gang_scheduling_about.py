"""The texts of GangScheduling: its question, reasons and captions."""

from __future__ import annotations

from scheduler_core.framework.about import About, Reason, Text
from scheduler_core.framework.starter import Manifest, StarterCluster, manifest


def leave_gang_incomplete(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Make the pod a member of a gang of two."""
    cluster.feature_gates |= {"GenericWorkload": True, "GangScheduling": True}
    policy = {"schedulingPolicy": {"gang": {"minCount": 2}}}
    cluster.objects.append(manifest("scheduling.k8s.io/v1alpha2", "PodGroup", "group", spec=policy))
    cluster.spec["schedulingGroup"] = {"podGroupName": "group"}


ABOUT = About(
    reasons=(
        Reason(
            r"waiting for minCount pods from a gang to appear in scheduling queue"
            r"|waiting for pods's pod group .* to appear in scheduling queue",
            Text(
                "The pod belongs to a group of which too few pods are there yet: none of them is tried.",
                "该 Pod 属于一个组，组里的 Pod 还没有到齐；到齐之前一个也不会尝试。",
            ),
            Text("How many there are, and how many it takes (minCount).", "已有几个，以及需要几个（minCount）。"),
            lesson="gang-waits",
            starter=leave_gang_incomplete,
        ),
        Reason(
            r"waiting for minCount pods from a gang to be scheduled",
            Text(
                "The pod belongs to a group, and a node was found for fewer of its pods than minCount: none is bound.",
                "该 Pod 属于一个组，组里找到节点的 Pod 少于 minCount，因此一个也不绑定。",
            ),
            Text(
                "How many have a node, and why the others have none: see their messages.",
                "有几个找到了节点，其余的为什么没有：请看它们各自的消息。",
            ),
            lesson="gang-too-big",
            starter=leave_gang_incomplete,
        ),
    ),
    captions={
        "next.PodGated.*": Text("Are enough members of {pod}'s group here?", "{pod} 的组到齐了吗？"),
        "queue.gated.*": Text(
            "{pod} is held back until its group has {min} members.", "{pod} 暂不调度，要等它的组有 {min} 个成员。"
        ),
        "queue.gated.*.basic": Text(
            "{pod} is held back until its PodGroup exists.", "{pod} 暂不调度，要等它的 PodGroup 存在。"
        ),
    },
)
