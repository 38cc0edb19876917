"""Proposals about conflicts between pods: affinity, spreading, host ports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scheduler_core.ask.editing.edits import Edit, Path
from scheduler_core.ask.smallest.proposals.proposal import REQUIRED, Asked, Proposal

NO_SKEW = 2**31 - 1  # allows any skew
CONTAINERS = ("containers", "initContainers")


def node_ports(asked: Asked) -> Iterator[Proposal]:
    """Propose to remove the host ports that the pod requests."""
    for field in CONTAINERS:
        for index, one in enumerate(asked.spec.get(field) or ()):
            for number, port in enumerate(one.get("ports") or ()):
                if port.get("hostPort"):
                    edit = asked.of_pod(("spec", field, index, "ports", number, "hostPort"))
                    yield Proposal("port", [edit], str(port["hostPort"]), port["hostPort"], None, 1.0)


def inter_pod_affinity(asked: Asked) -> Iterator[Proposal]:
    """Propose to remove a required term, or a pod label that terms of other pods match, or to move the node."""
    affinity = asked.spec.get("affinity") or {}
    for kind in ("podAffinity", "podAntiAffinity"):
        terms: Sequence[Mapping[str, Any]] = (affinity.get(kind) or {}).get(REQUIRED) or []
        for index, term in enumerate(terms):
            left = [one for number, one in enumerate(terms) if number != index] or None
            edit = asked.of_pod(("spec", "affinity", kind, REQUIRED), left)
            yield Proposal("affinity", [edit], kind, str(term.get("topologyKey")), None, 1.0)
    yield from _pod_labels(asked)
    own = [term.topology_key for term in (*asked.pod.required_affinity, *asked.pod.required_anti_affinity)]
    theirs = [term.topology_key for _, anti, _, _ in asked.world.cluster.pods.term_sets for term in anti]
    for key in dict.fromkeys([*own, *theirs]):
        yield from _domains(asked, key, off=True)


def _pod_labels(asked: Asked) -> Iterator[Proposal]:
    for key, text in asked.pod.labels.items():
        yield Proposal("pod-label", [asked.of_pod(("metadata", "labels", key))], key, text, None, 0.75)


def _domains(asked: Asked, key: str, *, off: bool) -> Iterator[Proposal]:
    """Propose to move the node to each other domain, to a new domain, or (`off`) out of all domains."""
    yield from asked.labels(key)
    if off and key in asked.node.labels:
        yield asked.label(key, None)


def pod_topology_spread(asked: Asked) -> Iterator[Proposal]:
    """Propose, for each constraint, a larger maxSkew, fewer minDomains or ScheduleAnyway, or another domain for the
    node.
    """
    given: Sequence[Mapping[str, Any]] = asked.spec.get("topologySpreadConstraints") or ()
    hard = [index for index, one in enumerate(given) if one.get("whenUnsatisfiable") != "ScheduleAnyway"]
    soft = {one.get("topologyKey") for index, one in enumerate(given) if index not in hard}
    for index in hard:
        key, skew = str(given[index].get("topologyKey")), int(given[index].get("maxSkew") or 1)
        path: Path = ("spec", "topologySpreadConstraints", index)
        others = [one for one in hard if one != index]
        if key in asked.node.labels and (least := _least_skew(asked, index, skew, others)) is not None and least > skew:
            edit = asked.of_pod((*path, "maxSkew"), least)
            yield Proposal("spread", [edit], key, skew, least, 0.25 * (least - skew))
        domains = int(given[index].get("minDomains") or 1)
        for fewer in range(domains - 1, 0, -1):
            edit = asked.of_pod((*path, "minDomains"), fewer)
            if asked.answers([edit, *_without_skew(asked, others)]):
                words = f"{key} minDomains"
                yield Proposal("spread", [edit], words, domains, fewer, 0.25 * (domains - fewer))
                break
        if key not in soft:  # a topologyKey can have one soft constraint
            edits: list[Edit] = [asked.of_pod((*path, "minDomains"))] if domains > 1 else []
            edits.append(asked.of_pod((*path, "whenUnsatisfiable"), "ScheduleAnyway"))
            yield Proposal("spread", edits, key, "DoNotSchedule", "ScheduleAnyway", 1.0)
        yield from _domains(asked, key, off=False)
    yield from _pod_labels(asked)


def _least_skew(asked: Asked, index: int, skew: int, others: Sequence[int]) -> int | None:
    """Return the smallest maxSkew with which one constraint accepts the node, without the others; None if none."""
    path: Path = ("spec", "topologySpreadConstraints", index, "maxSkew")
    aside = _without_skew(asked, others)
    low, high = skew - 1, skew
    most = len(asked.world.cluster.pods.slot_of) + 1
    while not asked.answers([asked.of_pod(path, high), *aside]):
        if high > most:
            return None
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if asked.answers([asked.of_pod(path, middle), *aside]) else (middle, high)
    return high


def _without_skew(asked: Asked, constraints: Sequence[int]) -> list[Edit]:
    """Return the constraints without a limit for the skew; their topology keys still apply."""
    return [
        edit
        for index in constraints
        for edit in (
            asked.of_pod(("spec", "topologySpreadConstraints", index, "maxSkew"), NO_SKEW),
            asked.of_pod(("spec", "topologySpreadConstraints", index, "minDomains")),
        )
    ]
