"""The nearest nodes of a pod that found none: those that take the fewest changes, with all of them.

All plugins are asked, so that nobody changes one thing and meets the next. A node that no edit opens is told with what
stands in the way.
"""

from __future__ import annotations

import msgspec

from scheduler_core.apis.core import PodKey
from scheduler_core.ask.moments.moment import Moment
from scheduler_core.ask.smallest.smallest_change import Changed, Search, without_needless
from scheduler_core.trace.records import NodeName

NEAREST = 3
LOOKED_AT = 8  # nodes
TRIES = 60  # for each


class Near(msgspec.Struct, frozen=True):
    """A node, and what would have to be otherwise there; `others`: on so many more nodes the same is enough.

    `left`: what plugins say that no edit of the pod or of the node answers; nothing is changed then.
    """

    node: NodeName
    changed: list[Changed] = []
    others: int = 0
    left: list[str] = []


def nearest(moment: Moment, key: PodKey, most: int = NEAREST) -> list[Near]:
    """At most so many, the fewest changes first; none does more than another one does, and none says what is untrue
    of the cluster if another does not. Raises NotPossible."""
    search = Search(moment, key)
    if search.decision.node:
        return []
    names = search.nodes()[:LOOKED_AT]
    found = [change for name in names for change in search.smallest_on(name, TRIES)]
    changes = without_needless(sorted(found, key=lambda one: one.rank), lambda one: frozenset(one.changed))
    if changes and not changes[0].false:
        changes = [one for one in changes if not one.false]
    seen: set[NodeName] = set()
    near: list[Near] = []
    for one in changes:
        if one.node not in seen and len(near) < most:
            near.append(Near(one.node, one.changed, len(one.others)))
            seen.update((one.node, *one.others))
    return near or [Near(name, left=search.objections_on(name)) for name in names[:most]]
