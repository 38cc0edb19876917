"""The texts of ImageLocality: its question, reasons and captions."""

from __future__ import annotations

from scheduler_core.framework.about import About, Text

ABOUT = About(
    score=Text("Image", "镜像"),
    rule=Text(
        "Nodes that already have the pod’s images get points, by the size of the images and how common they are.",
        "已有 Pod 镜像的节点得分，按大小和常见程度。",
    ),
    colour=6,
    captions={
        "scored.*.cost": Text(
            "{worst} would have to pull the image and {k|misses|miss} {top} {top|point|points}.",
            "{worst} 得先拉取镜像，失去 {top} 分。",
        ),
        "scored.*.best": Text(
            "{nodes} already {n|holds|hold} the image: {top} {top|point|points}.", "{nodes} 已有镜像：{top} 分。"
        ),
        "scored.*.zero": Text(
            "No node has an image that is big and common enough to count.", "没有节点已有足够大、足够常见的镜像。"
        ),
    },
)
