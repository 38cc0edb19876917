"""Requested and allocatable amounts per node for the resource scorers (noderesources/resource_allocation.go)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.config import ResourceSpec
from scheduler_core.apis.core import Pod
from scheduler_core.cluster.nodes import CPU, MEMORY, NodeTable
from scheduler_core.framework.runtime.filters import contiguous

Amounts = NDArray[np.int64]
Exists = NDArray[np.bool_] | None  # whether each row has the resource; None: all rows have it
CORE_RESOURCES = ("cpu", "memory", "ephemeral-storage")


def is_scalar_resource(name: str) -> bool:
    """Return whether the name has a domain or starts with "hugepages-" or "attachable-volumes-"
    (`schedutil.IsScalarResourceName`).
    """
    return "/" in name or name.startswith(("hugepages-", "attachable-volumes-"))


def is_extended_resource(name: str) -> bool:
    """Return whether the name has a domain other than Kubernetes' and does not start with "requests."
    (`v1helper.IsExtendedResourceName`).
    """
    return "/" in name and "kubernetes.io/" not in name and not name.startswith("requests.")


def pod_request(pod: Pod, name: str, *, non_zero: bool) -> int:
    """Return the pod's amount of a resource; `non_zero`: 100m and 200 MiB for containers without a request.

    NodeResourcesFit's scorer uses `non_zero`; it ignores pod-level resources.
    """
    if non_zero and pod.scoring_requests is not None:
        return pod.scoring_requests.get(name, 0)
    if non_zero and name in ("cpu", "memory"):
        return pod.non_zero_cpu if name == "cpu" else pod.non_zero_memory
    return (pod.requests if non_zero or pod.balance_requests is None else pod.balance_requests).get(name, 0)


class Amount(NamedTuple):
    """A resource on some rows: requested with the pod on the node, and allocatable (1 if the node has none).

    `of_pod`: the pod's own part of the requests.
    """

    spec: ResourceSpec
    requested: Amounts
    allocatable: Amounts
    exists: Exists
    of_pod: int


def amounts(
    pod: Pod, nodes: NodeTable, rows: NDArray[np.intp], resources: Sequence[ResourceSpec], *, non_zero: bool
) -> list[Amount]:
    """Return the amounts of each resource that is scored.

    Resources that no node has, and scalar resources that the pod does not request, are left out. The scorers mask nodes
    that lack a resource.
    """
    counted, where = [], contiguous(rows, nodes.all_rows)
    for spec in resources:
        number = nodes.resources.get(spec.name)
        requested = pod_request(pod, spec.name, non_zero=non_zero)
        if number is None or number >= len(nodes.allocatable) or (requested == 0 and is_scalar_resource(spec.name)):
            continue
        used = nodes.non_zero[number] if non_zero and number in (CPU, MEMORY) else nodes.requested[number]
        allocatable, exists = nodes.allocatable[number][where], None
        if not nodes.everywhere(number):
            exists = allocatable != 0
            allocatable = np.where(exists, allocatable, 1)
        counted.append(Amount(spec, used[where] + requested, allocatable, exists, requested))
    return counted
