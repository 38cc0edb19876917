"""The smallest change for a pod that found no node: what would have to be otherwise, each decided before it is given.

For each node the objections are answered one after the other until the pod fits there; one answer too few does not
do, and where an answer is a number, neither does one unit less. Beside that: the priority that makes preemption
possible, and one more node of a kind that is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from scheduler_core.apis.core import Node, Pod
from scheduler_core.apis.messages import Message
from scheduler_core.ask.capacity import kinds
from scheduler_core.ask.editing.edits import AddNodes, Edit, NotPossible, SetField
from scheduler_core.ask.moments.moment import Moment
from scheduler_core.ask.moments.world import Decision, World
from scheduler_core.ask.smallest.proposals import Kind, Proposal, amount, proposals, written
from scheduler_core.scenario.objects.admission import HIGHEST_USER_PRIORITY
from scheduler_core.trace.records import NodeName

MOST_NODES = 12  # that are looked at, those first whose objections are answered by least
MOST_ANSWERS = 6  # for one node


class Changed(msgspec.Struct, frozen=True):
    """One thing that a change is about; `name` and values as in `Proposal`."""

    kind: Kind
    name: str
    before: str | int | None
    after: str | int | None


class Change(msgspec.Struct, frozen=True):
    """Edits that together make the pod fit on `node`, or, with victims, let it preempt there."""

    node: NodeName
    changed: list[Changed]
    edits: list[Edit]
    size: float
    victims: list[str] = []

    @property
    def kinds(self) -> frozenset[Kind]:
        return frozenset(one.kind for one in self.changed)


def smallest_changes(moment: Moment) -> list[Change]:
    """The smallest of each kind, and of each node, the smallest first; [] if the pod finds a node as it is."""
    search = Search(moment)
    for _ in search.work:
        pass
    return search.ranked()


class Search:
    """Tries edits in worlds of the moment. `work` does it piece by piece: after each piece `ranked` has what is found
    so far, and `done` of `pieces` are done."""

    def __init__(self, moment: Moment) -> None:
        if moment.pod is None:
            raise NotPossible(Message("no attempt comes at this moment"))
        self._moment, self._pod = moment, moment.pod
        self._world = moment.world()
        self.decision = self._world.decide(moment.pod.key, all_nodes=True)
        self._found: list[Change] = []
        self.done, self.pieces = 0, 0
        self.work = self._pieces()

    def _pieces(self) -> Iterator[None]:
        if self.decision.node:
            return
        nodes = self.nodes()
        self.pieces = len(nodes) + 2
        for node in nodes:
            change = self.answered(node)
            self._found += [] if change is None else [change]
            self.done += 1
            yield
        for others in (self.priority, self.one_more_node):
            self._found += others()
            self.done += 1
            yield

    def ranked(self) -> list[Change]:
        """The smallest of each kind, and of each node, the smallest first."""
        found = sorted(self._found, key=lambda one: (len(one.changed), one.size))
        best = {one.kinds: one for one in reversed(found)}
        by_node = {one.node: one for one in reversed(found)}
        return [one for one in found if one is best[one.kinds] or one is by_node[one.node]]

    def decided(self, edits: Sequence[Edit]) -> tuple[World, Decision]:
        """With all nodes looked at, so that each node's own answer is known."""
        world = self._moment.world()
        world.edited(edits, {})
        return world, world.decide(self._pod.key, all_nodes=True)

    def fits(self, edits: Sequence[Edit], node: NodeName) -> bool:
        try:
            return node in self.decided(edits)[1].record["feasible"]
        except NotPossible:
            return False

    def nodes(self) -> list[Node]:
        """Those that are answered by least, by their first objection."""
        sized: list[tuple[float, int, Node]] = []
        for node in self._world.cluster.all_nodes():
            ways = self._ways(self._world, self._pod, node, self.decision)
            if ways:
                sized.append((min(sum(one.size for one in way) for way in ways), len(sized), node))
        return [node for _, _, node in sorted(sized, key=lambda one: one[:2])[:MOST_NODES]]

    def _ways(self, world: World, pod: Pod, node: Node, decision: Decision) -> list[list[Proposal]]:
        status = decision.record["filter"].get(node.name)
        if status is None or node.name not in world.cluster.nodes.row_of:
            return []
        return [way for way in proposals(world, pod, node, status["plugin"] or "") if way]

    def answered(self, node: Node) -> Change | None:
        """The objections of a node answered one after the other; None where one cannot be."""
        answers: list[Proposal] = []
        world, decision = self._world, self.decision
        while node.name not in decision.record["feasible"]:
            pod, there = world.cluster.pods.get(self._pod.key), world.cluster.node(node.name)
            if pod is None or there is None or len(answers) >= MOST_ANSWERS:
                return None
            plugin = _objector(decision, node.name)
            way = self._first_that_answers(answers, self._ways(world, pod, there, decision), node.name, plugin)
            if way is None:
                return None
            answers += way
            world, decision = self.decided([one.edit for one in answers])
        change = _change(node.name, self._needed(answers, node.name))
        return None if any(self.fits(less, node.name) for less in a_unit_less(change)) else change

    def _first_that_answers(
        self, answers: Sequence[Proposal], ways: Sequence[list[Proposal]], node: NodeName, plugin: str
    ) -> list[Proposal] | None:
        """The smallest after which the node fits, or at least the next plugin objects."""
        for way in sorted(ways, key=lambda one: sum(proposal.size for proposal in one)):
            edits = [one.edit for one in (*answers, *way)]
            try:
                decision = self.decided(edits)[1]
            except NotPossible:
                continue
            if node in decision.record["feasible"] or _objector(decision, node) not in ("", plugin):
                return list(way)
        return None

    def _needed(self, answers: list[Proposal], node: NodeName) -> list[Proposal]:
        """Without those that were not needed after all."""
        for one in answers:
            others = [other for other in answers if other is not one]
            if others and self.fits([other.edit for other in others], node):
                return self._needed(others, node)
        return answers

    def priority(self) -> Iterator[Change]:
        """The lowest priority with which preemption finds a node, among those just above a running pod's."""
        pod, pods = self._pod, self._world.cluster.pods
        if pod.preemption_policy == "Never" and (decision := self._preempts(pod.priority)) is not None:
            changed = [Changed("priority", "preemptionPolicy", "Never", "PreemptLowerPriority")]
            yield Change(decision.nominated, changed, self._priority(pod.priority), 0.75, decision.victims)
            return
        running = {one.priority for one in pods.all() if pods.node_name[pods.slot_of[one.key]]}
        steps = sorted(p + 1 for p in running if pod.priority <= p < HIGHEST_USER_PRIORITY)
        low, high = -1, len(steps)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._preempts(steps[middle]) is not None else (middle, high)
        if high < len(steps) and not self.decision.nominated:
            decision = self._preempts(steps[high])
            assert decision is not None
            changed = [Changed("priority", "priority", pod.priority, steps[high])]
            yield Change(decision.nominated, changed, self._priority(steps[high]), 0.75, decision.victims)

    def _priority(self, value: int) -> list[Edit]:
        pod = self._pod
        names = {"priorityClassName": None, "preemptionPolicy": None, "priority": value}
        given = pod.manifest.get("spec") or {}
        return [
            SetField("Pod", pod.name, ("spec", field), one, pod.namespace)
            for field, one in names.items()
            if field == "priority" or given.get(field)
        ]

    def _preempts(self, value: int) -> Decision | None:
        decision = self.decided(self._priority(value))[1]
        return decision if decision.nominated else None

    def one_more_node(self) -> Iterator[Change]:
        """The smallest kind of node that takes the pod when it is empty."""
        for node in kinds(self._moment):
            edits: list[Edit] = [AddNodes(node.name, 1)]
            decision = self.decided(edits)[1]
            if decision.node:
                yield Change(decision.node, [Changed("nodes", node.name, 0, 1)], edits, 2.0)
                return


