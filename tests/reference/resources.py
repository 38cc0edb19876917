"""NodeResourcesFit and NodeResourcesBalancedAllocation on one node, with Go's integer and float64 arithmetic.

Rules: kube-scheduler's noderesources/{fit,resource_allocation,least_allocated,most_allocated,
requested_to_capacity_ratio,balanced_allocation}.go.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from scheduler_core.apis.config import NodeResourcesBalancedAllocationArgs, NodeResourcesFitArgs, UtilizationShapePoint
from scheduler_core.apis.core import Node, Pod
from tests.reference.pod_amounts import Amounts, for_fit_score, non_zero, total

CORE = ("cpu", "memory", "ephemeral-storage")


def filter_fit(pod: Pod, node: Node, pods: Sequence[Pod], args: NodeResourcesFitArgs) -> tuple[str, tuple[str, ...]]:
    """Every resource of which too little is free; asking for more than the node has at all is unresolvable."""
    reasons, code = [], "Unschedulable"
    if len(pods) + 1 > node.allocatable.get("pods", 0):
        reasons.append("Too many pods")
    wanted = requests(pod)
    scalars = sorted(name for name in wanted if name not in (*CORE, "pods"))
    for name in (*CORE, *scalars):
        asked = wanted.get(name, 0)
        if asked <= 0 or (name in scalars and _ignored(name, args)):
            continue
        allocatable = node.allocatable.get(name, 0)
        if asked > allocatable - sum(requests(other).get(name, 0) for other in pods):
            reasons.append(f"Insufficient {name}")
            if asked > allocatable:
                code = "UnschedulableAndUnresolvable"
    return (code, tuple(reasons)) if reasons else ("Success", ())


def requests(pod: Pod) -> Amounts:
    """What the pod asks for, worked out once for each manifest."""
    return _known(pod)[0]


def _known(pod: Pod) -> tuple[Amounts, Amounts, Amounts]:
    """(requests, non-zero requests, what the scorer counts of the incoming pod)."""
    kept = _KEPT.get(id(pod.manifest))
    if kept is None or kept[0] is not pod.manifest:
        spec = pod.manifest["spec"]
        kept = _KEPT[id(pod.manifest)] = pod.manifest, (total(spec), non_zero(spec), for_fit_score(spec))
        if len(_KEPT) > 1000:
            _KEPT.clear()
    return kept[1]


_KEPT: dict[int, tuple[object, tuple[Amounts, Amounts, Amounts]]] = {}


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


def balanced_allocation_skipped(pod: Pod, args: NodeResourcesBalancedAllocationArgs) -> bool:
    """PreScore's Skip: the pod asks for none of the resources."""
    return all(requests(pod).get(resource.name, 0) == 0 for resource in args.resources)


def score_balanced_allocation(
    pod: Pod, node: Node, pods: Sequence[Pod], args: NodeResourcesBalancedAllocationArgs
) -> int:
    """100 minus a hundred times the standard deviation of the used shares, truncated."""
    fractions = []
    for resource in args.resources:
        allocatable, requested = _share(pod, node, pods, resource.name, with_defaults=False)
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


def _share(pod: Pod, node: Node, pods: Sequence[Pod], name: str, *, with_defaults: bool) -> tuple[int, int]:
    """(allocatable, requested with the pod); (0, 0) for an extended resource that the pod does not ask for."""

    def counted(p: Pod) -> int:
        return _known(p)[1 if with_defaults and name in ("cpu", "memory") else 0].get(name, 0)

    own = _known(pod)[2 if with_defaults else 0].get(name, 0)
    if name not in CORE and own == 0:
        return 0, 0
    allocatable = node.allocatable.get(name, 0)
    return allocatable, own + sum(counted(p) for p in pods) if allocatable else 0
