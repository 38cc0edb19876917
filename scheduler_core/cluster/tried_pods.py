"""Pods that are assumed on a node only while their pod group is evaluated (kube-scheduler: Snapshot.AssumePod).

A snapshot lists the nodes that have pods with affinity terms when it is taken. AssumePod does not update these lists,
so the terms of a pod that is tried on a node outside the lists are ignored.
"""

from __future__ import annotations

import numpy as np

from scheduler_core.apis.core import PodKey
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.cluster.pods import PodTable

REQUIRED_ANTI_AFFINITY = 1  # the position of these terms in a term set


class TriedPods:
    """The tried pods of the current pod group cycle. Part of `Cluster`."""

    def __init__(self, nodes: NodeTable, pods: PodTable) -> None:
        self._nodes, self._pods = nodes, pods
        self._with_terms: frozenset[int] = frozenset()  # the rows in the snapshot's list of nodes with such pods
        self._with_anti_affinity: frozenset[int] = frozenset()
        self._slots: dict[int, None] = {}

    def copy(self, nodes: NodeTable, pods: PodTable) -> TriedPods:
        """Return an independent copy for copies of the tables."""
        other = TriedPods(nodes, pods)
        other._with_terms, other._with_anti_affinity = self._with_terms, self._with_anti_affinity
        other._slots = dict(self._slots)
        return other

    def begin(self) -> None:
        """Store the rows that have pods with terms. Call it right after the cycle's snapshot."""
        pods, count = self._pods, len(self._pods)
        owners = np.flatnonzero((pods.terms[:count] > 0) & (pods.row[:count] >= 0)).tolist()
        self._with_terms = frozenset(int(pods.row[slot]) for slot in owners)
        self._with_anti_affinity = frozenset(
            int(pods.row[slot]) for slot in owners if pods.term_sets[pods.terms[slot]][REQUIRED_ANTI_AFFINITY]
        )

    def add(self, key: PodKey) -> None:
        """Add a pod that has been assumed on a node."""
        self._slots[self._pods.slot_of[key]] = None

    def remove(self, key: PodKey) -> None:
        """Remove a pod, if it has been added."""
        self._slots.pop(self._pods.slot_of[key], None)

    def unseen(self, *, anti_affinity: bool) -> list[tuple[int, int]]:
        """Return (row, term set) of tried pods that a search for terms, or for `anti_affinity` terms, does not see."""
        seen_rows = self._with_anti_affinity if anti_affinity else self._with_terms
        pairs = ((int(self._pods.row[slot]), int(self._pods.terms[slot])) for slot in self._slots)
        return [(row, terms) for row, terms in pairs if terms and row not in seen_rows]

    def __bool__(self) -> bool:
        return bool(self._slots)
