"""Which candidate is chosen: the six rungs of preemption.go's pickOneNodeForPreemption.

Each rung keeps the candidates that are best by its criterion; the others fall there. The ladder ends as soon as one
candidate is left; the last rung keeps the first of those still standing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

RUNGS = (
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
    """What the ladder compares, one value per candidate (all of the same length)."""

    pdb_violations: NDArray[np.int64]
    highest_priority: NDArray[np.int64]  # of the first victim, the most important one
    priority_sum: NDArray[np.int64]  # of priority + 2^31
    victims: NDArray[np.int64]  # how many
    earliest_start: NDArray[np.float64]  # of the highest-priority victims, seconds

    def rungs(self) -> tuple[NDArray[np.int64] | NDArray[np.float64], ...]:
        """Per rung the values of which the smallest wins."""
        return self.pdb_violations, self.highest_priority, self.priority_sum, self.victims, -self.earliest_start

    def take(self, chosen: NDArray[np.intp]) -> Criteria:
        """Some of the candidates, in the order of their indexes."""
        return Criteria(*(getattr(self, column.name)[chosen] for column in fields(self)))

    @staticmethod
    def concatenate(parts: Sequence[Criteria]) -> Criteria:
        """Those of several lots of candidates, one lot after the other."""
        return Criteria(*(np.concatenate([getattr(part, c.name) for part in parts]) for c in fields(Criteria)))


def pick_one_node_for_preemption(criteria: Criteria) -> tuple[int, NDArray[np.uint8]]:
    """Index of the chosen candidate, and per candidate the rung (1 to 6) on which it fell, 0 for the chosen one."""
    count = len(criteria.victims)
    assert count, "the ladder needs a candidate"
    fell = np.zeros(count, np.uint8)
    standing = np.arange(count)
    for rung, values in enumerate(criteria.rungs(), start=1):
        if len(standing) == 1:
            break
        compared = values[standing]
        best = compared == compared.min()
        fell[standing[~best]] = rung
        standing = standing[best]
    fell[standing[1:]] = len(RUNGS)
    return int(standing[0]), fell
