"""Proposals about conflicts between pods: affinity, spreading, host ports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scheduler_core.ask.editing.edits import Edit, Path
from scheduler_core.ask.smallest.owners import HASH, is_selected_label
from scheduler_core.ask.smallest.proposals.proposal import REQUIRED, Case, Proposal

NO_SKEW = 2**31 - 1  # allows any skew
CONTAINERS = ("containers", "initContainers")


def node_ports(case: Case) -> Iterator[Proposal]:
    """Propose to remove the host ports that the pod requests."""
    for field in CONTAINERS:
        for index, container in enumerate(case.spec.get(field) or ()):
            for number, port in enumerate(container.get("ports") or ()):
                if port.get("hostPort"):
                    edit = case.of_pod(("spec", field, index, "ports", number, "hostPort"))
                    yield Proposal("port", [edit], str(port["hostPort"]), port["hostPort"], None, 1.0)


def inter_pod_affinity(case: Case) -> Iterator[Proposal]:
    """Propose to remove a required term, or a pod label that terms of other pods match, or to move the node."""
    affinity = case.spec.get("affinity") or {}
    for kind in ("podAffinity", "podAntiAffinity"):
        terms: Sequence[Mapping[str, Any]] = (affinity.get(kind) or {}).get(REQUIRED) or []
        for index, term in enumerate(terms):
            left = [term for number, term in enumerate(terms) if number != index] or None
            edit = case.of_pod(("spec", "affinity", kind, REQUIRED), left)
            yield Proposal("affinity", [edit], kind, str(term.get("topologyKey")), None, 1.0)
    yield from _pod_labels(case)
    own = [term.topology_key for term in (*case.pod.required_affinity, *case.pod.required_anti_affinity)]
    theirs = [term.topology_key for _, anti, _, _ in case.world.cluster.pods.term_sets for term in anti]
    for key in dict.fromkeys([*own, *theirs]):
        yield from _domains(case, key, off=True)


def _pod_labels(case: Case) -> Iterator[Proposal]:
    for key, text in case.pod.labels.items():
        if is_selected_label(case.pod, key, case.world.cluster):
            continue
        yield Proposal("pod-label", [case.of_pod(("metadata", "labels", key))], key, text, None, 0.75)


def _domains(case: Case, key: str, *, off: bool) -> Iterator[Proposal]:
    """Propose to move the node to each other domain, to a new domain, or (`off`) out of all domains."""
    yield from case.labels(key)
    if off and key in case.node.labels:
        yield case.label(key, None)


def pod_topology_spread(case: Case) -> Iterator[Proposal]:
    """Propose, for each constraint that rejects nodes, to count fewer domains or pods, a larger maxSkew, fewer
    minDomains, ScheduleAnyway, or another domain for the node; and to remove labels of the pod.
    """
    constraints: Sequence[Mapping[str, Any]] = case.spec.get("topologySpreadConstraints") or ()
    hard = [
        index for index, constraint in enumerate(constraints) if constraint.get("whenUnsatisfiable") != "ScheduleAnyway"
    ]
    soft = {constraint.get("topologyKey") for index, constraint in enumerate(constraints) if index not in hard}
    for index in hard:
        key, skew = str(constraints[index].get("topologyKey")), int(constraints[index].get("maxSkew") or 1)
        path: Path = ("spec", "topologySpreadConstraints", index)
        others = [other for other in hard if other != index]
        yield from _counted_less(case, index, key, others)
        if key in case.node.labels and (least := _least_skew(case, index, skew, others)) is not None and least > skew:
            edit = case.of_pod((*path, "maxSkew"), least)
            yield Proposal("spread", [edit], key, skew, least, 0.25 * (least - skew))
        domains = int(constraints[index].get("minDomains") or 1)
        for fewer in range(domains - 1, 0, -1):
            edit = case.of_pod((*path, "minDomains"), fewer)
            if case.accepts([edit, *_without_skew(case, others)]):
                words = f"{key} minDomains"
                yield Proposal("spread", [edit], words, domains, fewer, 0.25 * (domains - fewer))
                break
        if key not in soft:  # a topologyKey can have one soft constraint
            edits: list[Edit] = [case.of_pod((*path, "minDomains"))] if domains > 1 else []
            edits.append(case.of_pod((*path, "whenUnsatisfiable"), "ScheduleAnyway"))
            yield Proposal("spread", edits, key, "DoNotSchedule", "ScheduleAnyway", 1.0)
        yield from _domains(case, key, off=False)
    yield from _pod_labels(case)


def _counted_less(case: Case, index: int, key: str, others: Sequence[int]) -> Iterator[Proposal]:
    """Propose not to count nodes whose taints the pod does not tolerate, and not to count pods of other revisions."""
    constraint = case.spec["topologySpreadConstraints"][index]
    path: Path = ("spec", "topologySpreadConstraints", index)
    if constraint.get("nodeTaintsPolicy") != "Honor" and case.has_on("NodeInclusionPolicyInPodTopologySpread"):
        edit = case.of_pod((*path, "nodeTaintsPolicy"), "Honor")
        if case.accepts([edit, *_without_skew(case, others)]):
            yield Proposal("spread", [edit], f"{key} nodeTaintsPolicy", "Ignore", "Honor", 0.2)
    keys = list(constraint.get("matchLabelKeys") or ())
    if HASH in case.pod.labels and HASH not in keys and case.has_on("MatchLabelKeysInPodTopologySpread"):
        edit = case.of_pod((*path, "matchLabelKeys"), [*keys, HASH])
        if case.accepts([edit, *_without_skew(case, others)]):
            yield Proposal("spread", [edit], f"{key} matchLabelKeys", ", ".join(keys) or None, HASH, 0.22)


def _least_skew(case: Case, index: int, skew: int, others: Sequence[int]) -> int | None:
    """Return the smallest maxSkew with which the constraint alone accepts the node; None if there is none."""
    path: Path = ("spec", "topologySpreadConstraints", index, "maxSkew")
    aside = _without_skew(case, others)
    low, high = skew - 1, skew
    most = len(case.world.cluster.pods.slot_of) + 1
    while not case.accepts([case.of_pod(path, high), *aside]):
        if high > most:
            return None
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if case.accepts([case.of_pod(path, middle), *aside]) else (middle, high)
    return high


def _without_skew(case: Case, constraints: Sequence[int]) -> list[Edit]:
    """Return the edits that remove the limits of these constraints; their topology keys still apply."""
    return [
        edit
        for index in constraints
        for edit in (
            case.of_pod(("spec", "topologySpreadConstraints", index, "maxSkew"), NO_SKEW),
            case.of_pod(("spec", "topologySpreadConstraints", index, "minDomains")),
        )
    ]
