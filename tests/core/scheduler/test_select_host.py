"""The best node on top of Go's heap is chosen: the fast rule agrees with the heap itself."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from scheduler_core.scheduler.search.scored_nodes import ScoredNodes
from scheduler_core.scheduler.search.select_host import top_of_heap


@pytest.mark.parametrize("seed", range(200))
def test_the_first_in_preorder_is_on_top_of_the_heap(seed):
    random = Random(seed)
    totals = [random.randrange(random.choice((1, 2, 3, 50))) for _ in range(random.randrange(1, 40))]
    tied = np.flatnonzero(np.array(totals) == max(totals))
    nodes = ScoredNodes(range(len(totals)), totals, {})
    order = [nodes.pop() for _ in totals]
    assert tied[top_of_heap(tied)] == order[0]
    assert sorted(order) == list(range(len(totals)))
    assert [totals[place] for place in order] == sorted(totals, reverse=True)
