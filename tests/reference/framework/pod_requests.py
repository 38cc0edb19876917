"""A pod's requests, from its manifest: API defaulting, then component-helpers' PodRequests, container by container.

Rules: core/v1 defaults.go (SetDefaults_Pod), component-helpers/resource/helpers.go, PodInfo.CalculateResource and
noderesources/resource_allocation.go. Cpu in millicores rounded up, everything else in whole units rounded up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from scheduler_core.apis.core import Pod

Amounts = dict[str, int]

SUFFIXES = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "n": Fraction(1, 10**9), "u": Fraction(1, 10**6),
            "m": Fraction(1, 1000), "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}  # fmt: skip
DEFAULTS = {"cpu": 100, "memory": 200 * 2**20}


def requests(pod: Pod) -> Amounts:
    """Return the pod's requests."""
    return amounts_of(pod)[0]


def amounts_of(pod: Pod) -> tuple[Amounts, Amounts, Amounts]:
    """Return (requests, non-zero requests, requests for the scorer if this is the incoming pod), cached by manifest."""
    kept = _KEPT.get(id(pod.manifest))
    if kept is None or kept[0] is not pod.manifest:
        spec = pod.manifest["spec"]
        kept = _KEPT[id(pod.manifest)] = pod.manifest, (total(spec), non_zero(spec), for_fit_score(spec))
        if len(_KEPT) > 1000:
            _KEPT.clear()
    return kept[1]


_KEPT: dict[int, tuple[object, tuple[Amounts, Amounts, Amounts]]] = {}


@lru_cache(maxsize=1000)
def amount(name: str, quantity: str) -> int:
    """Return a quantity in millicores for cpu, else in whole units; rounded up."""
    suffix = next((suffix for suffix in sorted(SUFFIXES, key=len, reverse=True) if quantity.endswith(suffix)), "")
    number = Fraction(quantity.removesuffix(suffix)) * SUFFIXES.get(suffix, 1)
    return math.ceil(number * 1000) if name == "cpu" else math.ceil(number)


def requests_of(container: Mapping[str, Any], missing: Mapping[str, int]) -> Amounts:
    """Return a container's requests; where it has none, its limits, and then `missing`."""
    resources = container.get("resources") or {}
    found = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
    return {**missing, **{name: amount(name, str(quantity)) for name, quantity in found.items()}}


def of_containers(spec: Mapping[str, Any], missing: Mapping[str, int]) -> Amounts:
    """Return the sum for containers and sidecars, or the peak while init containers run if that is higher.

    An init container runs together with the sidecars that started before it.
    """
    running: Amounts = {}
    for container in spec["containers"]:
        running = added(running, requests_of(container, missing))
    sidecars: Amounts = {}
    peak: Amounts = {}
    for container in spec.get("initContainers") or ():
        mine = requests_of(container, missing)
        moment = added(sidecars, mine)
        if container.get("restartPolicy") == "Always":
            running, sidecars = added(running, mine), moment
        peak = highest(peak, moment)
    return highest(running, peak)


def of_pod_level(spec: Mapping[str, Any]) -> Amounts:
    """Return `spec.resources.requests` after defaulting.

    Only a pod with pod-level limits gets defaults: cpu and memory from the containers, then the rest from the limits.
    """
    resources = spec.get("resources") or {}
    limits, requests = resources.get("limits") or {}, dict(resources.get("requests") or {})
    found = {name: amount(name, str(quantity)) for name, quantity in requests.items()}
    if limits:
        for name, number in of_containers(spec, {}).items():
            if name in DEFAULTS:
                found.setdefault(name, number)
        for name, quantity in limits.items():
            found.setdefault(name, amount(name, str(quantity)))
    return found


def total(spec: Mapping[str, Any], missing: Mapping[str, int] | None = None, *, pod_level: bool = True) -> Amounts:
    """Return the pod's requests with its overhead (`resource.PodRequests`).

    `missing`: requests of containers that have none. `pod_level=False` leaves out pod-level resources.
    """
    found = of_containers(spec, missing or {})
    if pod_level:
        found |= of_pod_level(spec)
    overhead = {name: amount(name, str(quantity)) for name, quantity in (spec.get("overhead") or {}).items()}
    return added(found, overhead)


def non_zero(spec: Mapping[str, Any]) -> Amounts:
    """Return the requests, with cpu and memory as NodeInfo.NonZeroRequested counts them."""
    missing = dict(DEFAULTS)
    if of_pod_level(spec):
        missing = {name: number for name, number in DEFAULTS.items() if name not in total(spec)}
    return total(spec, missing)


def for_fit_score(spec: Mapping[str, Any]) -> Amounts:
    """Return the incoming pod's requests as NodeResourcesFit's scorer counts them.

    Pod-level resources are left out, and containers without cpu or memory requests get `DEFAULTS`.
    """
    return total(spec, DEFAULTS, pod_level=False)


def added(left: Amounts, right: Amounts) -> Amounts:
    return {name: left.get(name, 0) + right.get(name, 0) for name in {**left, **right}}


def highest(left: Amounts, right: Amounts) -> Amounts:
    return {name: max(left.get(name, 0), right.get(name, 0)) for name in {**left, **right}}
