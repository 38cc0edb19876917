"""The texts of VolumeZone: its question, reasons and captions."""

from __future__ import annotations

from scheduler_core.framework.about import About, Reason, Text
from scheduler_core.plugins.volumes import starters

ABOUT = About(
    question=Text("Volume zone?", "卷可用区？"),
    rule=Text("Bound volumes must be in the node’s zone.", "已绑定的卷必须在节点所在的可用区。"),
    blocker=Text("Its volume is in another zone", "卷在别的可用区"),
    looks_at=("claim",),
    reasons=(
        Reason(
            r"node\(s\) had no available volume zone|node\(s\) had volume zone conflict",
            Text("A volume of the pod is in another zone than the node.", "Pod 的某个卷与节点不在同一可用区。"),
            Text("Which volume, and its zone.", "是哪个卷，它在哪个可用区。"),
            lesson="volume-waits",
            kind="volumezone",
            short=Text("volume in another zone", "卷在别的可用区"),
            starter=starters.bind_in_other_zone,
        ),
        Reason(
            r"PersistentVolumeClaim(?:s)? (?:had no name|had no pv name and storageClass name|was not found: .*)"
            r"|PersistentVolume (?:had no name|was not found: .*)"
            r'|persistentvolume "[^"]+" not found'
            r"|StorageClass \S+ claimed by PersistentVolumeClaim .*"
            r"|VolumeBindingMode not set for StorageClass .*",
            Text(
                "A claim, volume or storage class of the pod is missing, or not complete.",
                "Pod 的 PVC、卷或存储类不存在，或不完整。",
            ),
            Text("Which claim that is.", "是哪一个 PVC 或资源声明。"),
            lesson="volume-waits",
        ),
    ),
    captions={
        "fact.*.volume": Text(
            "{v_volume} is in {v_volumeZones}, and {node} is not.", "{v_volume} 在 {v_volumeZones}，{node} 不在。"
        ),
        "stop.*.volume": Text(
            "{key} is {node}|{volume} is in {volumeZones}", "{key} 是 {node}|{volume} 在 {volumeZones}"
        ),
    },
)
