"""Scoring strategies of NodeResourcesFit: LeastAllocated, MostAllocated, RequestedToCapacityRatio.

kube-scheduler: noderesources/least_allocated.go, most_allocated.go, requested_to_capacity_ratio.go. All arithmetic is
on int64 and truncates, as in Go; only RequestedToCapacityRatio rounds its weighted mean.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scheduler_core.apis.config import UtilizationShapePoint
from scheduler_core.framework.interface import MAX_NODE_SCORE
from scheduler_core.plugins.node_resources.allocation import Amounts, Exists

MAX_UTILIZATION = 100
MAX_CUSTOM_PRIORITY_SCORE = 10


def least_allocated(requested: Amounts, allocatable: Amounts) -> Amounts:
    """Return (allocatable - requested) * 100 / allocatable, 0 if more is requested; `allocatable` has no zeros."""
    score: Amounts = np.maximum(allocatable - requested, 0) * MAX_NODE_SCORE // allocatable
    return score


def most_allocated(requested: Amounts, allocatable: Amounts) -> Amounts:
    """Return requested * 100 / allocatable, at most 100."""
    return np.minimum(requested, allocatable) * MAX_NODE_SCORE // allocatable


def utilization(requested: Amounts, allocatable: Amounts) -> Amounts:
    """Return the utilization in percent, 100 if more is requested than allocatable."""
    return np.minimum(requested, allocatable) * MAX_UTILIZATION // allocatable


def broken_linear(
    shape: Sequence[UtilizationShapePoint], percent: Amounts, scale: int = MAX_NODE_SCORE // MAX_CUSTOM_PRIORITY_SCORE
) -> Amounts:
    """Return the score of each utilization by the shape, times `scale`.

    The function is constant outside the points and linear between them; division truncates towards zero.
    """
    scores = np.full(len(percent), shape[-1].score * scale, np.int64)
    for i in reversed(range(len(shape))):
        up_to_point = percent <= shape[i].utilization
        if i == 0:
            scores[up_to_point] = shape[0].score * scale
            continue
        rise = (shape[i].score - shape[i - 1].score) * scale * (percent[up_to_point] - shape[i - 1].utilization)
        run = shape[i].utilization - shape[i - 1].utilization
        scores[up_to_point] = shape[i - 1].score * scale + np.sign(rise) * (np.abs(rise) // run)
    return scores


def weighted_mean(parts: Sequence[tuple[Amounts, Exists, int]], length: int) -> Amounts:
    """Return sum(score * weight) / sum(weight) over (score, where it applies, weight); 0 if none applies."""
    total: Amounts = np.zeros(length, np.int64)
    weights: Amounts | int = 0
    for score, exists, weight in parts:
        weighted = score if weight == 1 else score * weight
        total += weighted if exists is None else np.where(exists, weighted, 0)
        weights = weights + (weight if exists is None else np.where(exists, weight, 0))
    return total // (max(weights, 1) if isinstance(weights, int) else np.maximum(weights, 1))


def rounded_weighted_mean(parts: Sequence[tuple[Amounts, Exists, int]], length: int) -> Amounts:
    """Return the weighted mean in float64, rounded half away from zero; a resource with score 0 does not count."""
    total, weights = np.zeros(length, np.int64), np.zeros(length, np.int64)
    for score, exists, weight in parts:
        counted = score > 0 if exists is None else exists & (score > 0)
        total += np.where(counted, score * weight, 0)
        weights += np.where(counted, weight, 0)
    return np.floor(total / np.maximum(weights, 1) + 0.5).astype(np.int64)
