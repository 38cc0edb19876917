"""Requirements of a pod besides resources, for its card: labels, affinity, spreading, volumes, ports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from scheduler_core.apis.constraints import PodAffinityTerm, Toleration
from scheduler_core.apis.core import Pod
from scheduler_core.trace.records import Wish

_OF_EVERY_POD = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")  # tolerations that admission adds


def wishes(pod: Pod) -> list[Wish]:
    """Return the pod's requirements, then its preferences, each in the order of the plugins that read them."""
    all_wishes = [*_of_nodes(pod), *_of_neighbours(pod), *_of_domains(pod), *_of_claims_and_ports(pod)]
    return sorted(all_wishes, key=lambda wish: wish.soft)


def _of_nodes(pod: Pod) -> Iterator[Wish]:
    for toleration in pod.tolerations:
        if toleration.key not in _OF_EVERY_POD:
            yield Wish("tolerates", _toleration(toleration))
    for key, value in pod.node_selector.items():
        yield Wish("node", f"{key}={value}")
    if pod.required_node_affinity is not None:
        yield Wish("node", str(pod.required_node_affinity))
    for term in pod.preferred_node_affinity:
        yield Wish("node", str(term.term), number=term.weight, soft=True)


def _of_neighbours(pod: Pod) -> Iterator[Wish]:
    yield from _terms("near", ((term, 0) for term in pod.required_affinity))
    yield from _terms("apart", ((term, 0) for term in pod.required_anti_affinity))
    yield from _terms("near", ((preferred.term, preferred.weight) for preferred in pod.preferred_affinity))
    yield from _terms("apart", ((preferred.term, preferred.weight) for preferred in pod.preferred_anti_affinity))


def _terms(kind: Literal["near", "apart"], terms: Iterable[tuple[PodAffinityTerm, int]]) -> Iterator[Wish]:
    for term, weight in terms:
        yield Wish(kind, str(term.selector), term.topology_key, weight, soft=weight > 0)


def _of_domains(pod: Pod) -> Iterator[Wish]:
    for constraint in pod.topology_spread_constraints:
        soft = constraint.when_unsatisfiable == "ScheduleAnyway"
        yield Wish("spread", str(constraint.selector), constraint.topology_key, constraint.max_skew, soft=soft)


def _of_claims_and_ports(pod: Pod) -> Iterator[Wish]:
    for volume in pod.volumes:
        if volume.claim is not None:
            yield Wish("claim", volume.claim)
    generated = dict(pod.resource_claim_statuses)
    for entry in pod.resource_claims:
        yield Wish("device", entry.claim or generated.get(entry.name) or entry.template)
    for port in pod.host_ports:
        yield Wish("port", str(port.port) if port.protocol == "TCP" else f"{port.port}/{port.protocol}")


def _toleration(toleration: Toleration) -> str:
    value = f"={toleration.value}" if toleration.operator == "Equal" and toleration.value else ""
    return f"{toleration.key or '*'}{value}" + (f":{toleration.effect}" if toleration.effect else "")
