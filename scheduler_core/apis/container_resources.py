"""Resource lists of containers in manifests, as integers in the scheduler's units."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from scheduler_core.apis.quantity import milli_value, parse_nano, value

Amounts = dict[str, int]  # cpu in millicores, everything else in whole units


@lru_cache(maxsize=65536)
def amount(name: str, quantity: str) -> int:
    """Return a quantity in millicores for cpu, else in whole units, rounded away from zero. Raises QuantityError."""
    nano = parse_nano(quantity)
    return milli_value(nano) if name == "cpu" else value(nano)


def without_null(resources: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a resource list in which a null quantity is 0, as in Go; {} for None."""
    return {name: 0 if quantity is None else quantity for name, quantity in (resources or {}).items()}


def amounts(resources: Mapping[str, Any] | None) -> Amounts:
    """Return a resource list as integers (`amount`). A null quantity is 0, as in Go. Raises QuantityError."""
    if not resources:
        return {}
    return {name: amount(name, str(quantity)) if quantity is not None else 0 for name, quantity in resources.items()}


def requests_or_limits(resources: Mapping[str, Any]) -> Amounts:
    """Return the requests of a container; a missing request defaults to the limit (`SetDefaults_Pod`)."""
    requests, limits = resources.get("requests"), resources.get("limits")
    if not limits:
        return amounts(requests)
    return {**amounts(limits), **amounts(requests)}


def is_sidecar(container: Mapping[str, Any]) -> bool:
    """Return whether an init container keeps running alongside the pod's containers."""
    return container.get("restartPolicy") == "Always"
