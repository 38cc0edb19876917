"""Sample clusters in which nodes are rejected by PodTopologySpread."""

from __future__ import annotations

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
        # All domains have matching pods, so a missing domain is the minimum.
        constraint["minDomains"] = cluster.total + 1
    cluster.spec["topologySpreadConstraints"] = [{**constraint, "labelSelector": {"matchLabels": {"app": POD}}}]
