"""DynamicResources, for pods without resource claims: nothing is filtered, and no pod waits for it.

What its PostFilter says stands in the scheduling cycle, since it depends on what PreFilter came to.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.reference.framework.interface import Cycle, NodeWithPods, Plugin, Scores


class DynamicResources(Plugin):
    def score(self, cycle: Cycle, feasible: Sequence[NodeWithPods]) -> Scores:
        nothing = {node.name: 0 for node, _ in feasible}
        return Scores(nothing, nothing)
