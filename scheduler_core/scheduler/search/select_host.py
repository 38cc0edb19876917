"""The selection of one of the best nodes (schedule_one.go: newSortedNodeScores and its heap)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.intp]  # of nodes among the feasible ones, in the order found


def top_of_heap(tied: Positions) -> int:
    """Return the index into `tied` of the position on top of the heap of all positions.

    container/heap compares a node with its better child (the left one if they are equal) and swaps only if the child is
    better. So among equal nodes, an ancestor precedes its descendants and the left branch the right one: the first in
    preorder wins.
    """
    places = tied + 1  # in binary, after the leading 1: the way down, 0 left and 1 right
    depths = np.frexp(places)[1]
    aligned = places << (depths.max() - depths)
    return int(np.lexsort((depths, aligned))[0])


def draw(rng: np.random.Generator, count: int) -> int:
    """Return one of `count` at random by reservoir sampling, with rand.Intn(n) for the n-th."""
    replaced = np.flatnonzero(rng.integers(0, np.arange(2, count + 1)) == 0)
    return int(replaced[-1]) + 1 if len(replaced) else 0


def in_heap_order(totals: Sequence[int]) -> Iterator[int]:
    """Yield all positions as container/heap pops them, best first."""
    heap = list(range(len(totals)))
    for place in reversed(range(len(heap) // 2)):
        _down(heap, totals, place, len(heap))
    for end in reversed(range(len(heap))):
        heap[0], heap[end] = heap[end], heap[0]
        _down(heap, totals, 0, end)
        yield heap[end]


def _down(heap: list[int], totals: Sequence[int], place: int, end: int) -> None:
    while (child := 2 * place + 1) < end:
        if child + 1 < end and totals[heap[child + 1]] > totals[heap[child]]:
            child += 1
        if totals[heap[child]] <= totals[heap[place]]:
            return
        heap[place], heap[child] = heap[child], heap[place]
        place = child
