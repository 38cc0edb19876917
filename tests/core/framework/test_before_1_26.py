"""Before 1.26 every filter plugin evaluates every node, so each adds as many statuses as there are nodes."""

from __future__ import annotations

import numpy as np

from scheduler_core.framework.runtime.before_1_26 import merge
from scheduler_core.framework.status import Code, Status, Verdicts

NODES = 5000
FILTERS = 8


def test_statuses_of_many_filters_on_many_nodes_are_distinguished() -> None:
    verdicts = Verdicts.passing(NODES)
    for plugin in range(FILTERS):
        statuses = [Status(Code.UNSCHEDULABLE, (f"{plugin} rejects n{row}",), str(plugin)) for row in range(NODES)]
        verdicts = merge(verdicts, Verdicts(np.arange(1, NODES + 1, dtype=np.int16), statuses))
    for row in (0, 1, NODES // 2, NODES - 1):
        status = verdicts.status(row)
        assert status is not None
        assert status.reasons == tuple(f"{plugin} rejects n{row}" for plugin in range(FILTERS))
