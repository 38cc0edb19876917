"""DynamicResources for pods without resource claims: it filters nothing, and no pod waits for it.

The message of its PostFilter is in `schedule_one`, because it depends on the result of PreFilter.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.reference.framework.interface import Cycle, NodeWithPods, Plugin, Scores


class DynamicResources(Plugin):
    def score(self, cycle: Cycle, feasible: Sequence[NodeWithPods]) -> Scores:
        nothing = {node.name: 0 for node, _ in feasible}
        return Scores(nothing, nothing)
