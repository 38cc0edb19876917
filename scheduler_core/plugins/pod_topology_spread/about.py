"""The texts of PodTopologySpread: its question, reasons and captions."""

from __future__ import annotations

from scheduler_core.framework.about import About, Reason, Text
from scheduler_core.framework.starter import POD, Manifest, StarterCluster, names_of

_KEY = "example.com/rack"
_OF_WHOLE_NODES = ("spread", "unschedulable", "taint")  # reasons that exclude all other domains


def fill_one_domain(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Put the nodes in one domain that already has two matching pods."""
    _constrain(cluster)
    names = names_of(nodes)
    for node in cluster.nodes:
        name = node["metadata"]["name"]
        if name in names:
            node["metadata"]["labels"][_KEY] = "full"
        elif name not in cluster.unlabelled:
            node["metadata"]["labels"].setdefault(_KEY, name)
    for _ in range(2):
        cluster.add_neighbour(nodes[0], {"app": POD})


def remove_label(cluster: StarterCluster, nodes: list[Manifest], reason: str) -> None:
    """Remove the topology label from the nodes."""
    _constrain(cluster)
    cluster.unlabelled |= names_of(nodes)
    for node in cluster.nodes:
        name = node["metadata"]["name"]
        if name not in cluster.unlabelled:
            node["metadata"]["labels"].setdefault(_KEY, name)


def _constrain(cluster: StarterCluster) -> None:
    constraint: Manifest = {"maxSkew": 1, "topologyKey": _KEY, "whenUnsatisfiable": "DoNotSchedule"}
    if all(any(word in reason for word in _OF_WHOLE_NODES) for reason in cluster.reasons):
        constraint["minDomains"] = (
            cluster.total + 1
        )  # all domains have matching pods, so a missing domain is the minimum
    cluster.spec["topologySpreadConstraints"] = [{**constraint, "labelSelector": {"matchLabels": {"app": POD}}}]


ABOUT = About(
    question=Text("Spread?", "分布？"),
    score=Text("Spread", "分布"),
    rule=Text(
        "The number of matching pods in a domain may exceed that of the emptiest domain by at most maxSkew.",
        "一个拓扑域中匹配的 Pod 数，最多比最少的域多 maxSkew 个。",
    ),
    blocker=Text("It would spread too unevenly", "分布会过于不均"),
    colour=2,
    looks_at=(
        "labels",
        "spread",
    ),
    reasons=(
        Reason(
            r"node\(s\) didn't match pod topology spread constraints \(missing required label\)",
            Text(
                "The node lacks the label that a spread constraint names as its topologyKey.",
                "节点没有拓扑分布约束的 topologyKey 所指的标签。",
            ),
            Text("Which label.", "是哪个标签。"),
            lesson="hard-spread",
            kind="spreadlabel",
            short=Text("topology label missing", "缺少拓扑标签"),
            starter=remove_label,
            about_nodes=True,
        ),
        Reason(
            r"node\(s\) didn't match pod topology spread constraints",
            Text(
                "With the pod there, its zone (or other domain) would have more than maxSkew pods above the emptiest.",
                "放上这个 Pod 之后，该拓扑域的 Pod 数会比最少的域多出 maxSkew 以上。",
            ),
            Text(
                "How many matching pods each domain has. Domains without room for any pod count, too.",
                "每个拓扑域有多少匹配的 Pod。没有空间的域也计算在内。",
            ),
            preemption_helps=True,
            lesson="hard-spread",
            kind="spread",
            short=Text("too uneven", "分布不均"),
            starter=fill_one_domain,
            about_nodes=True,
        ),
    ),
    captions={
        "filter.*.none": Text("On {all}, {pod} would stay within maxSkew.", "{pod} 放到{all}上都不会超过 maxSkew。"),
        "filter.*.one": Text(
            "One more pod on {node} would make the spread too uneven.", "再放一个 Pod 到 {node}，分布就会过于不均。"
        ),
        "filter.*.many": Text(
            "On {n} nodes {pod} would make the spread too uneven.", "放到这 {n} 个节点上，{pod} 会让分布过于不均。"
        ),
        "filter.*.why": Text(
            "The difference to the domain with the fewest matching pods may not exceed maxSkew.",
            "与匹配 Pod 最少的拓扑域之差不能超过 maxSkew。",
        ),
        "filter.*.spreadlabel.one": Text(
            "{node} is rejected: it lacks the label by which pods are spread.", "{node} 被排除：它缺少用于分布的标签。"
        ),
        "filter.*.spreadlabel.many": Text(
            "{n} nodes are rejected: they lack the label by which pods are spread.",
            "{n} 个节点被排除：它们缺少用于分布的标签。",
        ),
        "scored.*.best": Text(
            "{nodes} {n|keeps|keep} the spread most even: {top} {top|point|points}.", "{nodes} 让分布最均匀：{top} 分。"
        ),
        "next.filter.*": Text(
            "PodTopologySpread compares how evenly pods are spread.", "PodTopologySpread 比较 Pod 分布得多均匀。"
        ),
        "fact.*.skew": Text(
            "With {pod}, {v_topologyKey} {v_domain} would hold {would} matching pods, {v_skew} more than "
            "the domain with the fewest; the limit is {v_maxSkew}.",
            "放上 {pod} 后，{v_topologyKey} {v_domain} 将有 {would} 个匹配的 Pod，比最少的域多 {v_skew} "
            "个；上限是 {v_maxSkew}。",
        ),
        "scored.*.same": Text(
            "The spread is equally even everywhere: {top} {top|point|points} each.", "分布处处一样均匀：各得 {top} 分。"
        ),
        "scored.*.cost": Text(
            "{worst} {k|makes|make} the spread most uneven and {k|misses|miss} all {top} {top|point|points}.",
            "{worst} 会让分布最不均，失去全部 {top} 分。",
        ),
        "stop.*.skew": Text(
            "skew {skew} > {maxSkew}|{would} in {domain}, fewest: {least}",
            "偏差 {skew} > {maxSkew}|{domain} 有 {would} 个，最少 {least} 个",
        ),
        "stop.*.label": Text("no label {topologyKey}|pods are spread by it", "没有标签 {topologyKey}|分布要靠它"),
        "pass.*.skew": Text("skew {skew} ≤ {maxSkew}", "偏差 {skew} ≤ {maxSkew}"),
        "pass.*.label": Text("{topologyKey} is {domain}", "{topologyKey} 是 {domain}"),
    },
)
