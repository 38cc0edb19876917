"""One scheduling attempt, from PreFilter to the nomination or the binding, as a decision record."""

from __future__ import annotations

from dataclasses import dataclass, field

from scheduler_core.config import Profile
from scheduler_core.objects import Node
from tests.reference import node_plugins
from tests.reference.filters import Filters, Rejection
from tests.reference.preemption import Preemption, fit_error, preempt
from tests.reference.scores import prioritize
from tests.reference.state import ReferenceCluster

CONFLICT = "pod affinity terms conflict"


@dataclass
class Attempt:
    """What an attempt found, in the shape of a decision record (see `record`)."""

    pre_filter: dict[str, object]
    statuses: dict[str, Rejection] = field(default_factory=dict)
    feasible: list[str] = field(default_factory=list)
    scores: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    node: str | None = None
    preemption: Preemption | None = None
    message: str | None = None

    def record(self) -> dict[str, object]:
        """The fields of a decision record that depend on the cycle alone."""
        nominated = self.preemption is not None and self.preemption.chosen is not None
        per_node = list(self.scores.values())
        return {
            "outcome": "Scheduled" if self.node else "Nominated" if nominated else "Unschedulable",
            "node": self.node,
            "preFilter": self.pre_filter,
            "filter": {
                name: {"plugin": r.plugin, "code": r.code, "reasons": list(r.reasons)}
                for name, r in self.statuses.items()
            },
            "feasible": self.feasible,
            "scores": self.scores,
            "totals": {n: sum(p[n][2] for p in per_node) for n in self.feasible} if len(self.feasible) > 1 else {},
            "message": self.message,
            "preemption": self.preemption.record() if self.preemption else None,
        }


def schedule_one(cluster: ReferenceCluster, key: str, profile: Profile, now: float) -> Attempt:
    """Schedule the pending pod and apply what follows from it to the cluster."""
    pod = cluster.pending[key]
    filters = Filters(pod, profile, cluster, cluster.snapshot())
    names = node_plugins.names_of_required_affinity(pod) if _runs(profile, "pre_filter", "NodeAffinity") else None
    attempt = Attempt({"rejectedBy": None, "code": None, "reasons": [], "nodes": sorted(names) if names else None})
    if names is not None and not names:
        attempt.pre_filter.update(rejectedBy="NodeAffinity", code="UnschedulableAndUnresolvable", reasons=[CONFLICT])
        _post_filter(attempt, filters, "UnschedulableAndUnresolvable", None, now)
        return attempt
    _find_feasible(attempt, filters, names)
    if not attempt.feasible:
        _post_filter(attempt, filters, "UnschedulableAndUnresolvable", names, now)
        return attempt
    attempt.node = attempt.feasible[0]
    if len(attempt.feasible) > 1:
        attempt.scores = prioritize(pod, attempt.feasible, profile, cluster, filters.snapshot)
        totals = {n: sum(s[n][2] for s in attempt.scores.values()) for n in attempt.feasible}
        attempt.node = max(attempt.feasible, key=totals.__getitem__)
    cluster.bind(pod, attempt.node, now)
    return attempt


def _find_feasible(attempt: Attempt, filters: Filters, names: set[str] | None) -> None:
    """The nominated node first; else the (narrowed) list from nextStartNodeIndex on. Below 100 nodes all are tried."""
    cluster, by_name = filters.cluster, {node.name: node for node, _ in filters.snapshot}
    nominated = cluster.nominated.get(filters.pod.key, "")
    if nominated in by_name:
        _filter(attempt, filters, [by_name[nominated]])
        if attempt.feasible:
            return
    nodes = [node for node, _ in filters.snapshot if names is None or node.name in names]
    start = cluster.next_start_node_index % len(nodes) if nodes else 0
    _filter(attempt, filters, nodes[start:] + nodes[:start])
    processed = len(attempt.feasible) + len(attempt.statuses)
    cluster.next_start_node_index = (cluster.next_start_node_index + processed) % len(filters.snapshot)


def _filter(attempt: Attempt, filters: Filters, nodes: list[Node]) -> None:
    wanted = len(nodes) if filters.profile.plugins["score"] else 1
    for node in nodes:
        rejection = filters.fits_with_nominated(node)
        if rejection is not None:
            attempt.statuses[node.name] = rejection
        elif len(attempt.feasible) == wanted:
            return
        else:
            attempt.feasible.append(node.name)


def _post_filter(attempt: Attempt, filters: Filters, absent: str, names: set[str] | None, now: float) -> None:
    """PostFilter's plugins, the message, and what becomes of victims and nominations."""
    texts, cluster, key = [], filters.cluster, filters.pod.key
    for ref in filters.profile.plugins["post_filter"]:
        if ref.name == "DynamicResources":
            if attempt.pre_filter["rejectedBy"]:
                attempt.preemption = Preemption(eligible=False, reason="not found")
                texts = ["not found"]
                break
            texts.append("no new claims to deallocate")
            attempt.preemption = attempt.preemption or Preemption(eligible=False, reason=texts[-1])
        elif ref.name == "DefaultPreemption":
            attempt.preemption = preempt(filters, attempt.statuses, absent)
            if attempt.preemption.message:
                texts.append(attempt.preemption.message)
    if attempt.preemption is not None and attempt.preemption.chosen is not None:
        texts = []
        for victim in attempt.preemption.chosen.victims:
            cluster.evict(victim, now)
    if attempt.preemption is not None and attempt.preemption.nominate is not None:
        cluster.nominated.pop(key, None)
        if attempt.preemption.nominate:
            cluster.nominated[key] = attempt.preemption.nominate
    attempt.message = _message(attempt, filters, names) + (" " + ", ".join(texts) if texts else "")


def _message(attempt: Attempt, filters: Filters, names: set[str] | None) -> str:
    nodes = len(filters.snapshot)
    if attempt.pre_filter["rejectedBy"]:
        return f"0/{nodes} nodes are available: {CONFLICT}."
    counts: dict[str, int] = {}
    for rejection in attempt.statuses.values():
        for reason in rejection.reasons:
            counts[reason] = counts.get(reason, 0) + 1
    if names is not None:
        counts["node(s) didn't satisfy plugin(s) [NodeAffinity]"] = nodes - len(attempt.statuses)
    return fit_error(nodes, counts)


def _runs(profile: Profile, point: str, plugin: str) -> bool:
    return any(ref.name == plugin for ref in profile.plugins[point])
