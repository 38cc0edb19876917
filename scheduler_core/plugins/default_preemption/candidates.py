"""Which nodes preemption looks at, and when it has seen enough (preemption.go: findCandidates, DryRunPreemption)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from scheduler_core.apis.config import DefaultPreemptionArgs
from scheduler_core.apis.core import PodDisruptionBudget
from scheduler_core.framework.interface import Code, CycleState, Diagnosis, Handle, Status
from scheduler_core.plugins.default_preemption.by_node import NOT_TRIED, ByNode, KeptDryRuns
from scheduler_core.plugins.default_preemption.victims import DryRuns, Ints, dry_run

SMALLEST_BATCH = 256  # fewer nodes cost hardly less


def _none() -> Ints:
    return np.empty(0, np.intp)


@dataclass(slots=True)
class Found:
    """What the dry runs found among `potential` nodes, when `wanted` candidates are enough.

    `clean` and `violating` are the rows of candidates without and with victims that violate a budget, `failed` those
    that were looked at in vain; each in node order.
    """

    potential: int
    wanted: int
    runs: ByNode
    clean: Ints = field(default_factory=_none)
    violating: Ints = field(default_factory=_none)
    failed: Ints = field(default_factory=_none)

    @property
    def candidates(self) -> Ints:
        """In the order in which they are compared; of the violating ones only so many are kept."""
        return np.concatenate((self.clean, self.violating[: self.wanted]))

    @property
    def reasons(self) -> dict[Status, int]:
        """Why nodes are no candidates, and how many each."""
        times = np.bincount(self.runs.which[self.failed]).tolist()
        return {self.runs.statuses[which - 1]: count for which, count in enumerate(times) if count}


def candidates_wanted(potential: int, args: DefaultPreemptionArgs) -> int:
    """How many candidates end the search: a share of the potential nodes, but not fewer than an absolute number.

    default_preemption.go's calculateNumCandidates, in Go's truncating division.
    """
    share = potential * args.min_candidate_nodes_percentage // 100
    return min(max(share, args.min_candidate_nodes_absolute), potential)


def find_candidates(
    handle: Handle, kept: KeptDryRuns, cycle: CycleState, diagnosis: Diagnosis, args: DefaultPreemptionArgs
) -> Found:
    """Dry-run the nodes that were plainly unschedulable, from the first on (kube-scheduler begins at a random one)."""
    codes = diagnosis.codes()
    more = handle.release.rules.preemption_tries_all_but_unresolvable
    potential = np.flatnonzero(codes != Code.UNSCHEDULABLE_AND_UNRESOLVABLE if more else codes == Code.UNSCHEDULABLE)
    budgets = [item for item in handle.cluster.objects("PodDisruptionBudget") if isinstance(item, PodDisruptionBudget)]
    runs = kept.known(cycle, budgets=bool(budgets))
    found = Found(len(potential), candidates_wanted(len(potential), args), runs)
    search(found, potential, lambda rows: dry_run(handle, cycle, rows, budgets))
    return found


def search(found: Found, potential: Ints, run: Callable[[Ints], DryRuns]) -> None:
    """Run batch after batch, each a bit larger than the number of candidates that are missing.

    The search ends with the first node at which there is a candidate without violation and enough of them in all; what
    a batch holds beyond that node is dropped.
    """
    start, done = 0, False
    while start < len(potential) and not done:
        missing = found.wanted - len(found.clean) - len(found.violating)
        size = max(missing + missing // 4, SMALLEST_BATCH)
        rows = potential[start : start + size]
        new = rows[found.runs.which[rows] == NOT_TRIED]
        if len(new):
            found.runs.take(run(new))
        done = _sort_in(found, rows)
        start += size


def _sort_in(found: Found, rows: Ints) -> bool:
    """Take over a batch, up to the node that ends the search; True if there is one."""
    candidate = found.runs.which[rows] == 0
    violating = candidate & (found.runs.compared.pdb_violations[rows] > 0)
    clean = candidate & ~violating
    so_far = len(found.clean) + np.cumsum(clean)
    total = so_far + np.minimum(len(found.violating) + np.cumsum(violating), found.wanted)
    enough = (candidate & (so_far > 0) & (total >= found.wanted)).nonzero()[0]
    end = int(enough[0]) + 1 if len(enough) else len(rows)
    rows = rows[:end]
    found.clean = np.concatenate((found.clean, rows[clean[:end]]))
    found.violating = np.concatenate((found.violating, rows[violating[:end]]))
    found.failed = np.concatenate((found.failed, rows[~candidate[:end]]))
    return bool(len(enough))
