"""Objections: every plugin's reasons against a pod on every node, each plugin on its own.

A scheduling cycle stops at the first plugin that rejects a node, but a change has to satisfy all plugins.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.framework.interface import CycleState, PreFilterResult, Status, Verdicts
from scheduler_core.framework.runtime.runtime import Framework


class Objections(msgspec.Struct):
    """The objections to a pod: `everywhere` for all nodes (from PreFilter), and those for each of `rows`."""

    names: list[str]
    rows: NDArray[np.intp]
    everywhere: list[Status] = []
    _by_plugin: list[Verdicts] = []

    def of(self, position: int) -> list[Status]:
        """Return all objections to the node at a position of `rows`, in plugin order."""
        rejections = (verdicts.status(position) for verdicts in self._by_plugin)
        return [*self.everywhere, *(status for status in rejections if status is not None)]

    def signatures(self) -> NDArray[np.intp]:
        """Return int[len(rows)]: nodes with equal numbers have equal objections."""
        numbers = np.zeros(len(self.rows), np.intp)
        for verdicts in self._by_plugin:
            if np.count_nonzero(verdicts.numbers):
                pairs = np.stack((numbers, verdicts.numbers.astype(np.intp)))
                numbers = np.unique(pairs, axis=1, return_inverse=True)[1].reshape(-1)
        return numbers


def run_every_plugin(framework: Framework, cycle: CycleState, rows: NDArray[np.intp]) -> Objections:
    """Return the objections of PreFilter and Filter of all plugins. Requires a snapshot."""
    nodes = framework.cluster.nodes
    objections = Objections([nodes.names[row] for row in rows.tolist()], rows)
    rejecting: set[str] = set()
    for name, pre_filter in framework.pre_filters:
        result: PreFilterResult = pre_filter(cycle.pod, framework.cluster)
        cycle.states[name] = result.state
        if result.status.is_skip:
            cycle.skip_filter.add(name)
        elif not result.status.is_success:
            objections.everywhere.append(result.status.by(name))
            rejecting.add(name)
    cycle.skip_filter |= rejecting
    objections._by_plugin.extend(framework.filters.run_each(cycle, rows, framework.nominator))
    return objections
