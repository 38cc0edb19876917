"""Feasible nodes as a heap by total score (framework: sortedNodeScores, nodeScoreHeap)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Self

import numpy as np

from scheduler_core.framework.interface import Scores
from scheduler_core.framework.runtime.scores import PluginScore


class ScoredNodes:
    """Nodes with their total score and their raw score by plugin. The order of equal nodes is container/heap's.

    The heap is built when the first node is popped.
    """

    def __init__(self, names: Sequence[str], totals: Sequence[int], raw: Mapping[str, Scores]) -> None:
        self._names = names
        self._totals = totals
        self._raw = raw
        self._heap: list[int] | None = None  # positions

    @classmethod
    def without_the_best(cls, names: Sequence[str], totals: Scores, scores: Sequence[PluginScore]) -> Self:
        """Return all nodes but the best one. The scores are copied, since plugins may change theirs later."""
        raw = {score.plugin: score.columns(len(names))[0].copy() for score in scores}
        nodes = cls(names, totals.tolist(), raw)
        nodes.pop()
        return nodes

    def __len__(self) -> int:
        return len(self._names) if self._heap is None else len(self._heap)

    def copy(self) -> ScoredNodes:
        other = ScoredNodes(self._names, self._totals, self._raw)
        other._heap = None if self._heap is None else list(self._heap)
        return other

    def pop(self) -> str:
        """Remove the best node and return its name."""
        heap = self._heap
        if heap is None:
            heap = self._heap = list(range(len(self._names)))
            for place in reversed(range(len(heap) // 2)):
                _down(heap, self._totals, place, len(heap))
        heap[0], heap[-1] = heap[-1], heap[0]
        _down(heap, self._totals, 0, len(heap) - 1)
        return self._names[heap.pop()]

    def with_node(
        self,
        name: str,
        scores: Sequence[PluginScore],
        totals_of: Callable[[Sequence[str], Mapping[str, Scores]], Scores],
    ) -> ScoredNodes | None:
        """Return these nodes and one more, in a new heap; None if other plugins scored it.

        `totals_of` returns the total scores for names and raw scores by plugin.
        """
        if {score.plugin for score in scores} != self._raw.keys():
            return None
        kept = range(len(self._names)) if self._heap is None else self._heap
        names = [*(self._names[position] for position in kept), name]
        raw = {
            score.plugin: np.append(self._raw[score.plugin][np.array(kept, np.intp)], score.columns(1)[0])
            for score in scores
        }
        return ScoredNodes(names, totals_of(names, raw).tolist(), raw)


def _down(heap: list[int], totals: Sequence[int], place: int, end: int) -> None:
    """Move the entry at `place` down until its children are not better (container/heap: down)."""
    while (child := 2 * place + 1) < end:
        if child + 1 < end and totals[heap[child + 1]] > totals[heap[child]]:
            child += 1
        if totals[heap[child]] <= totals[heap[place]]:
            return
        heap[place], heap[child] = heap[child], heap[place]
        place = child
