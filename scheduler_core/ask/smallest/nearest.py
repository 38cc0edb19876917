"""The nearest nodes of a pending pod: those that need the fewest changes, with all of these changes.

All plugins are evaluated, so that one change does not only uncover the next obstacle. A node that no edit makes
feasible is reported with the remaining objections.
"""

from __future__ import annotations

import msgspec

from scheduler_core.apis.core import PodKey
from scheduler_core.ask.moments.moment import Moment
from scheduler_core.ask.smallest.coverage import Coverage, cover
from scheduler_core.ask.smallest.smallest_change import Changed, ChangeSearch, without_needless
from scheduler_core.trace.records import NodeName

NEAREST = 3
LOOKED_AT = 8  # the number of nodes that are searched
TRIES = 60  # for each node


class Near(msgspec.Struct, frozen=True):
    """A node and the changes that it needs; on `others` more nodes the same changes are enough.

    `left`: the objections that no edit of the pod or the node resolves; there are no changes then. `plugins`: those
    that object to the node. `coverage`: what the changes of the first result do for the pod's workload, if
    more pods of it wait.
    """

    node: NodeName
    changed: list[Changed] = []
    others: int = 0
    left: list[str] = []
    plugins: list[str] = []
    coverage: Coverage | None = None


def nearest(moment: Moment, key: PodKey, most: int = NEAREST) -> list[Near]:
    """Return the nearest nodes, the fewest changes first; [] if the pod gets a node.

    No result contains all changes of another one; results that contradict the cluster are returned only if there are no
    others. Raises NotPossible.
    """
    search = ChangeSearch(moment, key)
    if search.decision.node:
        return []
    names = search.nodes()[:LOOKED_AT]
    changes_found = [change for name in names for change in search.smallest_on(name, TRIES)]
    changes = without_needless(
        sorted(changes_found, key=lambda change: change.rank), lambda change: frozenset(change.changed)
    )
    if changes and not changes[0].false:
        changes = [change for change in changes if not change.false]
    seen: set[NodeName] = set()
    near: list[Near] = []
    for change in changes:
        if change.node not in seen and len(near) < most:
            plugins = search.plugins_on(change.node)
            covered = cover(moment, key, change.edits) if not near else None
            near.append(Near(change.node, change.changed, len(change.others), plugins=plugins, coverage=covered))
            seen.update((change.node, *change.others))
    return near or [
        Near(name, left=search.objections_on(name), plugins=search.plugins_on(name)) for name in names[:most]
    ]
