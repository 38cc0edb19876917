"""NodeResourcesFit and NodeResourcesBalancedAllocation on one node, with Go's integer and float64 arithmetic.

Rules: kube-scheduler's noderesources/{fit,resource_allocation,least_allocated,most_allocated,
requested_to_capacity_ratio,balanced_allocation}.go.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from scheduler_core.apis.config import NodeResourcesBalancedAllocationArgs, NodeResourcesFitArgs, UtilizationShapePoint
from scheduler_core.apis.core import Node, Pod, Workload
from tests.reference.framework.cluster_event import NODE_ALLOCATABLE, POD_SCALE_DOWN, Event
from tests.reference.framework.interface import (
    FITS,
    UNRESOLVABLE,
    UNSCHEDULABLE,
    Cycle,
    NodeInfo,
    NodeWithPods,
    Plugin,
    Scores,
    Verdict,
)
from tests.reference.framework.pod_requests import amounts_of, requests

CORE = ("cpu", "memory", "ephemeral-storage")


class NodeResourcesFit(Plugin):
    events = {"Node": ("Add", NODE_ALLOCATABLE), "Pod": (POD_SCALE_DOWN, "Delete")}

    def filter(self, cycle: Cycle, on: NodeInfo) -> Verdict:
        """Reject with a reason for each insufficient resource; unresolvable if a request exceeds the allocatable."""
        args, allocatable = cycle.args[self.name], on.node.allocatable
        reasons, code = [], UNSCHEDULABLE
        if len(on.pods) + 1 > allocatable.get("pods", 0):
            reasons.append("Too many pods")
        wanted = requests(cycle.pod)
        scalars = sorted(name for name in wanted if name not in (*CORE, "pods"))
        for name in (*CORE, *scalars):
            asked = wanted.get(name, 0)
            if asked <= 0 or (name in scalars and _ignored(name, args)):
                continue
            if asked > allocatable.get(name, 0) - sum(requests(other).get(name, 0) for other in on.pods):
                reasons.append(f"Insufficient {name}")
                if asked > allocatable.get(name, 0):
                    code = UNRESOLVABLE
        return (code, tuple(reasons)) if reasons else FITS

    def score(self, cycle: Cycle, feasible: Sequence[NodeWithPods]) -> Scores:
        args = cycle.args[self.name]
        raw = {node.name: fit_score(cycle.pod, node, pods, args) for node, pods in feasible}
        return Scores(raw, raw)

    def hint(self, event: Event, pod: Pod, args: Any, workloads: Sequence[Workload]) -> bool:
        if event.kind == "Node":
            return _fits_empty_node(pod, event.new) and (event.old is None or _offers_more(pod, event.old, event.new))
        if event.action == POD_SCALE_DOWN:
            itself = event.new.uid == pod.uid
            return itself or (event.new.node_name != "" and _requests_less(pod, event.old, event.new))
        return bool(event.old.node_name or event.old.nominated_node_name)


def _ignored(name: str, args: NodeResourcesFitArgs) -> bool:
    if _is_native(name):
        return False
    return name in args.ignored_resources or name.split("/")[0] in args.ignored_resource_groups


def _is_native(name: str) -> bool:
    return "/" not in name or "kubernetes.io/" in name


def _fits_empty_node(pod: Pod, node: Node) -> bool:
    enough = all(number <= node.allocatable.get(name, 0) for name, number in requests(pod).items() if number)
    return enough and node.allocatable.get("pods", 0) >= 1


def _offers_more(pod: Pod, old: Node, new: Node) -> bool:
    """Return whether the new node has more of a resource that the pod requests, or allows more pods."""
    wanted = [name for name, number in requests(pod).items() if number]
    return any(new.allocatable.get(name, 0) > old.allocatable.get(name, 0) for name in (*wanted, "pods"))


def _requests_less(pod: Pod, old: Pod, new: Pod) -> bool:
    """Return whether `new` requests less than `old` of a resource that the pod requests."""
    before, after = requests(old), requests(new)
    return any(before.get(name, 0) > after.get(name, 0) for name, number in requests(pod).items() if number)


def fit_score(pod: Pod, node: Node, pods: Sequence[Pod], args: NodeResourcesFitArgs) -> int:
    """Return the strategy's weighted mean over the resources that the node has, or 0 if it has none.

    RequestedToCapacityRatio leaves out resources whose score is 0.
    """
    total = weights = 0
    for resource in args.resources:
        allocatable, requested = _share(pod, node, pods, resource.name, with_defaults=True)
        if allocatable == 0:
            continue
        if args.strategy == "LeastAllocated":
            value = 0 if requested > allocatable else (allocatable - requested) * 100 // allocatable
        elif args.strategy == "MostAllocated":
            value = min(requested, allocatable) * 100 // allocatable
        else:
            utilization = 100 if requested > allocatable else requested * 100 // allocatable
            value = _broken_line(args.shape, utilization)
            if value <= 0:
                continue
        total += value * resource.weight
        weights += resource.weight
    if not weights:
        return 0
    if args.strategy == "RequestedToCapacityRatio":
        return math.floor(total / weights + 0.5)
    return total // weights


def _broken_line(shape: Sequence[UtilizationShapePoint], utilization: int) -> int:
    points = [(point.utilization, point.score * 10) for point in shape]
    for index, (x, y) in enumerate(points):
        if utilization <= x:
            if index == 0:
                return y
            x0, y0 = points[index - 1]
            rise = (y - y0) * (utilization - x0)
            return y0 + (rise // (x - x0) if rise >= 0 else -(-rise // (x - x0)))
    return points[-1][1]


class NodeResourcesBalancedAllocation(Plugin):
    def score(self, cycle: Cycle, feasible: Sequence[NodeWithPods]) -> Scores | None:
        """Return the scores, or None if the pod requests none of the resources."""
        pod, args = cycle.pod, cycle.args[self.name]
        if all(requests(pod).get(resource.name, 0) == 0 for resource in args.resources):
            return None
        raw = {node.name: balance_score(pod, node, pods, args) for node, pods in feasible}
        return Scores(raw, raw)


def balance_score(pod: Pod, node: Node, pods: Sequence[Pod], args: NodeResourcesBalancedAllocationArgs) -> int:
    """Return a score from 50 to 100 for the change in the node's balance; 75 if the pod changes nothing."""
    before, after = [], []
    for resource in args.resources:
        allocatable, requested = _share(pod, node, pods, resource.name, with_defaults=False)
        if allocatable:
            own = requests(pod).get(resource.name, 0)
            before.append(min((requested - own) / allocatable, 1.0))
            after.append(min(requested / allocatable, 1.0))
    return 50 + (50 + _balance(after) - _balance(before)) // 2


