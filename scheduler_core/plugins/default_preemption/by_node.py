"""Cached results of dry runs, by node.

Victims are selected again only on nodes that have changed since the last attempt of a similar pod: pods were added,
removed or updated there, or a nomination to the node was added or removed. This requires that every filter reads only
the node itself, according to its `reads`, and that the cluster has no PodDisruptionBudget, which would count pods on
other nodes; otherwise nothing is cached for the next attempt.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduler_core.framework.interface import CycleState, Handle, Verdicts
from scheduler_core.plugins.default_preemption.pick_one_node import Criteria
from scheduler_core.plugins.default_preemption.victims import DryRunBatch, Ints, criteria
from scheduler_core.trace.records import PodKey

KEPT_KINDS = 16


class DryRunRecord(NamedTuple):
    """The dry run of a node as columns of the trace; see `records.DryRuns`."""

    removed: list[PodKey]
    tried: list[int]
    reprieved: list[bool]
    violates_pdb: list[bool]
    victims: list[int]


class ByNode:
    """The cached dry runs of one kind of pod, by row.

    `tried[row]`: whether there is a result. Of the nodes that were tried, the candidates pass in `verdicts`. `compared`
    contains the values that pick_one_node compares, for candidates only.
    """

    def __init__(self, handle: Handle) -> None:
        count = len(handle.cluster.nodes)
        self._handle = handle
        self.tried: NDArray[np.bool_] = np.zeros(count, np.bool_)
        self.verdicts = Verdicts.passing(count)
        self.compared = Criteria.zeros(count)
        self._runs: NDArray[np.object_] = np.full(count, None)
        self._position: Ints = np.zeros(count, np.intp)
        self._records: dict[int, DryRunRecord] = {}
        self._since = self._versions()

    def add(self, runs: DryRunBatch) -> None:
        """Add dry runs to the cache."""
        self.tried[runs.rows] = True
        self.verdicts = self.verdicts.put(runs.rows, runs.verdicts)
        self._runs[runs.rows] = runs
        self._position[runs.rows] = np.arange(len(runs.rows))
        candidates = runs.verdicts.passes.nonzero()[0]
        if len(candidates):
            self.compared.put(runs.rows[candidates], criteria(self._handle, runs, candidates))

    def forget_changed(self) -> bool:
        """Remove the results of changed nodes. Return whether the others can be used.

        They cannot after a change of the node table, or if a dry run ended with an error.
        """
        cluster, nominator = self._handle.cluster, self._handle.nominator
        generation, pods, nominations = self._since
        if generation != cluster.nodes.generation or any(status.is_error for status in self.verdicts.statuses):
            return False
        names = (*cluster.pods.changes.since(pods), *nominator.changes.since(nominations))
        rows = [cluster.nodes.row_of[name] for name in names if name in cluster.nodes.row_of]
        self._since = self._versions()
        for row in rows:
            self.tried[row], self._runs[row] = False, None
            self._records.pop(row, None)
        return True

    def victims(self, row: int) -> list[int]:
        """Return the slots of a candidate's victims, in the order of `DryRunBatch.victims`."""
        runs: DryRunBatch = self._runs[row]
        return runs.victims.of_node(int(self._position[row]))

    def removed_slots(self) -> Ints:
        """Return the slots of all pods that the cached batches of dry runs removed, ascending."""
        batches = {id(runs): runs for runs in self._runs.tolist() if runs is not None}
        return np.unique(np.concatenate([np.empty(0, np.intp), *(runs.removed.slots for runs in batches.values())]))

    def records(self, rows: Ints) -> Sequence[DryRunRecord]:
        """Return the records of these candidates for the trace."""
        row_numbers = rows.tolist()
        for row in row_numbers:
            if row not in self._records:
                self._record(self._runs[row])
        return [self._records[row] for row in row_numbers]

    def _record(self, runs: DryRunBatch) -> None:
        """Create the records of all candidates of a batch that are not outdated, since the next pod may need them."""
        rows = runs.rows[runs.verdicts.passes]
        rows = rows[[run is runs for run in self._runs[rows].tolist()]]
        pods, positions = self._handle.cluster.pods, self._position[rows]
        removed, tried = runs.removed.of_nodes(positions), runs.tried.of_nodes(positions)
        victims = runs.victims.slots[runs.victims.of_nodes(positions)]
        rank_of = np.empty(len(pods.row), np.intp)
        rank_of[runs.removed.slots[removed]] = runs.removed.rank()[removed]
        keys = [pods.pods[slot].key for slot in runs.removed.slots[removed].tolist()]
        tried_ranks, victim_ranks = rank_of[runs.tried.slots[tried]].tolist(), rank_of[victims].tolist()
        reprieved, violates = runs.reprieved[tried].tolist(), runs.violates[tried].tolist()
        start = victim_start = 0
        counts = runs.removed.counts[positions].tolist(), runs.victims.counts[positions].tolist()
        for row, count, number in zip(rows.tolist(), *counts, strict=True):
            pods_of_node = slice(start, start + count)
            self._records[row] = DryRunRecord(
                keys[pods_of_node],
                tried_ranks[pods_of_node],
                reprieved[pods_of_node],
                violates[pods_of_node],
                victim_ranks[victim_start : victim_start + number],
            )
            start, victim_start = start + count, victim_start + number

    def _versions(self) -> tuple[int, int, int]:
        cluster = self._handle.cluster
        return cluster.nodes.generation, cluster.pods.changes.version, self._handle.nominator.changes.version


class DryRunCache:
    """The cache of a profile, by kind of pod, least recently used first."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._kinds: dict[Hashable, ByNode] = {}

    def results_for(self, cycle: CycleState, *, budgets: bool) -> ByNode:
        """Return the cached results for the pod, or empty ones, to which new dry runs are added.

        `budgets`: whether the cluster has a PodDisruptionBudget; then nothing is cached.
        """
        alike = self._handle.alike(cycle)
        if alike is None or budgets:
            return ByNode(self._handle)
        kind = (
            alike,
            cycle.pod.priority,
            self._handle.nominator.node_of(cycle.pod.key),
        )  # its own nomination does not count against it
        results = self._kinds.pop(kind, None)
        if results is None or not results.forget_changed():
            results = ByNode(self._handle)
        self._kinds[kind] = results
        if len(self._kinds) > KEPT_KINDS:
            del self._kinds[next(iter(self._kinds))]
        return results
