"""Resource lists and requirements: converts quantities to integers, sets default requests, and computes a pod's total.

Sources: core/validation `validateResourceRequirements`, core/v1 defaults `SetDefaults_Pod`, component-helpers
`resource.PodRequests`, kube-scheduler's `PodInfo.CalculateResource`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from scheduler_core.apis.container_resources import Amounts
from scheduler_core.apis.messages import Message
from scheduler_core.apis.quantity import MAX_INT64, parse_nano
from scheduler_core.scenario.fields.names import qualified_name
from scheduler_core.scenario.reading.problems import (
    Path,
    Problems,
    forbidden,
    invalid,
    not_found,
    not_supported,
    required,
)

DEFAULT_CPU = 100  # millicores: the cpu request with which a container that has none counts in scores
DEFAULT_MEMORY = 200 * 1024 * 1024  # bytes, the same for memory

_CONTAINER_RESOURCES = ("cpu", "memory", "ephemeral-storage")
_STANDARD_RESOURCES = (*_CONTAINER_RESOURCES, "storage", "pods", "services", "persistentvolumeclaims")
_COUNTED = frozenset(("cpu", "memory", "ephemeral-storage", "pods"))


@lru_cache(maxsize=4096)
def is_native(name: str) -> bool:
    """Return whether the name has no prefix or contains kubernetes.io/ (`IsNativeResource`)."""
    return "/" not in name or "kubernetes.io/" in name


@lru_cache(maxsize=4096)
def is_extended(name: str) -> bool:
    """Return whether the resource is extended: prefixed, but not by kubernetes.io (`IsExtendedResourceName`).

    Its name must also be valid in a quota.
    """
    return not is_native(name) and not name.startswith("requests.") and not qualified_name(f"requests.{name}")


@lru_cache(maxsize=4096)
def is_scalar(name: str) -> bool:
    """Return whether the scheduler counts the resource as a scalar one (`IsScalarResourceName`)."""
    return (
        is_extended(name)
        or name.startswith(("hugepages-", "attachable-volumes-"))
        or ("/" in name and "kubernetes.io/" in name)
    )


def is_pod_level(name: str) -> bool:
    """Return whether the resource can be set at pod level (`IsSupportedPodLevelResource`)."""
    return name in ("cpu", "memory") or name.startswith("hugepages-")


def count_amounts(resources: Amounts) -> Amounts:
    """Return the amounts that `framework.Resource.Add` counts, each at most the largest int64."""
    return {name: min(number, MAX_INT64) for name, number in resources.items() if name in _COUNTED or is_scalar(name)}


# --- validation ---


def check_quantities(resources: Mapping[str, Any] | None, path: Path, problems: Problems) -> None:
    """Check that quantities are not negative, and those of pods and extended resources whole.

    Source: `ValidateResourceQuantityValue`.
    """
    for name, quantity in (resources or {}).items():
        nano = parse_nano(str(quantity)) if quantity is not None else 0
        if nano < 0:
            problems.error((*path, name), invalid(quantity, Message("must be greater than or equal to 0")))
        elif nano % 10**9 and (name == "pods" or is_extended(name)):
            problems.error((*path, name), invalid(quantity, Message("must be an integer")))


def check_requirements(
    data: Mapping[str, Any], path: Path, problems: Problems, *, pod_level: bool = False, claims: Iterable[str] = ()
) -> None:
    """Check `resources` of a container or pod: names, quantities, requests within limits, huge pages and claims.

    `claims`: the names in the pod's `spec.resourceClaims`.
    """
    requests, limits = data.get("requests") or {}, data.get("limits") or {}
    for part, resources in (("limits", limits), ("requests", requests)):
        for name in resources:
            if reason := _name_problem(name, pod_level=pod_level):
                problems.error((*path, part, name), reason)
        check_quantities(resources, (*path, part), problems)
    for name in requests:
        _check_request(name, requests[name], limits, path, problems)
    names = {*requests, *limits}
    if any(name.startswith("hugepages-") for name in names) and not names & {"cpu", "memory"}:
        problems.error(path, forbidden(Message("HugePages require cpu or memory")))
    known = set(claims)
    for index, claim in enumerate(data.get("claims") or ()):
        if claim.get("name") not in known:
            reason = Message("must be one of the names in pod.spec.resourceClaims")
            problems.error(
                (*path, "claims", index),
                Message("{problem}: {reason}", problem=not_found(claim.get("name")), reason=reason),
            )


def _name_problem(name: str, *, pod_level: bool) -> Message | None:
    """Return the error of the name, or None (`validateContainerResourceName`, `validatePodResourceName`)."""
    if reason := qualified_name(name):
        return invalid(name, reason)
    if pod_level:
        return None if is_pod_level(name) else not_supported(name, ("cpu", "hugepages-*", "memory"))
    if "/" not in name and name not in _CONTAINER_RESOURCES and not name.startswith("hugepages-"):
        if name not in _STANDARD_RESOURCES:
            return invalid(name, Message("must be a standard resource type or fully qualified"))
        return invalid(name, Message("must be a standard resource for containers"))
    if not is_native(name) and not is_extended(name):
        return invalid(name, Message("doesn't follow extended resource name standard"))
    return None


def _check_request(name: str, request: Any, limits: Mapping[str, Any], path: Path, problems: Problems) -> None:
    overcommit = is_native(name) and not name.startswith("hugepages-")
    at = (*path, "requests", name)
    if name not in limits:
        if not overcommit:
            problems.error((*path, "limits"), required(Message("Limit must be set for non overcommitable resources")))
        return
    limit = limits[name]
    request_nano, limit_nano = parse_nano(str(request or 0)), parse_nano(str(limit or 0))
    if request_nano != limit_nano and not overcommit:
        problems.error(
            at, invalid(request, Message("must be equal to {name} limit of {limit}", name=name, limit=limit))
        )
    elif request_nano > limit_nano:
        problems.error(
            at,
            invalid(request, Message("must be less than or equal to {name} limit of {limit}", name=name, limit=limit)),
        )


# --- a pod's requests ---


# The requests of the containers, and (requests, whether it is a sidecar) of each init container, both in order.
Containers = tuple[list[Amounts], list[tuple[Amounts, bool]]]


class PodRequests:
    """The requests of a pod (`resource.PodRequests`): containers, sidecars, init containers, pod level and overhead.

    `states`: the requests of the containers, several times during a resize; of each resource, the largest sum counts.
    """

    def __init__(self, states: Sequence[Containers], pod_level: Amounts | None, overhead: Amounts) -> None:
        self._states = states
        self._containers, self._init_containers = states[0]
        self._pod_level = pod_level or {}
        self._overhead = overhead

    def total(self, missing: Amounts | None = None) -> Amounts:
        """Return the sum; `missing`: the amounts that count for a container without a request of that resource."""
        total = self._aggregate(missing)
        total.update((name, number) for name, number in self._pod_level.items() if is_pod_level(name))
        _add(total, self._overhead)
        return total

    def scoring(self) -> Amounts | None:
        """Return the requests that NodeResourcesFit's scorer counts if pod-level resources are set, otherwise None.

        kube-scheduler builds that scorer without pod-level resources, so it counts the containers with their defaults.
        """
        if not any(is_pod_level(name) for name in self._pod_level):
            return None
        total = self._aggregate({"cpu": DEFAULT_CPU, "memory": DEFAULT_MEMORY})
        _add(total, self._overhead)
        return total

    def incoming(self) -> Amounts:
        """Return the requests that the resource scorers count for the pod to be scheduled, with defaults."""
        return self.total({"cpu": DEFAULT_CPU, "memory": DEFAULT_MEMORY})

    def scored_before_1_27(self) -> tuple[Amounts, Amounts] | None:
        """Return the pod's requests in the resource scorers, with defaults and without; None without cpu overhead.

        These scorers add the cpu overhead in whole cores, rounded up, to the other cpu requests in millicores.
        """
        own = self._overhead.get("cpu", 0)
        if not own:
            return None
        requests = self.incoming(), self.total()
        for total in requests:
            total["cpu"] += -(-own // 1000) - own  # Quantity.Value
        return requests

    def non_zero_before_1_32(self) -> tuple[int, int]:
        """Return cpu and memory of a pod on a node, with defaults for missing requests (`calculateResource`).

        Sidecars count only as init containers. Units: millicores and bytes, each at most the largest int64.
        """
        missing = {"cpu": DEFAULT_CPU, "memory": DEFAULT_MEMORY}
        running: Amounts = {}
        for requests in self._containers:
            _add(running, _cpu_and_memory({**missing, **requests}))
        sidecars: Amounts = {}
        for requests, is_sidecar in self._init_containers:
            use = dict(sidecars)
            _add(use, requests)
            if is_sidecar:
                sidecars = use
            raise_to(running, _cpu_and_memory({**missing, **use}))
        _add(running, _cpu_and_memory(self._overhead))
        return min(running.get("cpu", 0), MAX_INT64), min(running.get("memory", 0), MAX_INT64)

    def before_1_19(self) -> dict[str, Any]:
        """Return the fields of Pod with its requests on nodes and in scores before 1.19, without init containers.

        `standing_requests` is None without init containers, and `scoring_requests` without those and cpu overhead: then
        `requests`, `non_zero_cpu` and `non_zero_memory` have the same amounts.
        """
        standing: Amounts = {}
        incoming: Amounts = {}
        for requests in self._containers:
            _add(standing, requests)
            _add(incoming, {"cpu": DEFAULT_CPU, "memory": DEFAULT_MEMORY, **requests})
        scored = _cpu_and_memory(incoming)
        own = self._overhead
        _add(standing, own)
        _add(scored, _cpu_and_memory(own))
        _add(incoming, {**own, "cpu": -(-own.get("cpu", 0) // 1000)})  # Quantity.Value
        return {
            "standing_requests": count_amounts(standing) if self._init_containers else None,
            "non_zero_cpu": min(scored.get("cpu", 0), MAX_INT64),
            "non_zero_memory": min(scored.get("memory", 0), MAX_INT64),
            "scoring_requests": count_amounts(incoming) if own.get("cpu") or self._init_containers else None,
            "balance_requests": None,
        }

    def non_zero(self, total: Amounts) -> tuple[int, int]:
        """Return cpu and memory with defaults for containers without a request (`getNonMissingContainerRequests`).

        `total` is the sum without defaults. With pod-level resources, there is a default only for a resource that is
        not in it. Units: millicores and bytes, each at most the largest int64.
        """
        missing = {"cpu": DEFAULT_CPU, "memory": DEFAULT_MEMORY}
        if any(is_pod_level(name) for name in self._pod_level):
            missing = {name: number for name, number in missing.items() if name not in total}
        requests = self.total(missing) if missing else total
        return min(requests.get("cpu", 0), MAX_INT64), min(requests.get("memory", 0), MAX_INT64)

    def _aggregate(self, missing: Amounts | None) -> Amounts:
        total = aggregate(*self._states[0], missing)
        for state in self._states[1:]:
            raise_to(total, aggregate(*state, missing))
        return total


def aggregate(
    containers: list[Amounts], init_containers: list[tuple[Amounts, bool]], missing: Amounts | None = None
) -> Amounts:
    """Return the requests of a pod's containers (`AggregateContainerRequests`).

    Containers and sidecars run at the same time; before them, each init container runs with the sidecars already
    started. `missing`: the amounts that count for a container without a request of that resource.
    """
    total: Amounts = {}
    for requests in containers:
        _add(total, {**missing, **requests} if missing else requests)
    sidecars: Amounts = {}
    highest: Amounts = {}
    for requests, is_sidecar in init_containers:
        own = {**missing, **requests} if missing else requests
        use = dict(sidecars)
        _add(use, own)
        if is_sidecar:
            _add(total, own)
            sidecars = use
        raise_to(highest, use)
    raise_to(total, highest)
    return total


def _cpu_and_memory(amounts: Amounts) -> Amounts:
    return {name: amounts[name] for name in ("cpu", "memory") if name in amounts}


def raise_to(total: Amounts, other: Mapping[str, int]) -> None:
    """Raise each amount in `total` to at least that in `other` (`maxResourceList`)."""
    for name, number in other.items():
        if name not in total or number > total[name]:
            total[name] = number


def _add(total: Amounts, other: Mapping[str, int]) -> None:
    for name, number in other.items():
        total[name] = total.get(name, 0) + number
