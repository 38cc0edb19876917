"""The QoS class of a pod, which the API server derives from its resources (pkg/apis/core/v1/helper/qos)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scheduler_core.apis.container_resources import amounts

QOS = ("BestEffort", "Burstable", "Guaranteed")  # the lowest first
_COMPUTE = ("cpu", "memory")


def qos_class(spec: Mapping[str, Any]) -> str:
    """Return the QoS class of a pod's spec, from its pod-level resources if it has some (ComputePodQOS)."""
    if spec.get("resources"):
        resources = [spec["resources"]]
    else:
        containers = (*(spec.get("containers") or ()), *(spec.get("initContainers") or ()))
        resources = [container.get("resources") or {} for container in containers]
    limits = [amounts(entry.get("limits")) for entry in resources]
    requests = [{**bound, **amounts(entry.get("requests"))} for entry, bound in zip(resources, limits, strict=True)]
    if not any(given.get(name) for given in (*requests, *limits) for name in _COMPUTE):
        return "BestEffort"
    bounded = all(bound.get(name) for bound in limits for name in _COMPUTE)
    equal = all(
        sum(given.get(name, 0) for given in requests) == sum(bound.get(name, 0) for bound in limits)
        for name in _COMPUTE
    )
    return "Guaranteed" if bounded and equal else "Burstable"
