"""InterPodAffinity's verdict and score as facts and arithmetic, from the numbers that `filter` and `score` read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.constraints import PodAffinityTerm
from scheduler_core.apis.core import Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import IntColumn
from scheduler_core.framework.facts import Fact, ScoreExplanation, join_names
from scheduler_core.framework.interface import MAX_NODE_SCORE, Scores
from scheduler_core.plugins.helpers.domain_counts import Domains
from scheduler_core.plugins.helpers.pod_rules import PodRules, match_all
from scheduler_core.plugins.inter_pod_affinity.counting import Plan, ScoringTerm
from scheduler_core.plugins.inter_pod_affinity.existing_terms import Role, TermOwners
from scheduler_core.plugins.inter_pod_affinity.scoring import normalize

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
FIELDS = {
    Role.REQUIRED_AFFINITY: f"spec.affinity.podAffinity.{REQUIRED}",
    Role.REQUIRED_ANTI_AFFINITY: f"spec.affinity.podAntiAffinity.{REQUIRED}",
    Role.PREFERRED_AFFINITY: f"spec.affinity.podAffinity.{PREFERRED}",
    Role.PREFERRED_ANTI_AFFINITY: f"spec.affinity.podAntiAffinity.{PREFERRED}",
}


def explain_filter(
    pod: Pod, plan: Plan, cluster: Cluster, row: int, delta: IntColumn | None, *, first_needs_labels: bool = True
) -> list[Fact]:
    """Return facts about affinity, anti-affinity and the anti-affinity of existing pods.

    If one of the three is violated, return only the facts about the first that is.
    """
    changes = np.zeros(1 + 2 * len(plan.keys), np.int64) if delta is None else delta
    facts: list[Fact] = []
    affinity = partial(_affinity, first_needs_labels=first_needs_labels)
    for kind in (affinity, _anti_affinity, _existing_anti_affinity):
        facts_of_kind = kind(plan, cluster, row, changes)
        if not all(fact.holds for fact in facts_of_kind):
            return facts_of_kind
        facts += facts_of_kind
    return facts


def _affinity(plan: Plan, cluster: Cluster, row: int, delta: IntColumn, *, first_needs_labels: bool) -> list[Fact]:
    facts = []
    with_affinity = [(key, key.affinity_counts) for key in plan.keys if key.affinity_counts is not None]
    first = plan.self_match and not plan.affinity_total + int(delta[0]) * len(with_affinity)
    field = FIELDS[Role.REQUIRED_AFFINITY]
    for key, affinity_counts in with_affinity:
        domain = _domain(key.domains, row)
        if domain is None:
            if first_needs_labels or not first:
                facts.append(_no_label(str(key.domains.key), cluster.nodes.names[row], field))
            continue
        count = int(affinity_counts.cells[key.domains.codes[row]] + delta[0])
        if first:
            text = "No pod matches the required affinity terms yet, but the pod itself does: it may be the first."
        else:
            pods = _pods_in(cluster, key.domains, row, _matching_any([plan.affinity_rules]))
            text = f"Pods in {key.domains.key}={domain} that match all required affinity terms: {pods}."
        need = 0 if first else 1
        facts.append(_count_fact("affinity", count, f"≥ {need}", count >= need, key.domains, domain, text, field))
    return facts


def _anti_affinity(plan: Plan, cluster: Cluster, row: int, delta: IntColumn) -> list[Fact]:
    facts = []
    for number, key in enumerate(plan.keys):
        domain = _domain(key.domains, row)
        if domain is None or not key.anti_affinity_counts:
            continue
        count = sum(int(counts.cells[key.domains.codes[row]]) for counts in key.anti_affinity_counts) + int(
            delta[1 + number]
        )
        pods = _pods_in(cluster, key.domains, row, _matching_any(key.anti_affinity_rules))
        text = f"Pods in {key.domains.key}={domain} that match the pod's required anti-affinity: {pods}."
        field = FIELDS[Role.REQUIRED_ANTI_AFFINITY]
        facts.append(_count_fact("anti-affinity", count, "≤ 0", count <= 0, key.domains, domain, text, field))
    return facts


def _existing_anti_affinity(plan: Plan, cluster: Cluster, row: int, delta: IntColumn) -> list[Fact]:
    facts = []
    for number, key in enumerate(plan.keys):
        domain = _domain(key.domains, row)
        change = int(delta[1 + len(plan.keys) + number])
        if domain is None or not (key.existing_anti_affinity_counts or change):
            continue
        count = change + sum(int(counts.cells[key.domains.codes[row]]) for counts in key.existing_anti_affinity_counts)
        owners = TermOwners.of(cluster)
        terms = {owners.terms[term_number].term for term_number in key.existing_anti_affinity_terms}
        pods = _pods_in(cluster, key.domains, row, _owning(terms))
        text = f"Pods in {key.domains.key}={domain} whose required anti-affinity speaks of this pod: {pods}."
        kind, field = "existing-anti-affinity", "metadata.labels"
        facts.append(_count_fact(kind, count, "≤ 0", count <= 0, key.domains, domain, text, field))
    return facts


def _domain(domains: Domains, row: int) -> str | None:
    code = int(domains.codes[row])
    return None if code < 0 else domains.names[code]


def _matching_any(choices: Sequence[PodRules]) -> Callable[[Pod], bool]:
    return lambda pod: any(match_all(rules, pod.namespace, pod.labels) for rules in choices)


def _owning(terms: set[PodAffinityTerm]) -> Callable[[Pod], bool]:
    return lambda pod: any(term in terms for term in pod.required_anti_affinity)


def _pods_in(cluster: Cluster, domains: Domains, row: int, is_match: Callable[[Pod], bool]) -> str:
    """Return the names of the matching pods in the row's domain, as text."""
    pods, code = cluster.pods, domains.codes[row]
    placed = np.flatnonzero(pods.row[: len(pods)] >= 0)
    in_domain = [pods.pods[slot] for slot in placed if domains.codes[pods.row[slot]] == code]
    return join_names([pod.key for pod in in_domain if is_match(pod)])