def _balance(fractions: Sequence[float]) -> int:
    """Return 100 times (1 - the standard deviation of the used fractions), truncated."""
    deviation = 0.0
    if len(fractions) == 2:
        deviation = abs((fractions[0] - fractions[1]) / 2)
    elif len(fractions) > 2:
        total = 0.0
        for fraction in fractions:
            total += fraction
        mean = total / len(fractions)
        squares = 0.0
        for fraction in fractions:
            squares += (fraction - mean) * (fraction - mean)
        deviation = math.sqrt(squares / len(fractions))
    return int((1 - deviation) * 100.0)


def _share(pod: Pod, node: Node, pods: Sequence[Pod], name: str, *, with_defaults: bool) -> tuple[int, int]:
    """Return (allocatable, requested by the node's pods and this pod) for a resource.

    (0, 0) if the node has none of it, or it is an extended resource that the pod does not request.
    """

    def counted(p: Pod) -> int:
        return amounts_of(p)[1 if with_defaults and name in ("cpu", "memory") else 0].get(name, 0)

    own = amounts_of(pod)[2 if with_defaults else 0].get(name, 0)
    if name not in CORE and own == 0:
        return 0, 0
    allocatable = node.allocatable.get(name, 0)
    return allocatable, own + sum(counted(p) for p in pods) if allocatable else 0
