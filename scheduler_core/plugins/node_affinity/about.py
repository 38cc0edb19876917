"""The texts of NodeAffinity: its question, reasons and captions."""

from __future__ import annotations

from scheduler_core.framework.about import About, Reason, Text
from scheduler_core.framework.starter import Manifest, StarterCluster, names_of

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def change_labels(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Let the pod select a label that these nodes do not have."""
    cluster.spec["nodeSelector"] = {"disk": "ssd"}
    names = names_of(nodes)
    for node in cluster.nodes:
        node["metadata"]["labels"]["disk"] = "hdd" if node["metadata"]["name"] in names else "ssd"


def enforce(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Exclude these nodes by the profile's addedAffinity."""
    key, names = "example.com/pool", names_of(nodes)
    for node in cluster.nodes:
        node["metadata"]["labels"][key] = "other" if node["metadata"]["name"] in names else "main"
    requirement = {"matchExpressions": [{"key": key, "operator": "In", "values": ["main"]}]}
    cluster.plugin_config.append(
        {"name": "NodeAffinity", "args": {"addedAffinity": {_REQUIRED: {"nodeSelectorTerms": [requirement]}}}}
    )


def pin(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Let the pod require another node by name."""
    names = names_of(nodes)
    others = (node["metadata"]["name"] for node in cluster.nodes if node["metadata"]["name"] not in names)
    _require_names(cluster, next(others, "gone"))


def contradict(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Let the pod require two nodes at once."""
    _require_names(cluster, "node-001", "node-002")


def _require_names(cluster: StarterCluster, *names: str) -> None:
    fields = [{"key": "metadata.name", "operator": "In", "values": [name]} for name in names]
    rules = cluster.spec.setdefault("affinity", {})
    rules["nodeAffinity"] = {_REQUIRED: {"nodeSelectorTerms": [{"matchFields": fields}]}}


ABOUT = About(
    question=Text("Labels?", "标签？"),
    score=Text("Labels", "标签"),
    rule=Text(
        "nodeSelector and required node affinity must match the node’s labels; preferred terms add "
        "their weight to the score.",
        "nodeSelector 和必需的节点亲和性必须匹配节点标签；偏好项把权重加到分数上。",
    ),
    blocker=Text("Labels that it asks for", "所要求的标签"),
    colour=1,
    looks_at=("node",),
    reasons=(
        Reason(
            r"node\(s\) didn't match (?:Pod's node affinity(?:/selector)?|node selector|the requested node affinity.*)",
            Text(
                "The node's labels do not match the pod's nodeSelector or required node affinity.",
                "节点的标签不满足 Pod 的 nodeSelector 或必需的节点亲和性。",
            ),
            Text(
                "Which label is missing, and which of several terms came closest.",
                "缺哪个标签，以及多个条件中哪个最接近满足。",
            ),
            lesson="node-affinity",
            kind="labels",
            short=Text("labels do not match", "标签不匹配"),
            starter=change_labels,
            about_nodes=True,
        ),
        Reason(
            r"node\(s\) didn't match scheduler-enforced node affinity",
            Text(
                "The node's labels do not match the pod's nodeSelector or required node affinity.",
                "节点的标签不满足 Pod 的 nodeSelector 或必需的节点亲和性。",
            ),
            Text(
                "Which label is missing, and which of several terms came closest.",
                "缺哪个标签，以及多个条件中哪个最接近满足。",
            ),
            lesson="node-affinity",
            kind="enforced",
            short=Text("the profile excludes it", "配置排除了它"),
            starter=enforce,
        ),
        Reason(
            r"pod affinity terms conflict",
            Text(
                "No node can match the pod's node affinity: its terms exclude each other.",
                "没有节点能满足该 Pod 的节点亲和性：其中的条件互相矛盾。",
            ),
            Text("Which terms these are.", "是哪些条件。"),
            lesson="node-affinity",
            starter=contradict,
        ),
        Reason(
            r"node\(s\) didn't satisfy plugin(?:\(s\) \[NodeAffinity\]| NodeAffinity)",
            Text(
                "The plugin said beforehand which nodes come into question at all; these are not among them.",
                "插件事先已限定了可选的节点，这些节点不在其中。",
            ),
            Text(
                "By which field of the pod: a node affinity that names nodes, or a volume that is on certain ones.",
                "依据的是 Pod 的哪个字段：指名节点的节点亲和性，还是只在某些节点上的卷。",
            ),
            starter=pin,
        ),
    ),
    captions={
        "filter.*.none": Text(
            "The labels that {pod} requires are there: {all} {left|passes|pass}.",
            "{pod} 要求的标签都有：{all}{left|=1:|都}通过。",
        ),
        "filter.*.one": Text("{node} does not have the labels that {pod} requires.", "{node} 没有 {pod} 要求的标签。"),
        "filter.*.many": Text(
            "{n} nodes lack the labels that {pod} requires: {nodes}.", "{n} 个节点没有 {pod} 要求的标签：{nodes}。"
        ),
        "filter.*.lacking": Text(
            "{nodes} {n|lacks|lack} {label}, which {pod} requires.", "{nodes} 没有 {pod} 要求的 {label}。"
        ),
        "filter.*.lacking.many": Text(
            "{n} nodes lack {label}, which {pod} requires.", "{n} 个节点没有 {pod} 要求的 {label}。"
        ),
        "filter.*.nobody": Text("No node of the cluster has {label}.", "集群中没有节点有 {label}。"),
        "scored.*.best": Text(
            "{nodes} {n|has|have} the preferred labels: {top} {top|point|points}, others get {low} or more.",
            "{nodes} 有偏好的标签：{top} 分，其余至少 {low} 分。",
        ),
        "scored.*.cost": Text(
            "{worst} {k|lacks|lack} the preferred labels and {k|misses|miss} {top} {top|point|points}.",
            "{worst} 没有偏好的标签，失去 {top} 分。",
        ),
        "next.filter.*": Text("NodeAffinity compares the labels.", "NodeAffinity 比较标签。"),
        "fact.*.nodeSelector": Text(
            "{node} has {v_key}={v_node}, and {pod} requires {v_wanted}.",
            "{node} 的 {v_key} 是 {v_node}，而 {pod} 要求 {v_wanted}。",
        ),
        "fact.*.none": Text(
            "{node} has no label {v_key}, and {pod} requires {v_wanted}.",
            "{node} 没有标签 {v_key}，而 {pod} 要求 {v_wanted}。",
        ),
        "fact.*.NotIn": Text(
            "{node} has {v_key}={v_node}, which {pod} excludes.", "{node} 的 {v_key} 是 {v_node}，{pod} 不接受它。"
        ),
        "stop.*.nodeSelector": Text("{key} is {node}|{pod} requires {wanted}", "{key} 是 {node}|{pod} 要求 {wanted}"),
        "stop.*.none": Text("no label {key}|{pod} requires {wanted}", "没有标签 {key}|{pod} 要求 {wanted}"),
        "stop.*.NotIn": Text("{key} is {node}|{pod} excludes that", "{key} 是 {node}|{pod} 不接受它"),
        "pass.*.nodeSelector": Text("{key} is {node}", "{key} 是 {node}"),
        "pass.*.NotIn": Text("{key} is not {wanted}", "{key} 不是 {wanted}"),
        "pass.*.any": Text("labels match", "标签匹配"),
        "sign.*.in": Text("matches", "符合"),
        "sign.*.not": Text("does not match", "不符合"),
    },
)
