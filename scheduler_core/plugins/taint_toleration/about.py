"""The texts of TaintToleration: its question, reasons and captions."""

from __future__ import annotations

import re

from scheduler_core.framework.about import About, Reason, Text
from scheduler_core.framework.starter import Manifest, StarterCluster

_TAINT = re.compile(r"taint \{(?P<key>[^:{}]+): ?(?P<value>[^{}]*)\}")
_EVICTING = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


def taint(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    match = _TAINT.search(reason)
    key, value = (match["key"], match["value"].strip()) if match else ("dedicated", "others")
    effect = "NoExecute" if key in _EVICTING else "NoSchedule"
    for node in nodes:
        node["spec"] = {"taints": [{"key": key, "effect": effect, **({"value": value} if value else {})}]}


ABOUT = About(
    question=Text("Taints?", "污点？"),
    score=Text("Taints", "污点"),
    rule=Text(
        "Each NoSchedule or NoExecute taint of a node needs a toleration of the pod. "
        "PreferNoSchedule taints cost points.",
        "节点的每个 NoSchedule 或 NoExecute 污点，都需要 Pod 有相应的容忍度。PreferNoSchedule 污点只扣分。",
    ),
    blocker=Text("Taints that it does not tolerate", "有不能容忍的污点"),
    colour=0,
    looks_at=("tolerates",),
    reasons=(
        Reason(
            r"node\(s\) had (?:untolerated )?taints? \{(?P<taint>[^}]*)\}(?:,? that the pod didn't tolerate)?",
            Text(
                "The node has a taint with NoSchedule or NoExecute, and the pod has no toleration for it.",
                "节点带有 NoSchedule 或 NoExecute 污点，而 Pod 没有对应的容忍度。",
            ),
            Text(
                "Only the first such taint of a node is named; there may be more.",
                "每个节点只写出第一个这样的污点，可能还有别的。",
            ),
            lesson="taints-and-tolerations",
            kind="taint",
            short=Text("taint {taint}", "污点 {taint}"),
            starter=taint,
            about_nodes=True,
        ),
        Reason(
            r"node\(s\) had (?:untolerated )?taint(?:s|\(s\))?(?:,? that the pod didn't tolerate)?",
            Text(
                "The node has a taint with NoSchedule or NoExecute, and the pod has no toleration for it.",
                "节点带有 NoSchedule 或 NoExecute 污点，而 Pod 没有对应的容忍度。",
            ),
            Text(
                "Only the first such taint of a node is named; there may be more.",
                "每个节点只写出第一个这样的污点，可能还有别的。",
            ),
            lesson="taints-and-tolerations",
            kind="taints",
            short=Text("a taint it does not tolerate", "有未被容忍的污点"),
            starter=taint,
            about_nodes=True,
        ),
    ),
    captions={
        "filter.*.none": Text(
            "No taint keeps {pod} away: {all} {left|passes|pass}.", "没有 {pod} 不容忍的污点：{all}{left|=1:|都}通过。"
        ),
        "filter.*.none.why": Text(
            "Soft taints (PreferNoSchedule) only cost points later.", "软性污点（PreferNoSchedule）只会在打分时扣分。"
        ),
        "filter.*.taint.one": Text(
            "{node} has the taint {taint}, which {pod} does not tolerate.", "{node} 有污点 {taint}，{pod} 不容忍它。"
        ),
        "filter.*.one": Text(
            "{node} has the taint {taint}, which {pod} does not tolerate.", "{node} 有污点 {taint}，{pod} 不容忍它。"
        ),
        "filter.*.many": Text(
            "{n} nodes have taints that {pod} does not tolerate, such as {taint}.",
            "{n} 个节点有 {pod} 不容忍的污点，例如 {taint}。",
        ),
        "filter.*.taints.one": Text(
            "{node} has a taint that {pod} does not tolerate.", "{node} 有 {pod} 不容忍的污点。"
        ),
        "filter.*.taints.many": Text(
            "{n} nodes have taints that {pod} does not tolerate.", "{n} 个节点有 {pod} 不容忍的污点。"
        ),
        "filter.*.why": Text("{pod} has no toleration for it.", "{pod} 没有相应的容忍度。"),
        "scored.*.same": Text(
            "No soft taint costs points: {top} for every node.", "没有软性污点扣分：每个节点都得 {top} 分。"
        ),
        "scored.*.cost": Text(
            "A soft taint costs {worst} all {top} {top|point|points}.", "软性污点让 {worst} 失去全部 {top} 分。"
        ),
        "scored.*.best": Text(
            "Soft taints cost points: {nodes} {n|keeps|keep} {top}, the lowest gets {low}.",
            "软性污点扣分：{nodes} 保住 {top} 分，最低的得 {low} 分。",
        ),
        "next.filter.*": Text("TaintToleration looks at the taints.", "TaintToleration 查看污点。"),
        "stop.*.taint": Text("taint {taint}|{pod} has no toleration", "污点 {taint}|{pod} 没有容忍度"),
        "stop.*.rest": Text("{pod} has no toleration", "{pod} 没有容忍度"),
    },
)
