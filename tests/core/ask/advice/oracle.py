"""The smallest edits of a cluster, found by exhaustive search: single edits, then pairs.

An edit of a node counts only if the pod then fits on that node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

from msgspec.structs import replace

from scheduler_core.ask.editing.edits import Edit, NotPossible, SetField
from scheduler_core.ask.moments.moment import Moment
from scheduler_core.ask.smallest.proposals.truth import find_contradicted_fact
from tests.core.ask.advice.vocabulary import Family, families

Kinds = frozenset[str]


@dataclass
class Smallest:
    """The result of the search.

    `count`: the smallest number of edits for each node. `kinds`: the kinds of edits that succeed with that number.
    `preempting`: kinds of edits after which the pod preempts.

    Edits that make a false statement about the cluster count only for nodes on which no others succeed.
    """

    count: dict[str, int] = field(default_factory=dict)
    kinds: dict[str, set[Kinds]] = field(default_factory=dict)
    untrue: set[str] = field(default_factory=set)  # nodes that take no honest edits, as far as was tried
    preempting: set[Kinds] = field(default_factory=set)
    steps: dict[str, int] = field(default_factory=dict)  # the fewest steps of a single family that do, by kind and name
    tried: int = 0


class Oracle:
    """Tries edits at one moment of a run."""

    def __init__(self, moment: Moment) -> None:
        assert moment.pod is not None
        self.moment, self.pod = moment, moment.pod
        world = moment.world()
        self.preempts = bool(world.decide(self.pod.key, all_nodes=True).nominated)
        self.families = families(world, self.pod)
        self.found = Smallest()

    def fits(self, edits: Sequence[Edit]) -> tuple[set[str], str]:
        """Return the nodes on which the pod fits with the edits, and the node that it is nominated to ("" if it does
        not preempt)."""
        self.found.tried += 1
        world = self.moment.world()
        try:
            world.apply_edits(edits, {})
            decision = world.decide(self.pod.key, all_nodes=True)
        except NotPossible:
            return set(), ""
        return set(decision.record["feasible"]), decision.nominated

    def smallest(self, most: int = 2) -> Smallest:
        """Return the smallest edits; `most` is the largest number of edits to combine, 1 or 2."""
        for false in (False, True):
            open_nodes = {one.name for one in self.moment.world().cluster.all_nodes()} - self.found.count.keys()
            for count in range(1, most + 1):
                left = open_nodes - self.found.count.keys()
                if left or not false:
                    self._try(count, left, false=false)
        return self.found

    def _try(self, count: int, nodes: set[str], *, false: bool) -> None:
        """Try all combinations of `count` families, for nodes that need at least as many."""
        for chosen in combinations(self.families, count):
            if any(map(_is_false, chosen)) != false or len({one.node for one in chosen} - {""}) > 1:
                continue
            if len({(one.kind, one.name) for one in chosen}) < count:
                continue
            kinds = frozenset(one.kind for one in chosen)
            largest = together([edit for one in chosen for edit in one.steps[-1]])
            fitting, preempting = self.fits(largest)
            own = next((one.node for one in chosen if one.node), "")
            for node in fitting & nodes if not own else fitting & nodes & {own}:
                self.found.count[node] = count
                self.found.untrue |= {node} if false else set()
                self.found.kinds.setdefault(node, set()).add(kinds)
            added = {name for name in fitting if name.split("-like-")[0] != name}
            if added and kinds == {"nodes"}:
                self.found.kinds.setdefault("added", set()).add(kinds)
            if preempting and not fitting and kinds == {"priority"} and not self.preempts:
                self.found.preempting.add(kinds)
            if count == 1 and (fitting or preempting or kinds == {"priority"}):
                self._step(chosen[0])

    def _step(self, family: Family) -> None:
        """Record the first step of the family that succeeds."""
        for number, edits in enumerate(family.steps):
            fitting, preempting = self.fits(edits)
            if fitting or (preempting and family.kind == "priority"):
                name = f"{family.kind} {family.name} {family.node}"
                self.found.steps[name] = number
                if family.kind == "priority" and not fitting and not self.preempts:
                    self.found.preempting.add(frozenset({"priority"}))  # a higher one may not: it removes more pods
                return


def together(edits: Sequence[Edit]) -> list[Edit]:
    """Merge edits that remove items of the same list into one that removes all of them."""
    made: dict[object, Edit] = {}
    for edit in edits:
        key: object = id(edit)
        if isinstance(edit, SetField) and not edit.add and isinstance(edit.value, list | None):
            key = edit.kind, edit.name, edit.path
            before = made.get(key)
            if isinstance(before, SetField):
                left = [one for one in edit.value or () if one in (before.value or ())]
                edit = replace(edit, value=left or None)
        made[key] = edit
    return list(made.values())


def _is_false(family: Family) -> bool:
    taint = family.name.rpartition(":")[0]
    return any(find_contradicted_fact(edit, family.kind, taint) for edit in family.steps[-1]) if family.steps else False
