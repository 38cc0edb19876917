"""The smallest change that makes a pending pod fit; each change is verified by a decision.

A node's objections are resolved one after the other, with the cheapest proposals first, until the pod fits; so the
first solution has the fewest edits. The search also tries the priority that makes preemption possible, and one more
node of an existing kind. Edits that contradict facts (see `proposals/truth.py`) come last, and only for nodes without
other solutions.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from heapq import heappop, heappush

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import Node, Pod, PodKey
from scheduler_core.apis.messages import Message
from scheduler_core.ask.capacity import node_of_each_kind
from scheduler_core.ask.editing.edits import AddNodes, Edit, NotPossible, SetField
from scheduler_core.ask.moments.moment import Moment
from scheduler_core.ask.moments.objections import Objections
from scheduler_core.ask.moments.world import World
from scheduler_core.ask.operations.operation import zone_of
from scheduler_core.ask.smallest.missing import Missing, missing
from scheduler_core.ask.smallest.owners import are_siblings, pinned_node
from scheduler_core.ask.smallest.proposals import Case, Kind, Proposal, proposals
from scheduler_core.ask.smallest.proposals.truth import False_
from scheduler_core.framework.interface import Code, Status
from scheduler_core.scenario.objects.admission import HIGHEST_USER_PRIORITY
from scheduler_core.scheduler.decide import Decision
from scheduler_core.trace.records import NodeName

MAX_NODES = 24  # the number of nodes that are searched, those with the fewest objections first
MAX_ALIKE = 3  # the number of nodes that are searched among nodes with the same objections
MAX_PROPOSALS = 6  # for one node
MAX_TRIES = 400  # for one node of a small cluster; fewer in a large one, so that they take as long
FEWEST_TRIES = 40
SMALL = 100  # the number of nodes of a small cluster
OF_NODES = ("taint", "label", "uncordon", "room", "device-holder")  # changes to existing objects, not to the pod
MAX_ZONES = 6
MAX_STEPS = 16  # the number of priorities that are tried one by one


class Changed(msgspec.Struct, frozen=True):
    """A part of a change; `name`, values, `false` and `where` are those of `Proposal`."""

    kind: Kind
    name: str
    before: str | int | None
    after: str | int | None
    false: False_ = ""
    where: str = ""


class Change(msgspec.Struct, frozen=True):
    """Edits that together make the pod fit on `node` and on `others`, or, with victims, let it preempt there."""

    node: NodeName
    changed: list[Changed]
    edits: list[Edit]
    size: float
    victims: list[str] = []
    others: list[NodeName] = []

    @property
    def kinds(self) -> frozenset[Kind]:
        return frozenset(part.kind for part in self.changed)

    @property
    def false(self) -> bool:
        """Return whether a part of the change contradicts a fact of the cluster."""
        return any(part.false for part in self.changed)

    @property
    def rank(self) -> tuple[bool, int, float]:
        """Return a sort key; the smallest change has the smallest key."""
        return self.false, len(self.changed), self.size


def smallest_changes(moment: Moment, key: PodKey = "") -> list[Change]:
    """Return the smallest change of each kind and for each node, the smallest first; [] if the pod already fits.

    `key`: the pod, by default the one whose attempt comes next. Raises NotPossible if there is none.
    """
    search = ChangeSearch(moment, key)
    for _ in search.work:
        pass
    return search.ranked()


class ChangeSearch:
    """Tries edits in worlds of the moment.

    `work` proceeds in pieces: after each piece, `ranked` contains the results so far, and `done` of `pieces` are
    finished.
    """

    def __init__(self, moment: Moment, key: PodKey = "") -> None:
        if not key and moment.pod is None:
            raise NotPossible(Message("no scheduling attempt happens at this step"))
        self._moment = moment
        self.key: PodKey = key or moment.pod.key  # type: ignore[union-attr]
        self._first = first_proposals(moment, self.key)
        self._world = self.world(self._first)
        self.decision = self._world.decide(self.key, all_nodes=True)
        self._found: list[Change] = []
        self.done, self.pieces = 0, 0
        self.work = self._pieces()

    # Worlds

    def world(self, chosen: Sequence[Proposal], more: Sequence[Edit] = ()) -> World:
        """Return a world with the edits. Raises NotPossible."""
        world = self._moment.world()
        world.apply_edits([*(edit for proposal in chosen for edit in proposal.edits), *more], {})
        return world

    def decide_with(self, chosen: Sequence[Proposal], more: Sequence[Edit] = ()) -> Decision | None:
        """Return the decision with all nodes evaluated; None if the edits are not possible."""
        try:
            return self.world(chosen, more).decide(self.key, all_nodes=True)
        except NotPossible:
            return None

    def fits(self, chosen: Sequence[Proposal], node: NodeName) -> bool:
        """Return whether the pod fits on the node with the edits."""
        decision = self.decide_with(chosen)
        return decision is not None and node in decision.record["feasible"]

    # Pieces

    def _pieces(self) -> Iterator[None]:
        if self.decision.node:
            if self._first:
                self._found.append(self._change(self.decision.node, self._first, self.decision))
            return
        nodes = self.nodes()
        self.pieces = len(nodes) + 2
        for node in nodes:
            self._found += self._solutions_on(node, self._first)
            self.done += 1
            yield
        for others in (self._priority_alone, self._one_more_node):
            self._found += others()
            self.done += 1
            yield

    def missing(self) -> list[Missing]:
        """Return the objects and resources that the pod needs and the cluster lacks; [] if the pod gets a node."""
        pod = self._world.cluster.pods.get(self.key)
        return [] if self.decision.node or pod is None else missing(self._world, pod)

    def ranked(self) -> list[Change]:
        """Return the smallest change of each kind and for each node, the smallest first.

        Those that contradict facts come last. No change contains all parts of another one.
        """
        changes = self._changes_by_rank()
        best = {change.kinds: change for change in reversed(changes)}
        by_node = {
            (change.node, bool(change.victims)): change for change in reversed(changes) if "nodes" not in change.kinds
        }
        smallest = [*best.values(), *by_node.values()]
        return without_needless([change for change in changes if any(change is other for other in smallest)])

    def by_node(self) -> dict[NodeName, Change]:
        """Return the smallest change for each evaluated node, without evictions."""
        there = {node.name for node in self._world.cluster.all_nodes()}
        return {
            change.node: change
            for change in reversed(self._changes_by_rank())
            if not change.victims and change.node in there
        }

    def _changes_by_rank(self) -> list[Change]:
        return sorted(self._found, key=lambda change: change.rank)

    def nodes(self) -> list[NodeName]:
        """Return the nodes with the fewest objections, and only a few of those that are alike."""
        pod = self._world.cluster.pods.get(self.key)
        pinned = pinned_node(pod) if pod is not None else ""
        objections = self._world.objections(self.key, [pinned] if pinned else None)
        counts = [len(objections.of(position)) for position in range(len(objections.rows))]
        short = self._shares(objections.rows)
        sized = sorted(zip(counts, short, range(len(counts)), strict=True))
        taken = np.zeros(len(objections.rows) + 1, np.intp)
        signatures = objections.signatures()
        names: list[NodeName] = []
        small = len(objections.rows) <= MAX_NODES
        for _, _, position in sized:
            taken[signatures[position]] += 1
            if small or taken[signatures[position]] <= MAX_ALIKE:
                names.append(objections.names[position])
        return names[:MAX_NODES]

    def _shares(self, rows: NDArray[np.intp]) -> list[float]:
        """Return, for each row, the largest share of a request that is missing on the node."""
        nodes, pod = self._world.cluster.nodes, self._world.cluster.pods.get(self.key)
        largest = np.zeros(len(rows))
        for name, request in pod.requests.items() if pod is not None else ():
            number = nodes.resources.get(name)
            if number is not None and request:
                free = nodes.allocatable[number, rows] - nodes.requested[number, rows]
                largest = np.maximum(largest, np.clip((request - free) / request, 0, None))
        shares: list[float] = largest.tolist()
        return shares

    # One node

    def _solutions_on(self, node: NodeName, first: Sequence[Proposal], *, of_pod: bool = False) -> list[Change]:
        """Return the smallest changes by kind with which the pod fits on the node, or preempts.

        Those that contradict facts are only tried if no other change makes the pod fit. `first`: the proposals that
        every change contains; `of_pod`: apart from these, only the pod is changed.
        """
        nodes = max(len(self._world.cluster.nodes), 1)
        tries = MAX_TRIES if nodes <= SMALL else max(MAX_TRIES * SMALL // nodes, FEWEST_TRIES)
        return _NodeSearch(self, node, of_pod=of_pod, tries=tries).solutions(first)

    def smallest_on(self, node: NodeName, tries: int) -> list[Change]:
        """Return the smallest change without evictions for one node, found within `tries`; [] if there is none."""
        changes = _NodeSearch(self, node, of_pod=False, tries=tries).solutions(self._first)
        return sorted((change for change in changes if not change.victims), key=lambda change: change.rank)[:1]

    def objections_on(self, node: NodeName) -> list[str]:
        """Return the objections of all plugins to the node, with kube-scheduler's messages."""
        objections = self._world.objections(self.key, [node])
        return (
            [f"{objection.plugin}: {objection.message}" for objection in objections.of(0)]
            if len(objections.rows)
            else []
        )

    def plugins_on(self, node: NodeName) -> list[str]:
        """Return the plugins that object to the node, in the order in which they run."""
        objections = self._world.objections(self.key, [node])
        return [status.plugin for status in objections.of(0)] if len(objections.rows) else []

    def change(self, node: NodeName, chosen: Sequence[Proposal]) -> Change | None:
        """Return the proposals as a change, without unnecessary ones; None if the pod does not fit with them."""
        decision = self.decide_with(chosen)
        if decision is None or node not in decision.record["feasible"]:
            return None
        needed = self._needed(list(chosen), node)
        if len(needed) < len(chosen):
            decision = self.decide_with(needed)
            assert decision is not None
        return self._change(node, needed, decision)

    def _needed(self, chosen: list[Proposal], node: NodeName) -> list[Proposal]:
        for proposal in chosen:
            others = [other for other in chosen if other is not proposal]
            if (
                others
                and proposal not in self._first
                and not self._is_repeated_by(proposal, chosen)
                and self.fits(others, node)
            ):
                return self._needed(others, node)
        return chosen

    def _is_repeated_by(self, proposal: Proposal, chosen: Sequence[Proposal]) -> bool:
        """Return whether a later proposal repeats one of these, so that its necessity cannot be tested."""
        later = [edit for other in chosen[list(chosen).index(proposal) + 1 :] for edit in other.edits]
        return any(_is_written_over(edit, later) for edit in proposal.edits)

    def _change(
        self, node: NodeName, chosen: Sequence[Proposal], decision: Decision, victims: Sequence[str] = ()
    ) -> Change:
        changed = [
            Changed(proposal.kind, proposal.name, proposal.before, proposal.after, proposal.false, proposal.where)
            for proposal in chosen
        ]
        all_edits = [edit for proposal in chosen for edit in proposal.edits]
        edits = [edit for number, edit in enumerate(all_edits, 1) if not _is_written_over(edit, all_edits[number:])]
        others = [] if victims else [name for name in decision.record["feasible"] if name != node]
        return Change(node, changed, edits, sum(proposal.size for proposal in chosen), list(victims), others)

    # Preemption

    def _priority_alone(self) -> Iterator[Change]:
        change = self.preempting(self._first)
        if change is not None:
            yield change

    def preempting(self, chosen: Sequence[Proposal]) -> Change | None:
        """Return the change to the lowest priority with which the pod preempts, just above that of a running pod.

        None: no priority is sufficient, the edits are not possible, or the pod already preempts with them.
        """
        try:
            world = self.world(chosen)
        except NotPossible:
            return None
        pod, pods = world.cluster.pods.get(self.key), world.cluster.pods
        if pod is None or world.decide(self.key, all_nodes=True).nominated:
            return None
        if pod.preemption_policy == "Never":
            allowed = self._prioritised(pod, pod.priority, "preemptionPolicy")
            if (decision := self._preempts(chosen, allowed)) is not None:
                return self._change(decision.nominated, [*chosen, allowed], decision, decision.victims)
        running = {pod.priority for pod in pods.all() if pods.node_name[pods.slot_of[pod.key]]}
        steps = sorted(priority + 1 for priority in running if pod.priority <= priority < HIGHEST_USER_PRIORITY)
        for step in steps if len(steps) <= MAX_STEPS else self._halved(chosen, pod, steps):
            raised = self._prioritised(pod, step)
            if (decision := self._preempts(chosen, raised)) is not None:
                return self._change(decision.nominated, [*chosen, raised], decision, decision.victims)
        return None

    def _halved(self, chosen: Sequence[Proposal], pod: Pod, steps: Sequence[int]) -> list[int]:
        """Return the lowest of many priorities that preempts, found by halving; [] if the highest does not.

        A higher priority nearly always preempts too. The exception is a pod with affinity to one of the pods that it
        could then evict (the dry run first removes all of them).
        """
        low, high = -1, len(steps)
        while high - low > 1:
            middle = (low + high) // 2
            preempts = self._preempts(chosen, self._prioritised(pod, steps[middle]))
            low, high = (low, middle) if preempts is not None else (middle, high)
        return list(steps[high : high + 1])

    def _prioritised(self, pod: Pod, value: int, name: str = "priority") -> Proposal:
        """Return the proposal that sets a priority without a class and allows preemption."""
        names = {"priorityClassName": None, "preemptionPolicy": None, "priority": value}
        spec = pod.manifest.get("spec") or {}
        edits: list[Edit] = [
            SetField("Pod", pod.name, ("spec", field), value, pod.namespace)
            for field, value in names.items()
            if field == "priority" or spec.get(field)
        ]
        if name == "preemptionPolicy":
            return Proposal("priority", edits, name, "Never", "PreemptLowerPriority", 0.75)
        return Proposal("priority", edits, name, pod.priority, value, 0.75)

    def _preempts(self, chosen: Sequence[Proposal], raised: Proposal) -> Decision | None:
        """Return the decision if the pod preempts pods of other workloads only, else None."""
        decision = self.decide_with([*chosen, raised])
        if decision is None or not decision.nominated:
            return None
        pods = self._world.cluster.pods
        pod, victims = pods.get(self.key), [pods.get(victim) for victim in decision.victims]
        return None if pod is not None and any(victim and are_siblings(pod, victim) for victim in victims) else decision

    # More nodes

    def _one_more_node(self) -> Iterator[Change]:
        """Yield the addition of the smallest kind of node on which the pod fits, if necessary with other changes."""
        pod = self._world.cluster.pods.get(self.key)
        if pod is not None and pinned_node(pod):
            return
        nodes = node_of_each_kind(self._moment)
        more = [
            Proposal("nodes", [AddNodes(node.name, 1)], node.name, 0, 1, 2.0 + 0.01 * number)
            for number, node in enumerate(nodes)
        ]
        there = {node.name for node in self._world.cluster.all_nodes()}
        open_kinds: list[tuple[Proposal, NodeName]] = []
        for proposal in [*more, *self._in_other_zones(nodes)]:
            decision = self.decide_with([*self._first, proposal])
            if decision is None:
                continue
            added = [name for name in decision.record["feasible"] if name not in there]
            if added:
                yield self._change(added[0], [*self._first, proposal], decision)
                return
            if proposal in more:
                world = self.world([*self._first, proposal])
                open_kinds += [(proposal, node.name) for node in world.cluster.all_nodes() if node.name not in there]
        for proposal, name in open_kinds:
            yield from self._solutions_on(name, [*self._first, proposal], of_pod=True)

    def _in_other_zones(self, nodes: Sequence[Node]) -> Iterator[Proposal]:
        """Propose a node of each kind in up to MAX_ZONES other zones of the cluster: the pod's volume may be there."""
        there = self._world.cluster.all_nodes()
        zones = sorted({zone_of(node) for node in there} - {""})
        for number, node in enumerate(nodes):
            for zone in [zone for zone in zones if zone_of(node) not in ("", zone)][:MAX_ZONES]:
                edit = AddNodes(node.name, 1, zone)
                yield Proposal("nodes", [edit], node.name, 0, zone, 2.5 + 0.01 * number)


