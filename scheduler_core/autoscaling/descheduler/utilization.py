"""LowNodeUtilization and HighNodeUtilization (pkg/framework/plugins/nodeutilization)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from scheduler_core.apis.core import Node, Pod
from scheduler_core.apis.qos import QOS, qos_class
from scheduler_core.autoscaling.descheduler.evictor import PREFER_NO_EVICTION, Evictor, NodeLimit
from scheduler_core.plugins.taint_toleration.rule import tolerates

BASIC = ("cpu", "memory", "pods")
Amounts = dict[str, float]


class NodeUsage(msgspec.Struct):
    """A node with the requests of its pods, its limit for each resource, and its pods."""

    node: Node
    used: Amounts
    limit: Amounts
    pods: list[Pod]


def low_node_utilization(args: Mapping[str, Any], nodes: Sequence[Node], evictor: Evictor) -> None:
    """Evict pods from nodes above a target while nodes below all thresholds have room. Raises TotalLimit."""
    thresholds, targets = args.get("thresholds") or {}, args.get("targetThresholds") or {}
    names = list(dict.fromkeys([*thresholds, *BASIC]))
    usages = {node.name: _used(evictor.pods_on(node), names) for node in nodes}
    percent = {node.name: _percent(usages[node.name], node) for node in nodes}
    if args.get("useDeviationThresholds"):
        mean = {name: sum(percent[node.name][name] for node in nodes) / len(nodes) for name in thresholds}
        thresholds = {name: _clamp(mean[name] - points) for name, points in thresholds.items()}
        targets = {name: _clamp(mean[name] + points) for name, points in targets.items() if name in mean}
    low, high = [], []
    for node in nodes:
        share = percent[node.name]
        usage = NodeUsage(node, usages[node.name], _limit(node, targets, names), evictor.pods_on(node))
        if not node.unschedulable and all(share[name] <= limit for name, limit in thresholds.items()):
            low.append(usage)
        elif any(share.get(name, 0.0) > limit for name, limit in targets.items()):
            high.append(usage)
    if not low or len(low) <= (args.get("numberOfNodes") or 0) or len(low) == len(nodes) or not high:
        return

    def goes_on(usage: NodeUsage, room: Amounts) -> bool:
        above = any(amount > usage.limit[name] for name, amount in usage.used.items())
        return above and all(amount > 0 for amount in room.values())

    high.sort(key=_size, reverse=True)
    most = (args.get("evictionLimits") or {}).get("node")
    _evict_from(high, low, names, args, evictor, "LowNodeUtilization", goes_on, most)


def high_node_utilization(args: Mapping[str, Any], nodes: Sequence[Node], evictor: Evictor) -> None:
    """Evict pods from nodes below all thresholds while the other nodes have room. Raises TotalLimit."""
    thresholds = args.get("thresholds") or {}
    names = list(dict.fromkeys([*thresholds, *BASIC]))
    low, others = [], []
    for node in nodes:
        usage = NodeUsage(node, _used(evictor.pods_on(node), names), _limit(node, {}, names), evictor.pods_on(node))
        share = _percent(usage.used, node)
        if all(share[name] <= limit for name, limit in thresholds.items()):
            low.append(usage)
        elif not node.unschedulable:
            others.append(usage)
    if not low or len(low) <= (args.get("numberOfNodes") or 0) or len(low) == len(nodes) or not others:
        return
    only = thresholds if "OnlyThresholdingResources" in (args.get("evictionModes") or ()) else None

    def goes_on(usage: NodeUsage, room: Amounts) -> bool:
        return all(amount > 0 for amount in room.values())

    low.sort(key=_size)
    _evict_from(low, others, names, args, evictor, "HighNodeUtilization", goes_on, None, only)


def _evict_from(
    sources: Sequence[NodeUsage],
    destinations: Sequence[NodeUsage],
    names: Sequence[str],
    args: Mapping[str, Any],
    evictor: Evictor,
    strategy: str,
    goes_on: Callable[[NodeUsage, Amounts], bool],
    most: int | None,
    only: Mapping[str, Any] | None = None,
) -> None:
    """Evict pods from the sources while there is room on the destinations. Raises TotalLimit."""
    room = {name: sum(to.limit[name] - to.used[name] for to in destinations) for name in names}
    excluded = (args.get("evictableNamespaces") or {}).get("exclude") or ()
    for source in sources:
        pods = [pod for pod in source.pods if evictor.is_evictable(pod)]
        if only is not None:
            pods = [pod for pod in pods if any(pod.requests.get(name) for name in only)]
        if not pods or not goes_on(source, room):
            continue
        evicted = 0
        for pod in sorted(pods, key=eviction_order):
            if most is not None and evicted >= most:
                break
            if not any(_tolerates_all_taints(pod, to.node) for to in destinations) or pod.namespace in excluded:
                continue
            if not evictor.passes_pre_eviction(pod):
                continue
            try:
                if not evictor.evict(pod, strategy):
                    continue
            except NodeLimit:
                break
            evicted += 1
            for name in names:
                amount = 1 if name == "pods" else pod.requests.get(name, 0)
                source.used[name] -= amount
                room[name] -= amount
            if not goes_on(source, room):
                break


def eviction_order(pod: Pod) -> tuple[int, int, bool]:
    """Return a sort key: low priorities first, then by QoS class, then those without prefer-no-eviction."""
    return pod.priority, QOS.index(qos_class(pod.manifest.get("spec") or {})), PREFER_NO_EVICTION in pod.annotations


def _tolerates_all_taints(pod: Pod, node: Node) -> bool:
    """Return whether the pod tolerates all taints, also those that only say what is preferred (PodToleratesTaints).

    It needs as many tolerations as there are taints.
    """
    return len(pod.tolerations) >= len(node.taints) and all(tolerates(pod.tolerations, taint) for taint in node.taints)


def _used(pods: Sequence[Pod], names: Sequence[str]) -> Amounts:
    return {name: len(pods) if name == "pods" else sum(pod.requests.get(name, 0) for pod in pods) for name in names}


def _percent(used: Amounts, node: Node) -> Amounts:
    return {
        name: 100.0 * amount / node.allocatable[name] if node.allocatable.get(name) else 0.0
        for name, amount in used.items()
    }


def _limit(node: Node, targets: Mapping[str, float], names: Sequence[str]) -> Amounts:
    """Return the amount of each resource that may be used; all of a resource without a target."""
    return {name: int(targets.get(name, 100.0) * 0.01 * node.allocatable.get(name, 0)) for name in names}


def _clamp(percent: float) -> float:
    return min(max(percent, 0.0), 100.0)


def _size(usage: NodeUsage) -> float:
    """Return the sum of millicores, bytes and other amounts, by which nodes are sorted (sortNodesByUsage)."""
    return sum(usage.used.values())
