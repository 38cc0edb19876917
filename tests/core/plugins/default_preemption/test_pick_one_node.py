"""The six criteria of pickOneNodeForPreemption: each decides if the ones before it are equal."""

from __future__ import annotations

import numpy as np
import pytest

from scheduler_core.plugins.default_preemption.pick_one_node import (
    PRIORITY_OFFSET,
    Criteria,
    pick_one_node_for_preemption,
)


def criteria(*candidates: tuple[int, int, int, int, float]) -> Criteria:
    """Return criteria from (violations, highest priority, sum of priorities, victims, earliest start) of each
    candidate."""
    violations, highest, total, victims, starts = zip(*candidates, strict=True)
    sums = [t + v * PRIORITY_OFFSET for t, v in zip(total, victims, strict=True)]
    integers = [np.array(column, np.int64) for column in (violations, highest, sums, victims)]
    return Criteria(*integers, np.array(starts, np.float64))


BASE = (0, 10, 20, 2, 100.0)


@pytest.mark.parametrize(
    ("worse", "better", "rung"),
    [
        ((1, 0, 0, 1, 900.0), BASE, 1),
        ((0, 11, 11, 1, 900.0), BASE, 2),
        ((0, 10, 21, 2, 900.0), BASE, 3),
        ((0, 10, 20, 2, 99.0), BASE, 5),
        (BASE, BASE, 6),
    ],
)
def test_each_rung_decides_when_the_ones_above_are_equal(worse, better, rung):
    if rung == 6:
        chosen, fell = pick_one_node_for_preemption(criteria(better, worse))
        assert (chosen, fell.tolist()) == (0, [0, 6])
        return
    chosen, fell = pick_one_node_for_preemption(criteria(worse, better))
    assert (chosen, fell.tolist()) == (1, [rung, 0])


def test_fewer_victims_decide_only_where_the_sums_are_equal_which_takes_the_lowest_priority():
    lowest = -(2**31)
    many, few = (0, lowest, 3 * lowest, 3, 0.0), (0, lowest, 2 * lowest, 2, 0.0)
    chosen, fell = pick_one_node_for_preemption(criteria(many, few))
    assert (chosen, fell.tolist()) == (1, [4, 0])


def test_one_victim_more_of_negative_priority_weighs_more_than_a_lower_sum():
    two, one = (0, -10, -20, 2, 0.0), (0, -10, -10, 1, 0.0)
    chosen, fell = pick_one_node_for_preemption(criteria(two, one))
    assert (chosen, fell.tolist()) == (1, [3, 0])


def test_a_single_candidate_is_chosen_without_comparison():
    chosen, fell = pick_one_node_for_preemption(criteria((5, 5, 5, 5, 5.0)))
    assert (chosen, fell.tolist()) == (0, [0])


def test_every_loser_carries_the_rung_on_which_it_fell():
    ladder = criteria((1, 0, 0, 1, 0.0), (0, 9, 9, 1, 0.0), (0, 5, 9, 2, 0.0), (0, 5, 5, 1, 1.0), (0, 5, 5, 1, 2.0))
    chosen, fell = pick_one_node_for_preemption(ladder)
    assert (chosen, fell.tolist()) == (4, [1, 2, 3, 5, 0])


def test_of_candidates_whose_victims_have_not_started_the_last_is_taken_where_each_is_asked_for_now():
    unstarted = (0, 10, 20, 2, np.inf)
    ladder = criteria(unstarted, BASE, unstarted, (0, 11, 20, 2, np.inf))
    chosen, fell = pick_one_node_for_preemption(ladder, unstarted_start_in_turn=True)
    assert (chosen, fell.tolist()) == (2, [5, 5, 0, 2])
    chosen, fell = pick_one_node_for_preemption(ladder)
    assert (chosen, fell.tolist()) == (0, [0, 5, 6, 2])
