"""The counts that InterPodAffinity needs for a pod, cached for pods with equal labels, namespace and terms.

For each topology key of a required term, and for each term that scores, the cache has the domains and the counters;
only the counts change from cycle to cycle.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

import msgspec
import numpy as np
from msgspec.structs import replace

from scheduler_core.apis.config import InterPodAffinityArgs
from scheduler_core.apis.constraints import PodAffinityTerm
from scheduler_core.apis.core import Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import IntColumn
from scheduler_core.plugins.helpers.domain_counts import DomainCounter, DomainCounts, Domains, topology_domains
from scheduler_core.plugins.helpers.pod_rules import PodRules, match_all
from scheduler_core.plugins.inter_pod_affinity.existing_terms import Role, TermOwners
from scheduler_core.plugins.inter_pod_affinity.terms import own_rule

KEPT_PLANS = 1024


class RequiredKey(msgspec.Struct, frozen=True):
    """The required terms of one topology key.

    The counts are those of preFilterState. `affinity_counts`: pods that match all required affinity terms of the pod
    (None: no such term has this key). `anti_affinity_counts`: for each of `anti_affinity_rules`, pods that match a
    required anti-affinity term of the pod. `existing_anti_affinity_counts`: for each of `existing_anti_affinity_terms`
    (numbers in `TermOwners`), the owners of a required anti-affinity term that matches the pod.
    """

    domains: Domains
    affinity_counts: DomainCounter | None
    anti_affinity_rules: list[PodRules]
    anti_affinity_counts: list[DomainCounter]
    existing_anti_affinity_terms: list[int]
    existing_anti_affinity_counts: list[DomainCounter]


class ScoringTerm(msgspec.Struct, frozen=True):
    """A term that scores: a preferred one, or existing pods' required affinity; `counter` has its pods per domain."""

    role: Role
    own: bool  # a term of the incoming pod, not of existing pods
    term: PodAffinityTerm
    weight: int
    domains: Domains
    counter: DomainCounter
    number: int = -1  # the number of an existing pods' term in `TermOwners`


class Plan(msgspec.Struct):
    """The terms of a pod.

    `requires`: it has required terms of its own. `self_match`: it matches all its required affinity terms.
    """

    requires: bool
    affinity_rules: PodRules
    self_match: bool
    keys: list[RequiredKey] = []
    scoring: list[ScoringTerm] = []
    stamp: tuple[Hashable, ...] = ()

    @property
    def affinity_total(self) -> int:
        """Return the number of pods in a domain that match all required affinity terms, summed over their keys."""
        return sum(key.affinity_counts.total for key in self.keys if key.affinity_counts is not None)

    @property
    def has_existing_anti_affinity(self) -> bool:
        """Return whether an existing pod's required anti-affinity matches the pod in some domain."""
        return bool(self.keys) and any(
            counter.total for key in self.keys for counter in key.existing_anti_affinity_counts
        )


