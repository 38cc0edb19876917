"""Pods per topology domain, updated with every pod, for PodTopologySpread and InterPodAffinity.

kube-scheduler counts all nodes again in every PreFilter and PreScore. Here a counter is built once from the columns of
the pods; then an assumed, bound or deleted pod changes only the counters whose rule matches it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from copy import copy

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import IntColumn, NodeTable
from scheduler_core.cluster.pods import PodTable
from scheduler_core.plugins.helpers.pod_rules import Label, PodRules, SelectorIndex, anchors, match_all

KEPT_COUNTERS = 512


class Domains(msgspec.Struct, frozen=True, eq=False):
    """A division of the rows into domains: row r is in domain `codes[r]` of `size`, or in none of them (-1).

    `names[d]` is a domain's topology value. `key` identifies the division within one generation of the node table.
    `complete`: every row is in a domain.
    """

    key: Hashable
    codes: NDArray[np.intp]
    names: list[str]
    complete: bool

    @staticmethod
    def of(key: Hashable, codes: NDArray[np.intp], names: list[str]) -> Domains:
        return Domains(key, codes, names, bool((codes >= 0).all()))

    @property
    def size(self) -> int:
        return len(self.names)


def topology_domains(nodes: NodeTable, key: str) -> Domains:
    """Return the domains of a topology key; a node without the label is in none."""

    def build(nodes: NodeTable) -> Domains:
        column = nodes.label(key)
        return Domains.of(key, column.codes, column.values)

    return nodes.derived(("topology domains", key), build)


def every_row(nodes: NodeTable) -> Domains:
    """Return a division in which each row is a domain of its own; the nodes' labels do not matter."""
    return nodes.derived(
        "every row a domain", lambda nodes: Domains.of(None, np.arange(len(nodes), dtype=np.intp), nodes.names)
    )


class DomainCounter:
    """Pods per domain: `cells[d]` in domain d, `total` in all domains; the last cell (code -1) is always 0. Read only.

    It is kept up to date until rows move (`generation`) or it is evicted from the cache (`evictions` of its owner).
    """

    __slots__ = ("_codes", "cells", "generation", "total")

    def __init__(self) -> None:
        self.generation = -1

    def clear(self, generation: int, domains: Domains) -> None:
        """Reset all counts to 0."""
        self.generation, self._codes = generation, domains.codes
        self.cells: IntColumn = np.zeros(domains.size + 1, np.int64)
        self.total = 0

    def fill(self, generation: int, domains: Domains, rows: NDArray[np.intp]) -> None:
        """Count one pod for each of `rows`, from 0."""
        self.generation, self._codes = generation, domains.codes
        codes = domains.codes[rows]
        codes = codes[codes >= 0]
        self.cells = np.bincount(codes, minlength=domains.size + 1)
        self.total = len(codes)

    def without(self, rows: Sequence[int]) -> DomainCounter:
        """Return a copy with one pod fewer for each of `rows`."""
        other = copy(self)
        other.cells = self.cells.copy()
        for row in rows:
            other.change(row, -1)
        return other

    def change(self, row: int, by: int) -> None:
        code = self._codes[row]
        if code >= 0:
            self.cells[code] += by
            self.total += by


class Placed:
    """The number of pods of each kind (spec or term set) that are on a row."""

    def __init__(self, nodes: NodeTable, pods: PodTable) -> None:
        self._nodes, self._pods = nodes, pods
        self._generation = -1
        self._count: list[int] = []

    def any(self, kinds: Iterable[int], numbers: NDArray[np.intp]) -> bool:
        """Return whether a pod of one of these kinds is on a row; `numbers` are the kinds by slot."""
        if self._generation != self._nodes.generation:
            n = len(self._pods)
            self._generation = self._nodes.generation
            self._count = np.bincount(numbers[:n][self._pods.row[:n] >= 0]).tolist()
        count = self._count
        return any(kind < len(count) and count[kind] for kind in kinds)

    def change(self, kind: int, by: int) -> None:
        if self._generation == self._nodes.generation:
            if kind >= len(self._count):
                self._count.extend([0] * (kind + 1 - len(self._count)))
            self._count[kind] += by


class _RuleCounter(DomainCounter):
    __slots__ = ("key", "rules", "skip_terminating", "specs")

    def __init__(self, key: Hashable, rules: PodRules, skip_terminating: bool) -> None:
        super().__init__()
        self.key, self.rules, self.skip_terminating = key, rules, skip_terminating
        self.specs: list[int] = []  # matching (namespace, labels), by their numbers in `PodTable.specs`