class _NodeSearch:
    """The search for the cheapest solutions on one node."""

    def __init__(self, search: ChangeSearch, node: NodeName, *, of_pod: bool, tries: int) -> None:
        self._search, self._node, self._of_pod, self._tries = search, node, of_pod, tries

    def solutions(self, first: Sequence[Proposal]) -> list[Change]:
        """Return the smallest changes by kind; those that contradict facts if all others have victims."""
        honest = self._cheapest(first, false=False)
        if any(not change.victims for change in honest):
            return honest
        return [*honest, *self._cheapest(first, false=True)]

    def _cheapest(self, first: Sequence[Proposal], *, false: bool) -> list[Change]:
        """Return the smallest changes by kind; with `false`, those that contradict facts, and none with victims."""
        heap: list[tuple[int, float, int, list[Proposal]]] = [(0, 0.0, 0, list(first))]
        fitting: dict[frozenset[Kind], Change] = {}
        preempting: dict[frozenset[Kind], Change] = {}
        seen: set[frozenset[bytes]] = set()
        number = 0
        while heap and self._tries > 0:
            count, _, _, chosen = heappop(heap)
            if _is_larger(count, fitting, first):
                break
            objections = self._objections(chosen)
            if objections is None:
                continue
            if not objections:
                change = self._search.change(self._node, chosen)
                if change is not None and (change.false or not false):
                    fitting.setdefault(change.kinds, change)
                continue
            if len(chosen) - len(first) >= MAX_PROPOSALS:
                continue
            worthwhile = not self._of_pod and len(chosen) > len(first) and not _is_larger(count, preempting, first)
            if not false and worthwhile and self._may_preempt(objections):
                change = self._search.preempting(chosen)
                if change is not None:
                    preempting.setdefault(change.kinds, change)
            candidates = self._fewest_proposals(chosen, objections, false=false)
            for candidate in candidates or ():
                key = frozenset(msgspec.json.encode(proposal.edits) for proposal in (*chosen, candidate))
                if key not in seen:
                    seen.add(key)
                    number += 1
                    size = sum(proposal.size for proposal in (*chosen, candidate))
                    heappush(heap, (len(chosen) - len(first) + 1, size, number, [*chosen, candidate]))
        return [*fitting.values(), *preempting.values()]

    def _objections(self, chosen: Sequence[Proposal], more: Sequence[Edit] = ()) -> list[Status] | None:
        """Return the objections to the node after the edits; None if they are not possible or the node is absent."""
        self._tries -= 1
        try:
            objections: Objections = self._search.world(chosen, more).objections(self._search.key, [self._node])
        except NotPossible:
            return None
        return objections.of(0) if len(objections.rows) else None

    def _may_preempt(self, objections: Sequence[Status]) -> bool:
        return all(objection.code is Code.UNSCHEDULABLE for objection in objections)

    def _fewest_proposals(
        self, chosen: Sequence[Proposal], objections: Sequence[Status], *, false: bool
    ) -> list[Proposal] | None:
        """Return the proposals of the plugin that has the fewest for its objection; None if a plugin has none."""
        world = self._search.world(chosen)
        world.cluster.snapshot()
        pod, node = world.cluster.pods.get(self._search.key), world.cluster.node(self._node)
        assert pod is not None
        assert node is not None
        fewest: list[Proposal] | None = None
        for plugin in dict.fromkeys(objection.plugin for objection in objections):
            case = Case(world, pod, node, partial(self._passes, chosen, plugin))
            candidates = [proposal for proposal in proposals(case, plugin) if self._allowed(proposal, false=false)]
            if not candidates:
                return None
            if fewest is None or len(candidates) < len(fewest):
                fewest = candidates
        return fewest

    def _allowed(self, proposal: Proposal, *, false: bool) -> bool:
        return (false or not proposal.false) and not (self._of_pod and proposal.kind in OF_NODES)

    def _passes(self, chosen: Sequence[Proposal], plugin: str, more: Sequence[Edit]) -> bool:
        objections = self._objections(chosen, more)
        return objections is not None and all(objection.plugin != plugin for objection in objections)