def a_unit_less(change: Change) -> Iterator[list[Edit]]:
    """The change, a little smaller, in every way there is: none of these does."""
    for index, one in enumerate(change.changed):
        edits = list(change.edits)
        if one.kind in ("request", "spread", "pods", "priority") and isinstance(one.after, int | str):
            number = len(edits) - 1 if one.kind == "priority" else index
            edit = edits[number]
            smaller = _smaller(one)
            if isinstance(edit, SetField) and smaller is not None:
                edits[number] = msgspec.structs.replace(edit, value=smaller)
                yield edits
                continue
        if len(edits) > 1 and one.kind != "priority":  # whose edits belong together
            yield [edit for other, edit in enumerate(edits) if other != index]


def _smaller(one: Changed) -> str | int | None:
    match one.kind:
        case "request":
            return written(one.name, amount(one.name, one.after) + 1)
        case "pods":
            return str(int(one.after or 0) - 1)
        case _:
            return one.after - 1 if isinstance(one.after, int) else None


def _objector(decision: Decision, node: NodeName) -> str:
    status = decision.record["filter"].get(node)
    return str(status["plugin"]) if status else ""


def _change(node: NodeName, answers: Sequence[Proposal]) -> Change:
    changed = [Changed(one.kind, one.name, one.before, one.after) for one in answers]
    return Change(node, changed, [one.edit for one in answers], sum(one.size for one in answers))
