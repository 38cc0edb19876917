"""Filters before 1.26: all plugins evaluate every node, and their results are merged (PluginToStatus.Merge)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler_core.framework.status import SUCCESS, Code, Status

STRENGTH = {Code.UNSCHEDULABLE: 1, Code.UNSCHEDULABLE_AND_UNRESOLVABLE: 2, Code.ERROR: 3}


def merge_statuses(first: Status, second: Status, *, names_all: bool = False) -> Status:
    """Return the reasons of both statuses with the code and plugin of the stronger one; errors are never merged.

    `names_all`: both plugins are named, separated by a comma.
    """
    if first.is_success or second.is_error:
        return second
    stronger = second if STRENGTH.get(second.code, 0) > STRENGTH.get(first.code, 0) else first
    plugin = f"{first.plugin},{second.plugin}" if names_all else stronger.plugin
    return Status(stronger.code, first.reasons + second.reasons, plugin)


class AllVerdicts:
    """The verdicts so far: row i has `statuses[which[i]]`; the first status is success.

    Statuses that no row has any more are dropped, so their numbers fit into int16 however many plugins reject.
    """

    def __init__(self, rows: int, *, names_all: bool = False) -> None:
        self._names_all = names_all
        self.which = np.zeros(rows, np.int16)
        self.statuses: list[Status] = [SUCCESS]

    def without_error(self) -> NDArray[np.intp]:
        """Return the rows for which no plugin returned an error."""
        failed = [status.is_error for status in self.statuses]
        positions: NDArray[np.intp] = np.flatnonzero(~np.array(failed)[self.which])
        return positions

    def add(self, positions: NDArray[np.intp], which: NDArray[np.int16], statuses: Sequence[Status]) -> None:
        """Add the verdicts of a plugin."""
        rejected = which.nonzero()[0]
        at, number = positions[rejected], which[rejected]
        pairs = np.stack((self.which[at].astype(np.intp), number.astype(np.intp)))
        distinct, inverse = np.unique(pairs, axis=1, return_inverse=True)
        merged = [
            merge_statuses(self.statuses[old], statuses[new - 1], names_all=self._names_all)
            for old, new in distinct.T.tolist()
        ]
        latest = self.which.astype(np.intp)
        latest[at] = len(self.statuses) + inverse.reshape(-1)
        used = np.union1d(0, latest)
        candidates = [*self.statuses, *merged]
        self.statuses = [candidates[number] for number in used.tolist()]
        self.which = used.searchsorted(latest).astype(np.int16)
