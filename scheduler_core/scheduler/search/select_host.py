"""The selection of one of the best nodes (schedule_one.go: newSortedNodeScores and its heap)."""

from __future__ import annotations

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
    """Return a random index below `count`, by reservoir sampling: the n-th replaces the choice with probability 1/n."""
    replaced = np.flatnonzero(rng.integers(0, np.arange(2, count + 1)) == 0)
    return int(replaced[-1]) + 1 if len(replaced) else 0
