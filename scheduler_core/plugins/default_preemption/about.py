"""The texts of DefaultPreemption: its question, reasons and captions."""

from __future__ import annotations

from scheduler_core.framework.about import About, PostFilterNote, Reason, Text

ABOUT = About(
    rule=Text(
        "Evicts pods of lower priority where that makes room.",
        "如果能腾出资源，就驱逐优先级更低的 Pod。",
    ),
    reasons=(
        Reason(
            r"waiting for the preemption for this pod (?:group )?to be finished",
            Text(
                "Pods are being evicted for this pod; it is tried again when they are gone.",
                "正在为该 Pod 驱逐其他 Pod；等它们离开后会再次尝试。",
            ),
            Text("Which pod that is.", "是哪个 Pod。"),
        ),
    ),
    post_filter_notes=(
        PostFilterNote(
            r"found a potential placement for pod on node \S+, preempting \d+ victims",
            Text(
                "Evicting these pods makes room on that node. The pod waits until they are gone.",
                "驱逐这些 Pod 会在该节点上腾出空间。这个 Pod 等待它们离开。",
            ),
        ),
        PostFilterNote(
            r"Preemption is not helpful for scheduling",
            Text(
                "Evicting pods would not change why these nodes were rejected.",
                "即使驱逐 Pod，这些节点被拒绝的原因也不会改变。",
            ),
        ),
        PostFilterNote(
            r"No preemption victims found for incoming (?:pod|preemptor)\.?"
            r"|No victims found on node .* for preemptor .*",
            Text(
                "On these nodes no pod has a lower priority, or evicting them all would not be enough.",
                "这些节点上没有优先级更低的 Pod，或者全部驱逐也不够。",
            ),
        ),
        PostFilterNote(
            r"Insufficient \S+|Too many pods",
            Text(
                "Even without all pods of lower priority these nodes have too little.",
                "即使没有优先级更低的 Pod，这些节点的资源也不够。",
            ),
        ),
        PostFilterNote(
            r"not eligible due to preemptionPolicy ?= ?Never",
            Text(
                "The pod's preemptionPolicy is Never: it evicts nobody.",
                "该 Pod 的 preemptionPolicy 为 Never：它不会驱逐任何 Pod。",
            ),
        ),
        PostFilterNote(
            r"not eligible due to (?:a )?terminating pod.*",
            Text(
                "Pods that were evicted for this pod are still going: no others are.",
                "为该 Pod 驱逐的 Pod 还在终止中：不会再驱逐其他 Pod。",
            ),
        ),
        PostFilterNote(
            r"not eligible due to .*|pod group for pod not found",
            Text(
                "The pod is placed together with its group, and evicts nobody alone.",
                "该 Pod 与所在的组一起调度，不会单独驱逐其他 Pod。",
            ),
        ),
    ),
    captions={
        "next.PodGated.*": Text("{pod} has to wait for its own preemption.", "{pod} 要等自己的抢占完成。"),
        "queue.gated.*": Text(
            "{pod} is held back: its victims are still being deleted.", "{pod} 暂不放行：它的牺牲者还在删除中。"
        ),
        "queue.gated.*.why": Text(
            "{plugin} keeps it out of activeQ until the last deletion for {pod} is sent.",
            "{plugin} 不让它进入 activeQ，直到为 {pod} 发出最后一个删除请求。",
        ),
    },
)
