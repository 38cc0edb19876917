"""Filtering in which every filter evaluates every node, and the results are merged (PluginToStatus.Merge).

1.25 always does this; 1.15 to 1.18 only with a Policy that has alwaysCheckAllPredicates, and within GeneralPredicates.
"""

from __future__ import annotations

import numpy as np

from scheduler_core.framework.status import SUCCESS, Code, Status, Verdicts, compact

STRENGTH = {Code.UNSCHEDULABLE: 1, Code.UNSCHEDULABLE_AND_UNRESOLVABLE: 2, Code.ERROR: 3}


def merge_statuses(first: Status, second: Status, *, names_all: bool = False) -> Status:
    """Return the reasons of both statuses with the code and plugin of the stronger one, or of the first if they tie.

    If the first is a success or the second an error, return the second. `names_all`: both plugins are named, separated
    by a comma.
    """
    if first.is_success or second.is_error:
        return second
    stronger = second if STRENGTH.get(second.code, 0) > STRENGTH.get(first.code, 0) else first
    plugin = f"{first.plugin},{second.plugin}" if names_all else stronger.plugin
    return Status(stronger.code, first.reasons + second.reasons, plugin)


def merge(first: Verdicts, second: Verdicts, *, names_all: bool = False) -> Verdicts:
    """Return both verdicts about the same rows, with the statuses of rows that both reject merged.

    Unused statuses are dropped, so that their numbers fit into int16 for any number of plugins.
    """
    rejected = second.numbers.nonzero()[0]
    if not len(rejected):
        return first
    pairs = first.numbers[rejected].astype(np.intp) * (len(second.statuses) + 1) + second.numbers[rejected]
    distinct, inverse = np.unique(pairs, return_inverse=True)
    earlier = (SUCCESS, *first.statuses)
    merged = [
        merge_statuses(earlier[old], second.statuses[new - 1], names_all=names_all)
        for old, new in (divmod(pair, len(second.statuses) + 1) for pair in distinct.tolist())
    ]
    numbers = first.numbers.astype(np.intp)
    numbers[rejected] = len(earlier) + inverse
    return compact(numbers, [*first.statuses, *merged])
