"""The texts of VolumeBinding: its question, reasons and captions."""

from __future__ import annotations

from scheduler_core.framework.about import About, Reason, Text
from scheduler_core.plugins.volumes import starters

ABOUT = About(
    question=Text("Volumes?", "卷？"),
    score=Text("Volumes", "卷"),
    rule=Text(
        "Claims must be bound, or bindable, to volumes that this node can reach.",
        "申领必须已绑定，或可绑定到该节点能访问的卷。",
    ),
    blocker=Text("Its volume claims", "卷申领"),
    looks_at=("claim",),
    reasons=(
        Reason(
            r"node\(s\) had volume node affinity conflict" r"|node\(s\) didn't match PersistentVolume's node affinity",
            Text("A volume of the pod is bound to another node or zone.", "Pod 的某个卷绑定在别的节点或可用区。"),
            Text("Which volume, and where it is.", "是哪个卷，它在哪里。"),
            lesson="volume-waits",
            kind="volumenode",
            short=Text("volume is elsewhere", "卷在别处"),
            starter=starters.bind_elsewhere,
        ),
        Reason(
            r"node\(s\) didn't find available persistent volumes to bind",
            Text(
                "No volume that the node can reach fits the pod's claim, and none can be provisioned for it.",
                "节点能访问的卷都不符合 Pod 的申领，也无法为它制备新卷。",
            ),
            Text("Which claim, and what it lacks.", "是哪个申领，缺什么。"),
            lesson="volume-waits",
            kind="volumes",
            short=Text("no volume to bind", "没有可绑定的卷"),
            starter=starters.offer_no_volume,
        ),
        Reason(
            r"node\(s\) did not have enough free storage",
            Text(
                "No volume that the node can reach fits the pod's claim, and none can be provisioned for it.",
                "节点能访问的卷都不符合 Pod 的申领，也无法为它制备新卷。",
            ),
            Text("Which claim, and what it lacks.", "是哪个申领，缺什么。"),
            lesson="volume-waits",
            kind="storage",
            short=Text("too little storage", "存储空间不足"),
            starter=starters.offer_no_storage,
        ),
        Reason(
            r"(?:node\(s\) unavailable due to one or more )?pvc\(s\) bound to non-existent pv\(s\)",
            Text(
                "A claim of the pod is bound to a volume that does not exist.",
                "Pod 的某个 PVC 绑定到了一个不存在的卷。",
            ),
            Text("Which claim that is.", "是哪一个 PVC 或资源声明。"),
            lesson="volume-waits",
            kind="novolume",
            short=Text("its volume is missing", "卷不存在"),
            starter=starters.lose_volume,
        ),
        Reason(
            r"(?:node\(s\) )?pod has unbound immediate PersistentVolumeClaims(?:.*)",
            Text(
                "A claim of the pod is not bound, and its class binds at once, without waiting for the pod.",
                "Pod 的某个申领尚未绑定，而它的存储类是立即绑定的，不等待 Pod。",
            ),
            Text("Why the claim is not bound: see its own events.", "申领为什么没有绑定：请看它自己的事件。"),
            lesson="volume-waits",
            starter=starters.leave_unbound,
        ),
        Reason(
            r'persistentvolumeclaim "[^"]+" (?:not found|bound to non-existent.*|is being deleted|was not created .*)'
            r"|waiting for ephemeral volume controller to create the persistentvolumeclaim .*",
            Text("A claim that the pod names does not exist, or is about to go.", "Pod 所用的申领不存在，或即将删除。"),
            Text("Who was to make it.", "本该由谁创建它。"),
            lesson="volume-waits",
            starter=starters.name_no_claim,
        ),
    ),
    captions={
        "next.filter.*": Text("VolumeBinding looks for volumes.", "VolumeBinding 检查卷。"),
        "fact.*.bound": Text(
            "{node} cannot reach {v_volume}, on which {pod} keeps its data.",
            "{node} 无法访问 {v_volume}，而 {pod} 的数据在上面。",
        ),
        "fact.*.provision": Text(
            "No volume for {v_claim} can be provisioned on {node}.", "在 {node} 上无法为 {v_claim} 制备卷。"
        ),
        "stop.*.bound": Text("{volume} is elsewhere|in {nodeAffinity}", "{volume} 在别处|在 {nodeAffinity}"),
        "stop.*.provision": Text(
            "no volume for {claim}|{class} makes none here", "{claim} 没有卷|{class} 在这里不创建"
        ),
        "pass.*.bound": Text("reaches {volume}", "能访问 {volume}"),
        "pass.*.provision": Text("new volume", "新建卷"),
        "pass.*.match": Text("{volume} fits", "{volume} 合适"),
        "sign.*.in": Text("matches", "符合"),
        "sign.*.not": Text("does not match", "不符合"),
        "reserve.*.nothing": Text(
            "Reserve: VolumeBinding has nothing to reserve on {node}, since {pod} uses no claim.",
            "Reserve：{pod} 没有使用申领，VolumeBinding 无需在 {node} 上预留什么。",
        ),
        "prebind.*.nothing": Text(
            "PreBind: VolumeBinding has nothing to bind on {node}, since {pod} uses no claim.",
            "PreBind：{pod} 没有使用申领，VolumeBinding 没有卷要绑定到 {node}。",
        ),
    },
)
