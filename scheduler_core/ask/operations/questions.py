"""The operations: drain nodes, lose nodes or a zone, add nodes, reschedule all pods.

    answer(scenario, Drain(["n1"]))

An `Operation` carries each of them out; the answer compares the pods' nodes before and after.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from scheduler_core.apis.core import Node, Pod, PodKey
from scheduler_core.apis.messages import Message
from scheduler_core.ask.editing.edits import NotPossible
from scheduler_core.ask.editing.objects import build_object, no_such, slices_of
from scheduler_core.ask.editing.slices import slices_like
from scheduler_core.ask.operations.node_groups import Template, fresh, groups_of, manifests_of, template_of
from scheduler_core.ask.operations.operation import (
    RESOURCES,
    Happening,
    Operation,
    delete_event,
    uses,
    zone_of,
)
from scheduler_core.ask.operations.results import (
    Amount,
    Blocked,
    Budget,
    Move,
    NodeUse,
    Obstacle,
    OperationResult,
    State,
    Unplaced,
)
from scheduler_core.cluster.cluster import key_of
from scheduler_core.controllers.absent_owner import replacement
from scheduler_core.controllers.daemonset import pinned_to
from scheduler_core.controllers.disruption import budgets_of
from scheduler_core.controllers.eviction import stays_in_drain
from scheduler_core.framework.runtime.runtime import Registry
from scheduler_core.plugins import REGISTRY
from scheduler_core.plugins.taint_toleration.rule import HARD_EFFECTS, find_untolerated_taint
from scheduler_core.scenario.types import Scenario
from scheduler_core.trace.records import NodeName


class Drain(msgspec.Struct, frozen=True, tag="drain"):
    """Cordon the nodes and evict the pods whose budgets allow it; `remove`: then delete the empty nodes."""

    nodes: list[NodeName]
    remove: bool = False


class Lose(msgspec.Struct, frozen=True, tag="lose"):
    """Delete nodes, or all nodes of a zone, with their pods, regardless of budgets."""

    nodes: list[NodeName] = []
    zone: str = ""


class Add(msgspec.Struct, frozen=True, tag="add"):
    """Add copies of a node, or nodes of a node group (in a zone), including their DaemonSet pods."""

    like: NodeName = ""
    count: int = 1
    group: str = ""
    zone: str = ""


class Reschedule(msgspec.Struct, frozen=True, tag="reschedule"):
    """Recreate all pods except daemon pods, those of high priority and old ones first, regardless of budgets."""


Question = Drain | Lose | Add | Reschedule


def answer(scenario: Scenario, question: Question, registry: Registry = REGISTRY) -> OperationResult:
    """Carry out the operation and return its result.

    Raises NotPossible, and RunEnded if the run exceeds the scenario's limits.
    """
    return carried_out(scenario, question, registry)[0]


def carried_out(
    scenario: Scenario, question: Question, registry: Registry = REGISTRY
) -> tuple[OperationResult, list[dict[str, Any]]]:
    """Return the answer, and the actions as timeline events. Raises NotPossible or RunEnded."""
    asker = _Asker(question)
    operation = Operation(scenario, registry, asker.rounds)
    operation.carry_out()
    return asker.answer(operation), operation.timeline


class _Asker:
    """Plans the rounds of an operation and summarises its result."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._nodes: list[NodeName] = []
        self._unmanaged: list[Pod] = []
        self._moving: list[Pod] = []
        self._daemons_there = 0
        self._covered: Counter[str] = Counter()
        self._allowed: dict[str, int] = {}

    def rounds(self, operation: Operation) -> Iterator[Sequence[Happening]]:
        """Yield the events of each round."""
        match self._question:
            case Drain():
                yield from self._drain(operation, self._question)
            case Lose():
                yield self._lose(operation, self._question)
            case Add():
                yield self._add(operation, self._question)
            case Reschedule():
                yield self._reschedule(operation)

    def _drain(self, operation: Operation, question: Drain) -> Iterator[Sequence[Happening]]:
        nodes = self._named_nodes(operation, question.nodes)
        self._sort_out(operation, self._nodes)
        yield [{"drain": {"node": self._nodes, "force": False}}]
        if question.remove:
            there = {pod.node_name for pod in operation.cluster.pods.all() if not stays_in_drain(pod)}
            yield [delete_event("Node", node.name) for node in nodes if node.name not in there]

    def _lose(self, operation: Operation, question: Lose) -> Sequence[Happening]:
        names = list(question.nodes)
        if question.zone:
            names += [node.name for node in operation.cluster.all_nodes() if zone_of(node) == question.zone]
            if not names:
                raise NotPossible(Message("no node is in the zone {zone}", zone=question.zone))
        nodes = self._named_nodes(operation, names)
        self._sort_out(operation, self._nodes)
        return [delete_event("Node", node.name) for node in nodes]

    def _add(self, operation: Operation, question: Add) -> Sequence[Happening]:
        if question.group:
            groups = groups_of(operation.scenario, operation.cluster.all_nodes())
            name, template = question.group, template_of(groups, question.group, question.zone, question.like)
            like = template.like or next((group.nodes[0] for group in groups if group.name == name and group.nodes), "")
        else:
            [node] = self._named_nodes(operation, [question.like] if question.like else [])
            like = name = node.name
            template = Template(zone_of(node), like, 1, fresh(node.manifest))
        manifests = manifests_of(name, template, question.count, {node.name for node in operation.cluster.all_nodes()})
        self._nodes = [manifest["metadata"]["name"] for manifest in manifests]
        daemons = self._daemons(operation, template)
        happenings: list[Happening] = []
        for manifest in manifests:
            happenings.append({"create": {"apiVersion": "v1", "kind": "Node", **manifest}})
            slices = slices_like(like, manifest["metadata"]["name"], slices_of(operation.cluster))
            happenings += [{"create": piece} for piece in slices]
            happenings += [{"create": daemon_on(pod, manifest["metadata"]["name"])} for pod in daemons]
        return happenings

    def _daemons(self, operation: Operation, template: Template) -> list[Pod]:
        """Return the pods to copy to a new node for DaemonSets that are not in the scenario.

        These are the daemon pods of the node that it copies, or one pod of each DaemonSet that fits. Controllers create
        the pods of the other DaemonSets.
        """
        pods = [
            pod
            for pod in operation.cluster.pods.all()
            if pod.node_name and pod.owner is not None and pod.owner.kind == "DaemonSet"
            if operation.api.has_absent_owner(pod)
        ]
        if template.like:
            return [pod for pod in pods if pod.node_name == template.like]
        node = build_object("Node", template.manifest, operation.cluster, operation.scenario.release)
        assert isinstance(node, Node)
        sets = {(pod.namespace, pod.owner.name): pod for pod in pods if pod.owner}
        return [
            pod
            for pod in sets.values()
            if all(node.labels.get(key) == value for key, value in pod.node_selector.items())
            and find_untolerated_taint(node.taints, pod.tolerations, HARD_EFFECTS) is None
        ]

    def _reschedule(self, operation: Operation) -> Sequence[Happening]:
        self._nodes = [node.name for node in operation.cluster.all_nodes()]
        self._sort_out(operation, [*self._nodes, ""])
        going = sorted(self._moving, key=lambda pod: (-pod.priority, pod.creation_timestamp, pod.key))
        return [delete_event("Pod", pod.name, pod.namespace, gracePeriodSeconds=0) for pod in going]

    def _named_nodes(self, operation: Operation, names: Sequence[NodeName]) -> list[Node]:
        """Return the named nodes, which also become the nodes of the answer. Raises NotPossible."""
        if not names:
            raise NotPossible(Message("name at least one node"))
        nodes = []
        for name in dict.fromkeys(names):
            node = operation.cluster.node(name)
            if node is None:
                raise no_such("Node", name)
            nodes.append(node)
        self._nodes = [node.name for node in nodes]
        return nodes

    def _sort_out(self, operation: Operation, names: Sequence[NodeName]) -> None:
        """Sort the pods on these nodes into daemon, unmanaged and moving pods, and count the budgets of the latter."""
        on = set(names)
        for pod in sorted(operation.cluster.pods.all(), key=lambda pod: pod.key):
            if pod.node_name not in on:
                continue
            if stays_in_drain(pod):
                self._daemons_there += 1
            elif pod.owner is None and operation.owners_known:
                self._unmanaged.append(pod)
            else:
                self._moving.append(pod)
                self._count(pod, operation)

    def _count(self, pod: Pod, operation: Operation) -> None:
        """Count the pod for each budget that covers it, and store the disruptions that the budget allows now."""
        for budget in budgets_of(pod, operation.api) if pod.node_name else ():
            self._covered[key_of(budget)] += 1
            numbers = operation.api.workload_status(budget)
            self._allowed[key_of(budget)] = numbers.number("disruptionsAllowed")

    def answer(self, operation: Operation) -> OperationResult:
        """Return the answer after the last round."""
        after = {pod.key: pod.node_name for pod in operation.cluster.pods.all()}
        causes, before = operation.causes(), operation.before
        restarted = () if isinstance(self._question, Reschedule) else causes
        came_from = {operation.successor(key): key for key in before}
        moved, unplaced = [], []
        for made, node in sorted(after.items(), key=lambda entry: came_from.get(entry[0], entry[0])):
            key = came_from.get(made, made)
            cause, there, name = causes.get(key, "pending"), before.get(key, ""), "" if made == key else made
            if not node:
                unplaced.append(Unplaced(key, there, operation.messages.get(made, ""), cause, name))
            elif key in before and (node != there or key in restarted):
                moved.append(Move(key, there, node, cause, name))
        staying = {pod.node_name for pod in operation.cluster.pods.all() if not stays_in_drain(pod)}
        emptied = [] if isinstance(self._question, Add) else [name for name in self._nodes if name not in staying]
        blocked = list(self._blocked(operation, after))
        blocked_by = Counter(name for blocked_pod in blocked for name in blocked_pod.budgets)
        cluster = self._uses(operation)
        return OperationResult(
            release=operation.scenario.release.version,
            nodes=self._nodes,
            moved=moved,
            unplaced=unplaced,
            blocked=blocked,
            unmanaged=[pod.key for pod in self._unmanaged],
            daemons=self._daemons_there,
            local_data=[pod.key for pod in self._moving if pod.node_name and has_local_data(pod)],
            emptied=emptied,
            budgets=[
                Budget(key, self._allowed[key], number, blocked_by[key], _obstacle(operation, key, blocked))
                for key, number in sorted(self._covered.items())
            ],
            rounds=max(len(operation.evicted_at), 1),
            room_before=_room(use.before for use in cluster if use.node in operation.schedulable_before),
            room_after=_room(use.after for use in cluster if not use.state or use.state == "added"),
            cluster=cluster,
        )

    def _blocked(self, operation: Operation, after: Mapping[PodKey, NodeName]) -> Iterator[Blocked]:
        """Yield the pods on the operation's nodes whose last eviction was refused."""
        for key, answered in sorted(operation.refused.items()):
            pod = operation.cluster.pods.get(key)
            if pod is not None and after[key] in self._nodes:
                names = [key_of(budget) for budget in budgets_of(pod, operation.api)]
                yield Blocked(key, pod.node_name, names, " ".join([answered.message, *answered.causes]))

    def _uses(self, operation: Operation) -> list[NodeUse]:
        """Return each node before and after; added nodes are last."""
        before, after = operation.nodes_before, uses(operation)
        nodes = {node.name: node for node in operation.cluster.all_nodes()}
        zones = {**operation.zones_before, **{name: zone_of(node) for name, node in nodes.items()}}
        node_uses = []
        for name in dict.fromkeys((*before, *after)):
            state: State = ""
            if name not in after:
                state = "removed"
            elif name not in before:
                state = "added"
            elif nodes[name].unschedulable:
                state = "cordoned"
            node_uses.append(NodeUse(name, zones[name], state, before.get(name), after.get(name)))
        return node_uses


