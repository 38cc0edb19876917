"""The nodes that preemption evaluates, and how many (preemption.go: findCandidates, DryRunPreemption)."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np

from scheduler_core.apis.config import DefaultPreemptionArgs
from scheduler_core.apis.core import PodDisruptionBudget
from scheduler_core.framework.interface import Code, CycleState, Diagnosis, Handle, Status
from scheduler_core.plugins.default_preemption.by_node import ByNode, DryRunCache
from scheduler_core.plugins.default_preemption.victims import DryRunBatch, Ints, dry_run

SMALLEST_BATCH = 256  # smaller batches take nearly as long


def _no_rows() -> Ints:
    return np.empty(0, np.intp)


class Candidates(msgspec.Struct):
    """The results of the dry runs.

    `potential`: the number of nodes where preemption may help. `wanted`: the number of candidates that ends the search.
    `clean` and `violating` are the rows of candidates without and with victims that violate a budget, `failed` those of
    other evaluated nodes; each in node order (before 1.19, candidates are then sorted by the age of the node).
    """

    potential: int
    wanted: int
    runs: ByNode
    clean: Ints = msgspec.field(default_factory=_no_rows)
    violating: Ints = msgspec.field(default_factory=_no_rows)
    failed: Ints = msgspec.field(default_factory=_no_rows)

    @property
    def rows(self) -> Ints:
        """Return the candidates' rows in the order of comparison, with a limited number of violating ones."""
        return np.concatenate((self.clean, self.violating[: self.wanted]))

    @property
    def reasons(self) -> dict[Status, int]:
        """Return the statuses of evaluated nodes that are not candidates, with the number of nodes."""
        return {status: nodes for status, nodes in self.runs.verdicts.at(self.failed).counts() if nodes}


def candidates_wanted(potential: int, args: DefaultPreemptionArgs) -> int:
    """Return the number of candidates that ends the search: a share of the nodes, but at least a minimum.

    kube-scheduler: default_preemption.go, calculateNumCandidates, with Go's truncating division.
    """
    share = potential * args.min_candidate_nodes_percentage // 100
    return min(max(share, args.min_candidate_nodes_absolute), potential)


def find_candidates(
    handle: Handle, cache: DryRunCache, cycle: CycleState, diagnosis: Diagnosis, args: DefaultPreemptionArgs
) -> Candidates:
    """Return the results of dry runs on nodes where preemption may help.

    They start with the first of these nodes; kube-scheduler starts with a random one.
    """
    codes, rules = diagnosis.codes(), handle.release.rules
    tries_more = rules.preemption_tries_all_but_unresolvable
    helps = codes != int(Code.UNSCHEDULABLE_AND_UNRESOLVABLE) if tries_more else codes == int(Code.UNSCHEDULABLE)
    potential = helps.nonzero()[0]
    if cycle.placement is not None and not rules.nodes_are_taken_from_the_tree:
        potential = np.intersect1d(potential, cycle.placement)
    budgets = [item for item in handle.cluster.objects("PodDisruptionBudget") if isinstance(item, PodDisruptionBudget)]
    runs = cache.results_for(cycle, budgets=bool(budgets))
    candidates = Candidates(len(potential), candidates_wanted(len(potential), args), runs)
    search(candidates, potential, lambda rows: dry_run(handle, cycle, rows, budgets))
    return candidates


def search(candidates: Candidates, potential: Ints, run: Callable[[Ints], DryRunBatch]) -> None:
    """Run batches, each slightly larger than the number of missing candidates, but of at least SMALLEST_BATCH nodes.

    The search ends as soon as there is a candidate without violation and there are enough candidates in total;
    the rest of the batch is dropped.
    """
    start, has_ended = 0, False
    while start < len(potential) and not has_ended:
        missing = candidates.wanted - len(candidates.clean) - len(candidates.violating)
        size = max(missing + missing // 4, SMALLEST_BATCH)
        rows = potential[start : start + size]
        new = rows[~candidates.runs.tried[rows]]
        if len(new):
            candidates.runs.add(run(new))
        has_ended = _add_results(candidates, rows)
        start += size


def _add_results(candidates: Candidates, rows: Ints) -> bool:
    """Add the results of a batch. Return whether the search has ended."""
    candidate = candidates.runs.verdicts.at(rows).passes
    violating = candidate & (candidates.runs.compared.pdb_violations[rows] > 0)
    clean = candidate & ~violating
    so_far = len(candidates.clean) + clean.cumsum()
    total = so_far + np.minimum(len(candidates.violating) + violating.cumsum(), candidates.wanted)
    enough = (candidate & (so_far > 0) & (total >= candidates.wanted)).nonzero()[0]
    end = int(enough[0]) + 1 if len(enough) else len(rows)
    rows = rows[:end]
    candidates.clean = np.concatenate((candidates.clean, rows[clean[:end]]))
    candidates.violating = np.concatenate((candidates.violating, rows[violating[:end]]))
    candidates.failed = np.concatenate((candidates.failed, rows[~candidate[:end]]))
    return bool(len(enough))