class Plans:
    """The plans of a profile, rebuilt if nodes, namespaces, terms or counters change."""

    def __init__(self, args: InterPodAffinityArgs, cluster: Cluster, *, every_key: bool = False) -> None:
        """Create an empty cache. `every_key`: a plan has the topology keys of all required anti-affinity."""
        self._args, self._cluster, self._every_key = args, cluster, every_key
        self._counts, self._owners = DomainCounts.of(cluster), TermOwners.of(cluster)
        self._plans: dict[tuple[int, int], Plan] = {}

    def of(self, pod: Pod) -> Plan:
        pods = self._cluster.pods
        slot = pods.slot_of[pod.key]
        spec, terms = pods.spec.item(slot), pods.terms.item(slot)
        stamp = self._stamp()
        plan = self._plans.get((spec, terms))
        if plan is None or plan.stamp != stamp:
            if len(self._plans) >= KEPT_PLANS:
                self._plans.clear()
            plan = self._plans[spec, terms] = self._make(pod, spec)
            plan.stamp = stamp  # the stamp from before, since creating the plan can drop one of its own counters
        return self._without_unseen(plan) if self._cluster.tried else plan

    def _without_unseen(self, plan: Plan) -> Plan:
        """Return the plan without terms of tried group members on nodes that are in no list of the snapshot.

        A pod with preferred terms of its own evaluates all pods when it scores.
        """
        anti_affinity_owners, term_owners = (self._cluster.tried.unseen(anti_affinity=only) for only in (True, False))
        has_own = any(term.own for term in plan.scoring)
        keys = [
            replace(
                key,
                existing_anti_affinity_counts=[
                    self._owners.without(number, anti_affinity_owners) for number in key.existing_anti_affinity_terms
                ],
            )
            for key in plan.keys
        ]
        scoring = [
            term if term.own or has_own else replace(term, counter=self._owners.without(term.number, term_owners))
            for term in plan.scoring
        ]
        return replace(plan, keys=keys, scoring=scoring)

    def _stamp(self) -> tuple[Hashable, ...]:
        return (
            self._cluster.nodes.generation,
            self._owners.number_of_terms(),
            self._cluster.version("Namespace"),
            self._counts.evictions,
            self._owners.evictions,
        )

    def _make(self, pod: Pod, spec: int) -> Plan:
        affinity_rules = tuple(own_rule(term, self._cluster) for term in pod.required_affinity)
        plan = Plan(
            bool(pod.required_affinity or pod.required_anti_affinity),
            affinity_rules,
            match_all(affinity_rules, pod.namespace, pod.labels),
        )
        existing_terms: dict[str, list[int]] = {}
        for number in self._owners.matching_terms(spec).anti_affinity:
            existing_terms.setdefault(self._owners.terms[number].term.topology_key, []).append(number)
        own_keys = [term.topology_key for term in (*pod.required_affinity, *pod.required_anti_affinity)]
        other_keys = self._owners.anti_affinity_keys() if self._every_key else ()
        for key in dict.fromkeys([*own_keys, *existing_terms, *other_keys]):
            plan.keys.append(self._group_by_key(pod, key, affinity_rules, existing_terms.get(key, [])))
        plan.scoring.extend(self._scoring(pod, spec))
        return plan

    def _group_by_key(self, pod: Pod, key: str, affinity_rules: PodRules, existing_terms: list[int]) -> RequiredKey:
        domains = topology_domains(self._cluster.nodes, key)
        has_affinity = any(term.topology_key == key for term in pod.required_affinity)
        anti_terms = [term for term in pod.required_anti_affinity if term.topology_key == key]
        anti_affinity_rules: list[PodRules] = [(own_rule(term, self._cluster),) for term in anti_terms]
        return RequiredKey(
            domains,
            self._counts.counter(affinity_rules, domains) if has_affinity else None,
            anti_affinity_rules,
            [self._counts.counter(rules, domains) for rules in anti_affinity_rules],
            existing_terms,
            [self._owners.owners(number) for number in existing_terms],
        )

    def _scoring(self, pod: Pod, spec: int) -> Iterator[ScoringTerm]:
        own = [(Role.PREFERRED_AFFINITY, weighted.term, weighted.weight) for weighted in pod.preferred_affinity]
        own += [
            (Role.PREFERRED_ANTI_AFFINITY, weighted.term, -weighted.weight) for weighted in pod.preferred_anti_affinity
        ]
        if self._args.ignore_preferred_terms_of_existing_pods and not own:
            return
        nodes = self._cluster.nodes
        for role, term, weight in own:
            domains = topology_domains(nodes, term.topology_key)
            counter = self._counts.counter((own_rule(term, self._cluster),), domains)
            yield ScoringTerm(role, True, term, weight, domains, counter)
        for number in self._owners.matching_terms(spec).scoring:
            owned = self._owners.terms[number]
            weight = self._args.hard_pod_affinity_weight if owned.role is Role.REQUIRED_AFFINITY else owned.weight
            if weight:
                domains = topology_domains(nodes, owned.term.topology_key)
                yield ScoringTerm(owned.role, False, owned.term, weight, domains, self._owners.owners(number), number)


def cells(counters: Sequence[DomainCounter]) -> IntColumn | None:
    """Return the sum of counters over the same domains, None if they count no pod. The array must not be modified."""
    counting = [counter.cells for counter in counters if counter.total]
    if len(counting) <= 1:
        return counting[0] if counting else None
    total: IntColumn = np.add.reduce(counting)
    return total
