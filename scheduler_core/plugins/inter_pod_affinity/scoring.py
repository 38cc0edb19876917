"""InterPodAffinity's score: the weights of all terms that match (interpodaffinity/scoring.go).

raw = the sum of the weights over all pairs of a pod in the node's domain and a preferred term of either pod that
matches the other, negative for anti-affinity; an existing pod's required affinity counts with hardPodAffinityWeight.
normalized = int(100 * (raw - min) / (max - min)) in float64; all 0 when all are equal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scheduler_core.framework.interface import MAX_NODE_SCORE, Scores
from scheduler_core.plugins.inter_pod_affinity.counting import ScoringTerm
from scheduler_core.trace.columns import highest, lowest


def score(terms: list[ScoringTerm], rows: NDArray[np.intp]) -> Scores:
    """Return the raw scores of the feasible rows: for each term, its weight times the pods in the row's domain."""
    total = np.zeros(len(rows), np.int64)
    for term in terms:
        total += term.weight * term.counter.cells.take(term.domains.codes.take(rows))
    return total


def normalize(scores: Scores) -> Scores:
    """Return the scores of the feasible rows, scaled to 0 to 100; all 0 if they are equal (NormalizeScore)."""
    low, high = lowest(scores), highest(scores)
    if low == high:
        return np.zeros(len(scores), np.int64)
    share = (scores - low) / float(high - low)
    share *= float(MAX_NODE_SCORE)
    return share.astype(np.int64)
