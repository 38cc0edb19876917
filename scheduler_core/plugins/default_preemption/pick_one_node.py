"""The choice between candidates by six criteria (preemption.go: pickOneNodeForPreemption).

Each criterion keeps the best candidates and drops the others, until one candidate is left; the last criterion keeps the
first of the remaining ones.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.framework.status import Rows

CRITERIA = (
    "fewest PDB violations",
    "lowest highest-priority victim",
    "smallest sum of the victims' priorities",
    "fewest victims",
    "latest start of the highest-priority victims",
    "first candidate",
)
PRIORITY_OFFSET = 2**31  # makes every priority count as positive in the sum


class Criteria(msgspec.Struct, frozen=True):
    """The compared values, one per candidate."""

    pdb_violations: NDArray[np.int64]
    highest_priority: NDArray[np.int64]  # that of the first victim, in the order of `DryRunBatch.victims`
    priority_sum: NDArray[np.int64]  # the sum of (priority + 2^31)
    victims: NDArray[np.int64]  # the number of victims
    earliest_start: NDArray[np.float64]  # of the highest-priority victims, in seconds; infinite if none has started

    def in_order(self) -> tuple[NDArray[np.int64] | NDArray[np.float64], ...]:
        """Return the values of each criterion but the last, in order; the smallest value wins."""
        return self.pdb_violations, self.highest_priority, self.priority_sum, self.victims, -self.earliest_start

    def take(self, positions: Rows) -> Criteria:
        """Return the values of the candidates at `positions`, in that order."""
        return Criteria(*(getattr(self, column)[positions] for column in self.__struct_fields__))

    def put(self, rows: NDArray[np.intp], values: Criteria) -> None:
        """Replace the values of the candidates at `rows`."""
        for column in self.__struct_fields__:
            getattr(self, column)[rows] = getattr(values, column)

    @staticmethod
    def zeros(count: int) -> Criteria:
        """Return criteria filled with zeros."""
        violations, highest, sums, victims = np.zeros((4, count), np.int64)
        return Criteria(violations, highest, sums, victims, np.zeros(count))


def pick_one_node_for_preemption(
    criteria: Criteria, *, unstarted_start_in_turn: bool = False
) -> tuple[int, NDArray[np.uint8]]:
    """Return the index of the selected candidate and, per candidate, the criterion (1 to 6) that dropped it, 0 for the
    selected one.

    Victims that have not started count as starting now (`GetPodStartTime`). `unstarted_start_in_turn`: "now" is later
    for each candidate, so among candidates whose highest-priority victims have all not started, the last one wins.
    """
    count = len(criteria.victims)
    assert count, "there is no candidate to pick from"
    dropped_by = np.zeros(count, np.uint8)
    remaining = np.arange(count)
    for number, values in enumerate(criteria.in_order(), start=1):
        if len(remaining) == 1:
            break
        compared = values[remaining]
        least = compared.item(compared.argmin())
        best = compared == least
        if unstarted_start_in_turn and least == -np.inf:
            best[best.nonzero()[0][:-1]] = False
        dropped_by[remaining[~best]] = number
        remaining = remaining[best]
    dropped_by[remaining[1:]] = len(CRITERIA)
    return int(remaining[0]), dropped_by
