"""The filters in ring order until enough nodes pass (schedule_one.go: findNodesThatPassFilters)."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.framework.interface import PASS, CycleState, Verdicts
from scheduler_core.framework.runtime.runtime import Framework

RowArray = NDArray[np.intp]
NO_ROWS: RowArray = np.empty(0, np.intp)
SMALLEST_SLICE = 64  # nodes of a slice after the first; smaller slices take nearly as long


class FilteredNodes(msgspec.Struct):
    """Feasible rows in search order, and all evaluated rows with their verdicts.

    The statuses are distinct, and each of them is the status of some row.
    """

    feasible: RowArray
    evaluated: RowArray
    verdicts: Verdicts
    extender_rejections: list[tuple[str, str, str]] = []  # extender, node, message
    error: str = ""  # of the node at which a plugin failed, which ended the search


def find_nodes_that_pass_filters(
    framework: Framework, cycle: CycleState, start: int, rows: RowArray, num_nodes_to_find: int, expected: int = 0
) -> FilteredNodes:
    """Filter `rows` as a ring from `start` until more than `num_nodes_to_find` feasible nodes are found.

    Return the nodes without the last feasible one, but with those that were rejected before it. A plugin's error ends
    the search too. The ring is evaluated in slices; the first one has as many nodes as the search is `expected` to
    evaluate.
    """
    if not len(rows):
        return FilteredNodes(rows, rows, PASS)
    results: list[Verdicts] = []
    slices: list[RowArray] = []
    done, feasible, size = 0, 0, min(max(num_nodes_to_find, expected), 4 * num_nodes_to_find) + 1
    while done < len(rows) and feasible <= num_nodes_to_find:
        slices.append(_slice_of_ring(rows, start + done, min(size, len(rows) - done)))
        results.append(framework.run_filters(cycle, slices[-1]))
        latest = results[-1]
        feasible += len(latest.numbers) - (int(np.count_nonzero(latest.numbers)) if latest.statuses else 0)
        done += size
        size = max(2 * (num_nodes_to_find + 1 - feasible), size // 2, SMALLEST_SLICE)
    verdicts = Verdicts.concat(results)
    evaluated = slices[0] if len(slices) == 1 else np.concatenate(slices)
    if not verdicts.statuses:
        evaluated = evaluated[:num_nodes_to_find]
        return FilteredNodes(evaluated, evaluated, verdicts.at(slice(num_nodes_to_find)))
    passed = verdicts.passes.nonzero()[0]
    end = int(passed[num_nodes_to_find]) if len(passed) > num_nodes_to_find else len(evaluated)
    end, error = _first_error(verdicts.at(slice(end)))
    evaluated, passed = evaluated[:end], passed[: passed.searchsorted(end)]
    return FilteredNodes(evaluated.take(passed), evaluated, verdicts.at(slice(end)).compact(), error=error)


def _slice_of_ring(rows: RowArray, start: int, count: int) -> RowArray:
    """Return `count` rows from position `start`; the first row follows the last."""
    start %= len(rows)
    if start + count <= len(rows):
        return rows[start : start + count]
    return np.concatenate((rows[start:], rows[: start + count - len(rows)]))


def _first_error(verdicts: Verdicts) -> tuple[int, str]:
    """Return the position and error of the first failure; the number of nodes and "" without one."""
    if any(status.is_error for status in verdicts.statuses):
        failed = verdicts.failed().nonzero()[0]
        if len(failed) and (status := verdicts.status(failed[0])) is not None:
            return int(failed[0]), status.message
    return len(verdicts.numbers), ""