def _no_label(key: str, node: str, field: str) -> Fact:
    return Fact(
        key="InterPodAffinity.label",
        left=key,
        op="∈",
        right=f"labels of {node}",
        holds=False,
        values={"topologyKey": key, "node": node},
        text=f"{node} has no label {key}, which the pod's required affinity needs.",
        field=f"{field}[*].topologyKey",
    )


def _count_fact(
    kind: str, count: int, condition: str, holds: bool, domains: Domains, domain: str, text: str, field: str
) -> Fact:
    op, _, bound = condition.partition(" ")
    return Fact(
        key=f"InterPodAffinity.{kind}",
        left=str(count),
        op=op,
        right=bound,
        holds=holds,
        values={"topologyKey": str(domains.key), "domain": domain, "count": count},
        text=text,
        field=field,
    )


def explain_score(
    pod: Pod, terms: list[ScoringTerm], rows: NDArray[np.intp], raw: Scores, index: int
) -> ScoreExplanation:
    """Return the contribution of each term on this node, the sum, and the normalization."""
    explained = explain_sum(pod, terms, rows, raw, index)
    lowest, highest = int(raw.min()), int(raw.max())
    normalized = int(normalize(raw)[index])
    if lowest == highest:
        explained.arithmetic.append(f"normalized = {normalized} (all feasible nodes have the same score)")
    else:
        share = f"({raw[index]} - {lowest}) / ({highest} - {lowest})"
        explained.arithmetic.append(f"normalized = int({MAX_NODE_SCORE} × {share}) = {normalized}")
    return explained


def explain_sum(
    pod: Pod, terms: list[ScoringTerm], rows: NDArray[np.intp], raw: Scores, index: int
) -> ScoreExplanation:
    """Return the contribution of each term on this node, and their sum, the raw score."""
    lines, facts = [], []
    for scoring in terms:
        code = int(scoring.domains.codes[rows[index]])
        count = int(scoring.counter.cells[code])
        if count:
            key, domain = scoring.term.topology_key, scoring.domains.names[code]
            lines.append(f"{key}={domain}: {count} × {scoring.weight} = {count * scoring.weight}")
            facts.append(_term_fact(scoring, domain, count, _term_field(pod, scoring)))
    lines.append(f"raw = {raw[index]}")
    return ScoreExplanation(lines, facts)


def _term_field(pod: Pod, scoring: ScoringTerm) -> str:
    """Return the path of the pod's own term; for a term of another pod, that of this pod's labels, which it matches."""
    if not scoring.own:
        return "metadata.labels"
    anti = scoring.role is Role.PREFERRED_ANTI_AFFINITY
    own = pod.preferred_anti_affinity if anti else pod.preferred_affinity
    number = next(i for i, term in enumerate(own) if (term.term, term.weight) == (scoring.term, abs(scoring.weight)))
    return f"{FIELDS[scoring.role]}[{number}]"


def _term_fact(scoring: ScoringTerm, domain: str, count: int, field: str) -> Fact:
    """Return a fact about a term that is counted; it always holds, since it is not a condition."""
    term, role = scoring.term, scoring.role
    if scoring.own:
        text = f"Pods in {term.topology_key}={domain} that match the pod's {role.value} {term.selector}: {count}."
    else:
        text = f"Pods in {term.topology_key}={domain} with a {role.value} for pods that match {term.selector}: {count}."
    return Fact(
        key=f"InterPodAffinity.{'own' if scoring.own else 'existing'}-{role.value.replace(' ', '-')}",
        left=f"{count} × {scoring.weight}",
        op="=",
        right=str(count * scoring.weight),
        holds=True,
        values={
            "topologyKey": term.topology_key,
            "domain": domain,
            "count": count,
            "weight": scoring.weight,
            "selector": str(term.selector),
        },
        text=text,
        field=field,
    )