class DomainCounts:
    """The counters of a cluster by rule and division, updated by the pod table."""

    def __init__(self, cluster: Cluster) -> None:
        self._nodes, self._pods = cluster.nodes, cluster.pods
        self._counters: dict[Hashable, _RuleCounter] = {}
        self._by_spec: list[list[_RuleCounter]] = []  # spec number -> the counters that its pods belong to
        self._specs_with: dict[Label, list[int]] = {}
        self._by_selector: SelectorIndex[_RuleCounter] = SelectorIndex()
        self._placed = Placed(cluster.nodes, cluster.pods)
        self.evictions = 0

    @staticmethod
    def of(cluster: Cluster) -> DomainCounts:
        """Return the counts of this cluster, shared by all plugins and profiles."""
        for observer in cluster.pods.observers:
            if isinstance(observer, DomainCounts):
                return observer
        counts = DomainCounts(cluster)
        cluster.pods.observers.append(counts)
        return counts

    def counter(self, rules: PodRules, domains: Domains, *, skip_terminating: bool = False) -> DomainCounter:
        """Return the counter of the pods in each domain that match all `rules`.

        `skip_terminating`: without pods that are being deleted.
        """
        key = (rules, domains.key, skip_terminating)
        domain_counter = self._counters.pop(key, None)
        if domain_counter is None:
            domain_counter = self._watch(_RuleCounter(key, rules, skip_terminating))
        self._counters[key] = domain_counter  # the most recently used counter is last
        if domain_counter.generation != self._nodes.generation:
            self._recount(domain_counter, domains)
        return domain_counter

    def matching(self, rules: PodRules) -> list[int]:
        """Return the numbers of the specs (in `PodTable.specs`) that match all rules, ascending."""
        self._learn()
        specs = self._pods.specs
        return [number for number in self._candidates(rules) if match_all(rules, *specs[number])]

    def moved(self, slot: int, row: int, by: int) -> None:
        spec = self._pods.spec.item(slot)
        self._placed.change(spec, by)
        if spec >= len(self._by_spec):
            self._learn()
        for counter in self._by_spec[spec]:
            if counter.generation == self._nodes.generation and not (
                counter.skip_terminating and self._pods.terminating[slot]
            ):
                counter.change(row, by)

    def _candidates(self, rules: PodRules) -> list[int]:
        anchor_labels = anchors(rules[0].selector)
        if anchor_labels is None:
            return list(range(len(self._pods.specs)))
        return sorted(number for label in anchor_labels for number in self._specs_with.get(label, ()))

    def _learn(self) -> None:
        """Add the specs that are new since the last call."""
        for number in range(len(self._by_spec), len(self._pods.specs)):
            namespace, labels = self._pods.specs[number]
            for label in labels.items():
                self._specs_with.setdefault(label, []).append(number)
            matching = [c for c in self._by_selector.candidates(labels) if match_all(c.rules, namespace, labels)]
            self._by_spec.append(matching)
            for counter in matching:
                counter.specs.append(number)

    def _watch(self, counter: _RuleCounter) -> _RuleCounter:
        if len(self._counters) >= KEPT_COUNTERS:
            self._unwatch(self._counters.pop(next(iter(self._counters))))
        counter.specs = self.matching(counter.rules)
        self._by_selector.add(counter.rules[0].selector, counter)
        for number in counter.specs:
            self._by_spec[number].append(counter)
        return counter

    def _unwatch(self, counter: _RuleCounter) -> None:
        self._by_selector.remove(counter.rules[0].selector, counter)
        for number in counter.specs:
            self._by_spec[number].remove(counter)
        self.evictions += 1

    def _recount(self, counter: _RuleCounter, domains: Domains) -> None:
        self._learn()  # observers are not called while the rows are outdated
        pods, n = self._pods, len(self._pods)
        if not self._placed.any(counter.specs, pods.spec):
            counter.clear(self._nodes.generation, domains)
            return
        matches = np.zeros(len(pods.specs), np.bool_)
        matches[counter.specs] = True
        counted = matches[pods.spec[:n]] & (pods.row[:n] >= 0)
        if counter.skip_terminating:
            counted &= ~pods.terminating[:n]
        counter.fill(self._nodes.generation, domains, pods.row[:n][counted])
