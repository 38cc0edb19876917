"""Which nodes preemption looks at, and when it has seen enough (preemption.go: findCandidates, DryRunPreemption)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.config import DefaultPreemptionArgs
from scheduler_core.apis.core import PodDisruptionBudget
from scheduler_core.framework.interface import Code, CycleState, Diagnosis, Handle, Status
from scheduler_core.plugins.default_preemption.victims import DryRuns, dry_run

Ints = NDArray[np.intp]

SMALLEST_BATCH = 256  # fewer nodes cost hardly less

_NONE: Ints = np.empty(0, np.intp)


@dataclass(frozen=True, slots=True)
class Places:
    """Nodes among the dry runs: the batch that each is in, and where in it."""

    batch: Ints
    position: Ints

    def __len__(self) -> int:
        return len(self.batch)

    def take(self, chosen: Ints) -> Places:
        return Places(self.batch[chosen], self.position[chosen])

    def __add__(self, more: Places) -> Places:
        return Places(np.concatenate((self.batch, more.batch)), np.concatenate((self.position, more.position)))


@dataclass(slots=True)
class Found:
    """What the dry runs found among `potential` nodes, when `wanted` candidates are enough.

    `clean` and `violating` are the candidates without and with victims that violate a budget, `failed` the nodes that
    were looked at in vain; each in node order.
    """

    potential: int
    wanted: int
    batches: list[DryRuns] = field(default_factory=list)
    clean: Places = Places(_NONE, _NONE)
    violating: Places = Places(_NONE, _NONE)
    failed: Places = Places(_NONE, _NONE)

    @property
    def candidates(self) -> Places:
        """In the order in which they are compared; of the violating ones only so many are kept."""
        return self.clean + self.violating.take(np.arange(min(len(self.violating), self.wanted)))

    def row(self, places: Places, index: int) -> int:
        """The node's row."""
        return int(self.batches[places.batch[index]].rows[places.position[index]])

    def status(self, index: int) -> Status:
        """Why the `index`-th failed node is no candidate."""
        runs = self.batches[int(self.failed.batch[index])]
        return runs.statuses[int(runs.which[self.failed.position[index]]) - 1]


def candidates_wanted(potential: int, args: DefaultPreemptionArgs) -> int:
    """How many candidates end the search: a share of the potential nodes, but not fewer than an absolute number.

    default_preemption.go's calculateNumCandidates, in Go's truncating division.
    """
    share = potential * args.min_candidate_nodes_percentage // 100
    return min(max(share, args.min_candidate_nodes_absolute), potential)


def find_candidates(handle: Handle, cycle: CycleState, diagnosis: Diagnosis, args: DefaultPreemptionArgs) -> Found:
    """Dry-run the nodes that were plainly unschedulable, from the first on (kube-scheduler begins at a random one)."""
    codes = diagnosis.codes()
    more = handle.release.rules.preemption_tries_all_but_unresolvable
    potential = np.flatnonzero(codes != Code.UNSCHEDULABLE_AND_UNRESOLVABLE if more else codes == Code.UNSCHEDULABLE)
    found = Found(len(potential), candidates_wanted(len(potential), args))
    budgets = [item for item in handle.cluster.objects("PodDisruptionBudget") if isinstance(item, PodDisruptionBudget)]
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
        done = _sort_in(found, run(potential[start : start + size]))
        start += size


def _sort_in(found: Found, runs: DryRuns) -> bool:
    """Take over a batch, up to the node that ends the search; True if there is one."""
    candidate = runs.which == 0
    clean, violating = candidate & (runs.pdb_violations == 0), candidate & (runs.pdb_violations > 0)
    so_far = len(found.clean) + np.cumsum(clean)
    total = so_far + np.minimum(len(found.violating) + np.cumsum(violating), found.wanted)
    enough = np.flatnonzero(candidate & (so_far > 0) & (total >= found.wanted))
    end = int(enough[0]) + 1 if len(enough) else len(runs.rows)

    def places(chosen: NDArray[np.bool_]) -> Places:
        positions = np.flatnonzero(chosen[:end])
        return Places(np.full(len(positions), len(found.batches), np.intp), positions)

    found.clean += places(clean)
    found.violating += places(violating)
    found.failed += places(~candidate)
    found.batches.append(runs)
    return bool(len(enough))
