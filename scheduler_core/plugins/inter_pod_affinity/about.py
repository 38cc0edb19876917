"""The texts of InterPodAffinity: its question, reasons and captions."""

from __future__ import annotations

from scheduler_core.framework.about import About, Reason, Text
from scheduler_core.framework.starter import POD, Manifest, StarterCluster, names_of

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_HOST = "kubernetes.io/hostname"


def require_neighbour(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Let the pod require a pod with app=cache, which runs in another domain."""
    key = "example.com/group"
    term = {"labelSelector": {"matchLabels": {"app": "cache"}}, "topologyKey": key}
    cluster.spec.setdefault("affinity", {})["podAffinity"] = {_REQUIRED: [term]}
    names = names_of(nodes)
    others = [node for node in cluster.nodes if node["metadata"]["name"] not in names]
    for node in cluster.nodes:
        node["metadata"]["labels"][key] = "far" if node["metadata"]["name"] in names else "near"
    if others:
        cluster.add_neighbour(others[0], {"app": "cache"})


def exclude_neighbour(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Let the pod exclude pods with app=noisy, which run on the nodes."""
    term = {"labelSelector": {"matchLabels": {"app": "noisy"}}, "topologyKey": _HOST}
    cluster.spec.setdefault("affinity", {})["podAntiAffinity"] = {_REQUIRED: [term]}
    for node in nodes:
        cluster.add_neighbour(node, {"app": "noisy"})


def be_excluded(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Let a pod on the nodes exclude the pod."""
    term = {"labelSelector": {"matchLabels": {"app": POD}}, "topologyKey": _HOST}
    for node in nodes:
        cluster.add_neighbour(node, {"app": "shy"}, affinity={"podAntiAffinity": {_REQUIRED: [term]}})


ABOUT = About(
    question=Text("Neighbours?", "Pod 亲和？"),
    score=Text("Neighbours", "Pod 亲和"),
    rule=Text(
        "A pod can require, prefer or avoid other pods in the same topology domain.",
        "Pod 可以要求、偏好或排斥同一拓扑域中的其他 Pod。",
    ),
    blocker=Text("Its affinity to other pods, or theirs to it", "Pod 间亲和性或反亲和性"),
    colour=3,
    looks_at=(
        "labels",
        "near",
        "apart",
    ),
    reasons=(
        Reason(
            r"node\(s\) didn't match pod affinity rules"
            r"|node\(s\) didn't match pod affinity/anti-affinity(?: rules)?",
            Text(
                "In the node's domain there is no pod that the pod's required affinity asks for.",
                "节点所在的拓扑域中，没有 Pod 的必需亲和性所要求的 Pod。",
            ),
            Text("Which term fails, and where matching pods do run.", "是哪个条件不满足，匹配的 Pod 又在哪里运行。"),
            lesson="affinity",
            kind="affinity",
            short=Text("required neighbour missing", "缺少所需的亲和 Pod"),
            starter=require_neighbour,
            about_nodes=True,
        ),
        Reason(
            r"node\(s\) didn't match pod anti-affinity rules",
            Text(
                "In the node's domain runs a pod that the pod's required anti-affinity excludes.",
                "节点所在的拓扑域中，有 Pod 的必需反亲和性所排斥的 Pod 在运行。",
            ),
            Text("Which pod that is.", "是哪个 Pod。"),
            preemption_helps=True,
            lesson="anti-affinity",
            kind="antiaffinity",
            short=Text("unwanted neighbour", "有互斥的 Pod"),
            starter=exclude_neighbour,
            about_nodes=True,
        ),
        Reason(
            r"node\(s\) didn't satisfy existing pods anti-affinity rules",
            Text(
                "A pod that runs in the node's domain excludes this pod by its own anti-affinity.",
                "节点所在拓扑域中某个 Pod 自己的反亲和性排斥了这个 Pod。",
            ),
            Text("Which pod that is.", "是哪个 Pod。"),
            preemption_helps=True,
            lesson="anti-affinity",
            kind="existing",
            short=Text("a pod there refuses it", "那里的 Pod 排斥它"),
            starter=be_excluded,
        ),
        Reason(
            r"parsing pod: .*",
            Text("The pod's affinity cannot be read.", "无法解析该 Pod 的亲和性设置。"),
            Text("Which term is wrong: the words after the colon say how.", "错在哪一项：冒号后面的文字说明了原因。"),
        ),
    ),
    captions={
        "filter.*.none": Text(
            "The pod affinity and anti-affinity rules are satisfied for {pod}: {all} {left|passes|pass}.",
            "{pod} 的 Pod 间亲和与反亲和规则都满足：{all}{left|=1:|都}通过。",
        ),
        "filter.*.affinity.one": Text(
            "{node} is rejected: no pod in its domain matches the affinity of {pod}.",
            "{node} 被排除：它的拓扑域中没有 {pod} 的亲和规则要求的 Pod。",
        ),
        "filter.*.affinity.many": Text(
            "{n} nodes are rejected: no pod in their domains matches the affinity of {pod}.",
            "{n} 个节点被排除：它们的拓扑域中没有 {pod} 的亲和规则要求的 Pod。",
        ),
        "filter.*.antiaffinity.one": Text(
            "{node} is rejected: a pod in its domain matches the anti-affinity of {pod}.",
            "{node} 被排除：它的拓扑域中已有与 {pod} 互斥的 Pod。",
        ),
        "filter.*.antiaffinity.many": Text(
            "{n} nodes are rejected: pods in their domains match the anti-affinity of {pod}.",
            "{n} 个节点被排除：它们的拓扑域中已有与 {pod} 互斥的 Pod。",
        ),
        "filter.*.existing.one": Text(
            "{node} is rejected: the anti-affinity of a pod in its domain matches {pod}.",
            "{node} 被排除：它的拓扑域中已有 Pod 的反亲和规则排斥 {pod}。",
        ),
        "filter.*.existing.many": Text(
            "{n} nodes are rejected: the anti-affinity of pods in their domains matches {pod}.",
            "{n} 个节点被排除：它们的拓扑域中已有 Pod 的反亲和规则排斥 {pod}。",
        ),
        "scored.*.best": Text(
            "{nodes} {n|has|have} the best neighbours for {pod}: {top} {top|point|points}.",
            "{nodes} 最符合 {pod} 的 Pod 亲和偏好：{top} 分。",
        ),
        "scored.*.cost": Text(
            "{worst} {k|lacks|lack} good neighbours for {pod} and {k|misses|miss} {top} {top|point|points}.",
            "{worst} 不符合 {pod} 的 Pod 亲和偏好，失去 {top} 分。",
        ),
        "next.filter.*": Text(
            "InterPodAffinity looks at the neighbours.", "InterPodAffinity 检查 Pod 间的亲和与反亲和。"
        ),
        "scored.*.zero": Text(
            "Neighbours: no node has a pod that {pod} prefers or avoids.",
            "Pod 亲和：没有节点上有 {pod} 偏好或想避开的 Pod。",
        ),
        "stop.*.affinity": Text(
            "required neighbour missing|none in {topologyKey} {domain}",
            "缺少所需的亲和 Pod|{topologyKey} {domain} 里没有",
        ),
        "stop.*.anti-affinity": Text(
            "unwanted neighbour|{count} in {topologyKey} {domain}",
            "有互斥的 Pod|{topologyKey} {domain} 里有 {count} 个",
        ),
        "stop.*.existing-anti-affinity": Text(
            "a pod there refuses it|{count} in {topologyKey} {domain}",
            "那里的 Pod 排斥它|{topologyKey} {domain} 里有 {count} 个",
        ),
        "stop.*.label": Text(
            "no label {topologyKey}|neighbours are counted by it", "没有标签 {topologyKey}|亲和规则按它计数"
        ),
        "pass.*.affinity": Text("{count} in {topologyKey} {domain}", "{topologyKey} {domain} 有 {count} 个"),
        "pass.*.anti-affinity": Text("none here", "这里没有"),
        "pass.*.existing-anti-affinity": Text("no pod refuses it", "没有 Pod 排斥它"),
    },
)
