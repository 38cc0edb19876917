"""Which candidate is chosen: the six criteria of preemption.go's pickOneNodeForPreemption.

Each criterion keeps the candidates that are best by it and drops the others. It ends as soon as one candidate is left;
the last criterion keeps the first of those that are left.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

CRITERIA = (
    "fewest PDB violations",
    "lowest highest-priority victim",
    "smallest sum of the victims' priorities",
    "fewest victims",
    "latest start of the highest-priority victims",
    "first candidate",
)
PRIORITY_OFFSET = 2**31  # makes every priority count as positive in the sum


@dataclass(frozen=True, slots=True)
class Criteria:
    """What the criteria compare, one value per candidate (all of the same length)."""

    pdb_violations: NDArray[np.int64]
    highest_priority: NDArray[np.int64]  # of the first victim, the most important one
    priority_sum: NDArray[np.int64]  # of priority + 2^31
    victims: NDArray[np.int64]  # how many
    earliest_start: NDArray[np.float64]  # of the highest-priority victims, seconds

    def in_order(self) -> tuple[NDArray[np.int64] | NDArray[np.float64], ...]:
        """Per criterion the values of which the smallest wins."""
        return self.pdb_violations, self.highest_priority, self.priority_sum, self.victims, -self.earliest_start

    def take(self, chosen: NDArray[np.intp]) -> Criteria:
        """Some of the candidates, in the order of their indexes."""
        return Criteria(*(getattr(self, column.name)[chosen] for column in fields(self)))

    def put(self, rows: NDArray[np.intp], values: Criteria) -> None:
        """Write over the values of some candidates."""
        for column in fields(self):
            getattr(self, column.name)[rows] = getattr(values, column.name)

    @staticmethod
    def zeros(count: int) -> Criteria:
        """To be written over."""
        violations, highest, sums, victims = np.zeros((4, count), np.int64)
        return Criteria(violations, highest, sums, victims, np.zeros(count))


def pick_one_node_for_preemption(criteria: Criteria) -> tuple[int, NDArray[np.uint8]]:
    """Index of the chosen candidate, and per candidate the criterion (1 to 6) that dropped it, 0 for the chosen one."""
    count = len(criteria.victims)
    assert count, "there is no candidate to pick from"
    dropped_by = np.zeros(count, np.uint8)
    left = np.arange(count)
    for number, values in enumerate(criteria.in_order(), start=1):
        if len(left) == 1:
            break
        compared = values[left]
        best = compared == compared.min()
        dropped_by[left[~best]] = number
        left = left[best]
    dropped_by[left[1:]] = len(CRITERIA)
    return int(left[0]), dropped_by