def daemon_on(pod: Pod, node: NodeName) -> dict[str, Any]:
    """Return the manifest of a DaemonSet's pod for another node; its affinity names that node."""
    manifest = replacement(pod)
    name = f"{pod.name}-{node}"[-253:].lstrip("-.")
    return {**manifest, "metadata": {**manifest["metadata"], "name": name}, "spec": pinned_to(node, manifest["spec"])}


def has_local_data(pod: Pod) -> bool:
    """Return whether the pod has an emptyDir, which eviction deletes (`--delete-emptydir-data`)."""
    return any("emptyDir" in volume for volume in (pod.manifest.get("spec") or {}).get("volumes") or ())


def _obstacle(operation: Operation, key: str, blocked: Sequence[Blocked]) -> Obstacle:
    """Return why the pods that only this budget blocks can never be evicted, "" if it is not known."""
    pods = [entry.pod for entry in blocked if entry.budgets == [key]]
    if not pods:
        return ""
    statuses = operation.cluster.statuses
    if any(not statuses.pods[pod].ready for pod in pods):
        return "not-ready"
    numbers = statuses.workloads["PodDisruptionBudget", key]
    return "all-healthy" if numbers.number("desiredHealthy") >= numbers.number("expectedPods") else ""


def _room(node_uses: Iterable[dict[str, Amount] | None]) -> dict[str, Amount]:
    """Return the sum of each resource over the nodes that exist."""
    there = [use for use in node_uses if use is not None]
    return {
        name: Amount(sum(use[name].requested for use in there), sum(use[name].allocatable for use in there))
        for name in RESOURCES
    }
