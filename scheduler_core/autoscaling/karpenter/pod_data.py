"""The requirements of a pod, and their relaxation one by one while it fits nowhere.

karpenter: pkg/controllers/provisioning/scheduling/preferences.go, pkg/scheduling/requirements.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.constraints import HostPort, Taint, Toleration
from scheduler_core.apis.core import Pod
from scheduler_core.apis.requirements import Requirements, merge, of_expressions, of_labels
from scheduler_core.apis.selectors import NodeSelector
from scheduler_core.plugins.taint_toleration.rule import find_untolerated_taint

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
TOLERATES_PREFERENCES = Toleration(operator="Exists", effect="PreferNoSchedule")
EVERY_ADDRESS = frozenset(("0.0.0.0", "::"))  # noqa: S104 -- the first also of a host port without an address
Resources = Mapping[str, int]
Volumes = Sequence[Requirements]
Mounts = Mapping[str, Set[str]]  # the claims of volumes, by CSI driver


class PodData(msgspec.Struct, frozen=True, eq=False):
    """A pod as the scheduling simulation reads it. Preferences count as required until they are relaxed.

    `like` is equal for pods with the same requirements: if one of them does not fit a node, neither do the others.
    """

    pod: Pod
    requests: Resources
    requirements: Requirements
    strict_requirements: Requirements
    volumes: Volumes
    mounts: Mounts
    like: object


def pod_data(
    pod: Pod, volumes: Volumes = (), mounts: Mounts = MappingProxyType({}), *, ignores_preferences: bool = False
) -> PodData:
    """Return the requests and requirements of a pod (updateCachedPodData)."""
    terms = pod.required_node_affinity.terms[:1] if pod.required_node_affinity is not None else ()
    strict = merge(of_labels(pod.node_selector), *(of_expressions(term.match_expressions) for term in terms))
    requirements = strict
    if pod.preferred_node_affinity and not ignores_preferences:
        heaviest = max(pod.preferred_node_affinity, key=lambda preferred: preferred.weight)
        requirements = merge(
            of_labels(pod.node_selector),
            of_expressions(heaviest.term.match_expressions),
            *(of_expressions(term.match_expressions) for term in terms),
        )
    requests = requests_of([pod])
    like = (
        tuple(sorted(requests.items())),
        frozenset(requirements.values()),
        pod.tolerations,
        pod.host_ports,
        tuple(frozenset(alternative.values()) for alternative in volumes),
        frozenset((driver, *sorted(claims)) for driver, claims in mounts.items()),
    )
    return PodData(pod, requests, requirements, strict, volumes, mounts, like)


def requests_of(pods: Iterable[Pod]) -> dict[str, int]:
    """Return the sum of the pods' requests; each pod counts as 1 of the resource "pods" (RequestsForPods)."""
    total: dict[str, int] = {}
    count = 0
    for pod in pods:
        count += 1
        for name, amount in pod.requests.items():
            total[name] = total.get(name, 0) + amount
    total["pods"] = count
    return total


def add(first: Resources, second: Resources) -> dict[str, int]:
    """Return the sum of two resource lists."""
    return {name: first.get(name, 0) + second.get(name, 0) for name in {**first, **second}}


def relax(pod: Pod, *, tolerates_preferences: bool) -> Pod | None:
    """Return the pod with one preference or alternative term fewer, None if it has no more (preferences.go: Relax).

    `tolerates_preferences`: finally, the pod tolerates all PreferNoSchedule taints.
    """
    affinity = pod.required_node_affinity
    if affinity is not None and len(affinity.terms) > 1:
        return replace(pod, required_node_affinity=NodeSelector(affinity.terms[1:]))
    for field in ("preferred_affinity", "preferred_anti_affinity", "preferred_node_affinity"):
        terms = getattr(pod, field)
        if terms:
            lighter = sorted(terms, key=lambda term: -term.weight)[1:]
            return replace(pod, **{field: tuple(lighter)})
    spreads = list(pod.topology_spread_constraints)
    for index, spread in enumerate(spreads):
        if spread.when_unsatisfiable == "ScheduleAnyway":
            spreads[index] = spreads[-1]
            return replace(pod, topology_spread_constraints=tuple(spreads[:-1]))
    if tolerates_preferences and TOLERATES_PREFERENCES not in pod.tolerations:
        return replace(pod, tolerations=(*pod.tolerations, TOLERATES_PREFERENCES))
    return None


class NotTolerated(msgspec.Struct, frozen=True):
    """The taints that a pod does not tolerate."""

    taints: tuple[Taint, ...]

    def __str__(self) -> str:
        return "; ".join(f"did not tolerate taint (taint={show_taint(taint)})" for taint in self.taints)


@lru_cache(maxsize=4096)
def not_tolerated(taints: tuple[Taint, ...], tolerations: tuple[Toleration, ...]) -> NotTolerated | None:
    """Return the taints, of any effect, that are not tolerated, None if there are none (Taints.Tolerates)."""
    untolerated = tuple(taint for taint in taints if find_untolerated_taint((taint,), tolerations, EFFECTS) is not None)
    return NotTolerated(untolerated) if untolerated else None


def show_taint(taint: Taint) -> str:
    """Return a taint as Karpenter prints it."""
    return f"{taint.key}={taint.value}:{taint.effect}" if taint.value else f"{taint.key}:{taint.effect}"


def conflicting_ports(ports: Sequence[HostPort], used: Iterable[HostPort]) -> tuple[HostPort, HostPort] | None:
    """Return the first port that conflicts with a used one, and that one; None without a conflict (Conflicts)."""
    taken = list(used)
    for port in ports:
        for other in taken:
            same = (port.port, port.protocol) == (other.port, other.protocol)
            if same and (port.ip == other.ip or not EVERY_ADDRESS.isdisjoint((port.ip, other.ip))):
                return port, other
    return None


def show_conflict(port: HostPort, used: HostPort) -> str:
    """Return the conflict of a pod's host port with a used one as Karpenter prints it."""
    shown = ", ".join(
        f"{whose}-hostport-{name}={value}"
        for whose, entry in (("existing", used), ("pod", port))
        for name, value in (("ip", entry.ip), ("port", entry.port), ("protocol", entry.protocol))
    )
    return f"checking host port usage, pod hostport conflicts with existing hostport configuration ({shown})"
