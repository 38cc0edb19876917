"""The filters in ring order until enough nodes pass (schedule_one.go: findNodesThatPassFilters)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.framework.interface import CycleState, FilterResult, Status
from scheduler_core.framework.runtime.runtime import Framework

RowArray = NDArray[np.intp]
NO_ROWS: RowArray = np.empty(0, np.intp)


class FilteredNodes(msgspec.Struct):
    """Feasible rows in search order, and all evaluated rows.

    Row i passed if `which[i]` is 0; otherwise it was rejected with `statuses[which[i] - 1]`. The statuses are
    distinct, and each of them is the status of some row.
    """

    feasible: RowArray
    evaluated: RowArray
    which: NDArray[np.int16]
    statuses: list[Status]
    extender_rejections: list[tuple[str, str, str]] = []  # extender, node, message
    error: str = ""  # of the node at which a plugin failed, which ended the search


def find_nodes_that_pass_filters(
    framework: Framework, cycle: CycleState, start: int, rows: RowArray, num_nodes_to_find: int, expected: int = 0
) -> FilteredNodes:
    """Filter `rows` as a ring from `start` until more than `wanted` feasible nodes are found.

    That last node is not counted, but nodes rejected before it are. A plugin's error ends the search too. The ring is
    evaluated in slices; the first one has as many nodes as the search is `expected` to evaluate.
    """
    if not len(rows):
        return FilteredNodes(rows, rows, np.empty(0, np.int16), [])
    results: list[FilterResult] = []
    slices: list[RowArray] = []
    done, feasible, size = 0, 0, min(max(num_nodes_to_find, expected), 4 * num_nodes_to_find) + 1
    while done < len(rows) and feasible <= num_nodes_to_find:
        slices.append(_slice_of_ring(rows, start + done, min(size, len(rows) - done)))
        results.append(framework.run_filters(cycle, slices[-1]))
        which = results[-1].which
        feasible += len(which) - (int(np.count_nonzero(which)) if results[-1].statuses else 0)
        done += size
        size = max(2 * (num_nodes_to_find + 1 - feasible), size // 2, 64)
    which, statuses = _concatenate(results)
    evaluated = slices[0] if len(slices) == 1 else np.concatenate(slices)
    if not statuses:
        evaluated = evaluated[:num_nodes_to_find]
        return FilteredNodes(evaluated, evaluated, which[:num_nodes_to_find], [])
    passed = (which == 0).nonzero()[0]
    end = int(passed[num_nodes_to_find]) if len(passed) > num_nodes_to_find else len(which)
    end, error = _first_error(which[:end], statuses)
    evaluated, passed = evaluated[:end], passed[: passed.searchsorted(end)]
    which, statuses = _drop_unused(which[:end], statuses)
    return FilteredNodes(evaluated.take(passed), evaluated, which, statuses, error=error)


def _slice_of_ring(rows: RowArray, start: int, count: int) -> RowArray:
    """Return `count` rows from position `start`; the first row follows the last."""
    start %= len(rows)
    if start + count <= len(rows):
        return rows[start : start + count]
    return np.concatenate((rows[start:], rows[: start + count - len(rows)]))


def _concatenate(results: Sequence[FilterResult]) -> tuple[NDArray[np.int16], Sequence[Status]]:
    """Return the results of all slices as one."""
    if len(results) == 1:
        return results[0].which, results[0].statuses
    statuses: list[Status] = []
    parts = []
    for result in results:
        parts.append(np.where(result.which > 0, result.which + len(statuses), 0))
        statuses += result.statuses
    return np.concatenate(parts).astype(np.int16), statuses


def _first_error(which: NDArray[np.int16], statuses: Sequence[Status]) -> tuple[int, str]:
    """Return the position and error of the first failure; the number of nodes and "" without one."""
    errors = [number for number, status in enumerate(statuses, 1) if status.is_error]
    failed = np.isin(which, errors).nonzero()[0] if errors else NO_ROWS
    if not len(failed):
        return len(which), ""
    return int(failed[0]), statuses[which[failed[0]] - 1].message


def _drop_unused(which: NDArray[np.int16], statuses: Sequence[Status]) -> tuple[NDArray[np.int16], list[Status]]:
    """Remove unused statuses and merge equal ones."""
    numbers: dict[Status, int] = {}
    codes = [0] * (len(statuses) + 1)
    rows_by_number = np.bincount(which).tolist()
    for i, rows in enumerate(rows_by_number):
        if i and rows:
            codes[i] = numbers.setdefault(statuses[i - 1], len(numbers) + 1)
    if len(numbers) == len(rows_by_number) - 1:  # each keeps its number
        return which, list(numbers)
    return np.array(codes, np.int16).take(which), list(numbers)