def _is_larger(count: int, changes: Mapping[frozenset[Kind], Change], first: Sequence[Proposal]) -> bool:
    """Return whether there are more proposals than the smallest of the changes has, not counting those of `first`."""
    return bool(changes) and count > min(len(change.changed) - len(first) for change in changes.values())


def _edits(change: Change) -> frozenset[Hashable]:
    return frozenset(map(msgspec.json.encode, change.edits))


def without_needless(
    changes: Sequence[Change], parts: Callable[[Change], frozenset[Hashable]] = _edits
) -> list[Change]:
    """Return the changes that contain no other change; of changes with the same `parts`, the first."""
    of_parts = {parts(change): change for change in reversed(changes)}
    needed = [change for own, change in of_parts.items() if not any(less < own for less in of_parts)]
    return [change for change in changes if any(change is other for other in needed)]


def first_proposals(moment: Moment, key: PodKey) -> list[Proposal]:
    """Return proposals that remove obstacles to all attempts: scheduling gates, an unknown schedulerName."""
    world = moment.world()
    pod = world.cluster.pods.get(key)
    if pod is None:
        return []

    def edit(field: str, value: str | None = None) -> SetField:
        return SetField("Pod", pod.name, ("spec", field), value, pod.namespace)

    first = []
    if pod.scheduling_gates:
        first.append(Proposal("gate", [edit("schedulingGates")], ", ".join(pod.scheduling_gates), "on", None, 0.5))
    if pod.scheduler_name not in world.frameworks:
        other = next(iter(world.frameworks))
        named: list[Edit] = [edit("schedulerName", other)]
        first.append(Proposal("scheduler", named, "schedulerName", pod.scheduler_name, other, 1.0))
    return first


def _is_written_over(edit: Edit, later: Sequence[Edit]) -> bool:
    """Return whether a later edit overwrites this one."""
    if not isinstance(edit, SetField) or edit.add:
        return False
    return any(
        (other.kind, other.namespace, other.name) == (edit.kind, edit.namespace, edit.name)
        and edit.path[: len(other.path)] == other.path
        for other in later
        if isinstance(other, SetField) and not other.add
    )
