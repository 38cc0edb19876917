"""The affinity terms of existing pods, indexed by the pods that they match, with counts of their owners.

kube-scheduler keeps lists of nodes that have pods with (required anti-)affinity and evaluates every term of every such
pod (interpodaffinity: getExistingAntiAffinityCounts, processExistingPod). Here equal terms are merged and evaluated
once per distinct (namespace, labels), with a counter of their owners per domain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import Any

import msgspec
import numpy as np

from scheduler_core.apis.constraints import PodAffinityTerm
from scheduler_core.apis.core import Namespace
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.plugins.helpers.domain_counts import KEPT_COUNTERS, DomainCounter, Placed, topology_domains
from scheduler_core.plugins.helpers.pod_rules import SelectorIndex


class Role(Enum):
    """The field of a pod's spec that contains the term."""

    REQUIRED_AFFINITY = "required affinity"
    REQUIRED_ANTI_AFFINITY = "required anti-affinity"
    PREFERRED_AFFINITY = "preferred affinity"
    PREFERRED_ANTI_AFFINITY = "preferred anti-affinity"


class OwnedTerm(msgspec.Struct, frozen=True):
    """A term of existing pods; `weight` is signed, and 0 for required terms."""

    role: Role
    term: PodAffinityTerm
    weight: int = 0

    def matches(self, namespace: str, labels: Mapping[str, str], namespace_labels: Mapping[str, str]) -> bool:
        """Return whether the term matches a pod with the labels in the namespace (AffinityTerm.Matches)."""
        term = self.term
        in_namespace = namespace in term.namespaces or (
            term.namespace_selector is not None and term.namespace_selector.matches(namespace_labels)
        )
        return in_namespace and term.selector.matches(labels)


class MatchingTerms(msgspec.Struct, frozen=True):
    """The numbers of the terms that match a pod: required anti-affinity, and the terms that may score."""

    anti_affinity: tuple[int, ...]
    scoring: tuple[int, ...]


