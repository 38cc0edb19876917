"""NodeResourcesFit and NodeResourcesBalancedAllocation on one node, with Go's integer and float64 arithmetic.

Rules: kube-scheduler's noderesources/{fit,resource_allocation,least_allocated,most_allocated,
requested_to_capacity_ratio,balanced_allocation}.go.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from scheduler_core.config import NodeResourcesBalancedAllocationArgs, NodeResourcesFitArgs, UtilizationShapePoint
from scheduler_core.objects import Node, Pod

CORE = ("cpu", "memory", "ephemeral-storage")


def filter_fit(pod: Pod, node: Node, pods: Sequence[Pod], args: NodeResourcesFitArgs) -> tuple[str, tuple[str, ...]]:
    """Every resource of which too little is free; asking for more than the node has at all is unresolvable."""
    reasons, code = [], "Unschedulable"
    if len(pods) + 1 > node.allocatable.get("pods", 0):
        reasons.append("Too many pods")
    scalars = sorted(name for name in pod.requests if name not in (*CORE, "pods"))
    for name in (*CORE, *scalars):
        asked = pod.requests.get(name, 0)
        if asked <= 0 or (name in scalars and _ignored(name, args)):
            continue
        allocatable = node.allocatable.get(name, 0)
        if asked > allocatable - sum(other.requests.get(name, 0) for other in pods):
            reasons.append(f"Insufficient {name}")
            if asked > allocatable:
                code = "UnschedulableAndUnresolvable"
    return (code, tuple(reasons)) if reasons else ("Success", ())


def _ignored(name: str, args: NodeResourcesFitArgs) -> bool:
    if _is_native(name):
        return False
    return name in args.ignored_resources or name.split("/")[0] in args.ignored_resource_groups


def _is_native(name: str) -> bool:
    return "/" not in name or "kubernetes.io/" in name


def score_fit(pod: Pod, node: Node, pods: Sequence[Pod], args: NodeResourcesFitArgs) -> int:
    """The strategy's weighted mean over the resources that the node has."""
    total = weights = 0
    for resource in args.resources:
        allocatable, requested = _share(pod, node, pods, resource.name, non_zero=True)
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


def balanced_allocation_skipped(pod: Pod, args: NodeResourcesBalancedAllocationArgs) -> bool:
    """PreScore's Skip: the pod asks for none of the resources."""
    return all(pod.requests.get(resource.name, 0) == 0 for resource in args.resources)


def score_balanced_allocation(
    pod: Pod, node: Node, pods: Sequence[Pod], args: NodeResourcesBalancedAllocationArgs
) -> int:
    """100 minus a hundred times the standard deviation of the used shares, truncated."""
    fractions = []
    for resource in args.resources:
        allocatable, requested = _share(pod, node, pods, resource.name, non_zero=False)
        if allocatable:
            fractions.append(min(requested / allocatable, 1.0))
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


def _share(pod: Pod, node: Node, pods: Sequence[Pod], name: str, *, non_zero: bool) -> tuple[int, int]:
    """(allocatable, requested with the pod); (0, 0) for an extended resource that the pod does not ask for."""

    def asked(p: Pod) -> int:
        if non_zero and name == "cpu":
            return p.non_zero_cpu
        if non_zero and name == "memory":
            return p.non_zero_memory
        return p.requests.get(name, 0)

    if name not in CORE and asked(pod) == 0:
        return 0, 0
    allocatable = node.allocatable.get(name, 0)
    return allocatable, sum(asked(p) for p in (*pods, pod)) if allocatable else 0