class TermOwners:
    """All distinct terms of a cluster's pods by number, with counts of their owners per domain."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster, self._pods, self._nodes = cluster, cluster.pods, cluster.nodes
        self.terms: list[OwnedTerm] = []
        self._number: dict[OwnedTerm, int] = {}
        self._anti_affinity_keys: dict[str, None] = {}
        self._sets: list[list[int]] = []  # number of a term set -> its terms (a term that occurs twice counts twice)
        self._sets_with: list[list[int]] = []  # number of a term -> the term sets that contain it, once per occurrence
        self._by_selector: SelectorIndex[int] = SelectorIndex()
        self._matching_terms: dict[int, tuple[tuple[int, int], MatchingTerms]] = {}  # by spec number
        self._counters: dict[int, DomainCounter] = {}
        self._placed = Placed(cluster.nodes, cluster.pods)
        self.evictions = 0

    @staticmethod
    def of(cluster: Cluster) -> TermOwners:
        """Return the terms of this cluster, shared by all profiles."""
        for observer in cluster.pods.observers:
            if isinstance(observer, TermOwners):
                return observer
        owners = TermOwners(cluster)
        cluster.pods.observers.append(owners)
        return owners

    def number_of_terms(self) -> int:
        """Return the number of distinct terms so far."""
        if len(self._sets) < len(self._pods.term_sets):
            self._learn()
        return len(self.terms)

    def anti_affinity_keys(self) -> Iterable[str]:
        """Return the topology keys of all required anti-affinity."""
        self.number_of_terms()
        return self._anti_affinity_keys

    def matching_terms(self, spec: int) -> MatchingTerms:
        """Return the terms, with or without owners, that match pods with this spec (a number in `PodTable.specs`)."""
        versions = (self.number_of_terms(), self._cluster.version("Namespace"))
        terms = self._matching_terms.get(spec)
        if terms is None or terms[0] != versions:
            terms = self._matching_terms[spec] = versions, self._find_matching_terms(spec)
        return terms[1]

    def owners(self, number: int) -> DomainCounter:
        """Return the counter of the term's owners in each domain of its topology key.

        A pod that has the term twice counts twice.
        """
        domain_counter = self._counters.pop(number, None) or DomainCounter()
        self._counters[number] = domain_counter  # the most recently used counter is last
        if len(self._counters) > KEPT_COUNTERS:
            del self._counters[next(iter(self._counters))]
            self.evictions += 1
        if domain_counter.generation != self._nodes.generation:
            self._recount(number, domain_counter)
        return domain_counter

    def without(self, number: int, unseen: Iterable[tuple[int, int]]) -> DomainCounter:
        """Return `owners` without some pods, each given as its row and term set."""
        domain_counter = self.owners(number)
        rows = [row for row, term_set in unseen for term in self._sets[term_set] if term == number]
        return domain_counter.without(rows) if rows else domain_counter

    def sets_with(self, numbers: Iterable[int]) -> list[int]:
        """Return the term sets (`PodTable.terms`) that contain these terms, once per occurrence of a term."""
        self._learn()
        return [term_set for number in numbers for term_set in self._sets_with[number]]

    def moved(self, slot: int, row: int, by: int) -> None:
        number = self._pods.terms.item(slot)
        self._placed.change(number, by)
        if not number:
            return
        if number >= len(self._sets):
            self._learn()
        generation = self._nodes.generation
        for term in self._sets[number]:
            counter = self._counters.get(term)
            if counter is not None and counter.generation == generation:
                counter.change(row, by)

    def _learn(self) -> None:
        """Add the term sets that are new since the last call."""
        for number in range(len(self._sets), len(self._pods.term_sets)):
            terms = [self._intern(term) for term in _owned_terms(*self._pods.term_sets[number])]
            self._sets.append(terms)
            for term in terms:
                self._sets_with[term].append(number)

    def _intern(self, term: OwnedTerm) -> int:
        number = self._number.setdefault(term, len(self.terms))
        if number == len(self.terms):
            self.terms.append(term)
            self._sets_with.append([])
            self._by_selector.add(term.term.selector, number)
            if term.role is Role.REQUIRED_ANTI_AFFINITY:
                self._anti_affinity_keys[term.term.topology_key] = None
        return number

    def _find_matching_terms(self, spec: int) -> MatchingTerms:
        namespace, labels = self._pods.specs[spec]
        namespace_object = self._cluster.get("Namespace", namespace)
        namespace_labels = namespace_object.labels if isinstance(namespace_object, Namespace) else {}
        matching = [
            number
            for number in sorted(self._by_selector.candidates(labels))
            if self.terms[number].matches(namespace, labels, namespace_labels)
        ]
        anti = [n for n in matching if self.terms[n].role is Role.REQUIRED_ANTI_AFFINITY]
        return MatchingTerms(tuple(anti), tuple(n for n in matching if n not in anti))

    def _recount(self, number: int, counter: DomainCounter) -> None:
        self._learn()
        pods, n = self._pods, len(self._pods)
        domains = topology_domains(self._nodes, self.terms[number].term.topology_key)
        if not self._placed.any(self._sets_with[number], pods.terms):
            counter.clear(self._nodes.generation, domains)
            return
        times = np.zeros(len(pods.term_sets), np.int64)
        for term_set in self._sets_with[number]:
            times[term_set] += 1
        owned = times[pods.terms[:n]]
        placed = (owned > 0) & (pods.row[:n] >= 0)
        counter.fill(self._nodes.generation, domains, np.repeat(pods.row[:n][placed], owned[placed]))


def _owned_terms(*groups: tuple[Any, ...]) -> Iterator[OwnedTerm]:
    """Yield the terms of a term set in the order of `PodTable.term_sets`."""
    affinity, anti_affinity, preferred, preferred_anti = groups
    for term in affinity:
        yield OwnedTerm(Role.REQUIRED_AFFINITY, term)
    for term in anti_affinity:
        yield OwnedTerm(Role.REQUIRED_ANTI_AFFINITY, term)
    for weighted in preferred:
        yield OwnedTerm(Role.PREFERRED_AFFINITY, weighted.term, weighted.weight)
    for weighted in preferred_anti:
        yield OwnedTerm(Role.PREFERRED_ANTI_AFFINITY, weighted.term, -weighted.weight)
