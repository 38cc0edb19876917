"""The operations: drain nodes, lose nodes or a zone, add nodes, reschedule all pods.

    answer(scenario, Drain(["n1"]))

An `Operation` carries each of them out; the answer compares the pods' nodes before and after.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from scheduler_core.apis.core import Node, Pod, PodDisruptionBudget, PodKey
from scheduler_core.apis.messages import Message
from scheduler_core.ask.editing.edits import NotPossible, Step, apply_steps
from scheduler_core.ask.editing.objects import build_object, no_such, slices_of
from scheduler_core.ask.editing.slices import slices_like
from scheduler_core.ask.operations.evictions import Budgets, Fate, fate_of, has_local_data
from scheduler_core.ask.operations.node_groups import Template, fresh, groups_of, manifests_of, template_of
from scheduler_core.ask.operations.operation import (
    RESOURCES,
    Happening,
    Operation,
    delete_event,
    recreate_events,
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
from scheduler_core.framework.runtime.runtime import Registry
from scheduler_core.plugins import REGISTRY
from scheduler_core.plugins.taint_toleration.rule import HARD_EFFECTS, find_untolerated_taint
from scheduler_core.scenario.types import Scenario
from scheduler_core.trace.records import NodeName


class Drain(msgspec.Struct, frozen=True, tag="drain"):
    """Cordon the nodes and evict their pods as far as budgets allow; `remove`: then delete the empty nodes."""

    nodes: list[NodeName]
    remove: bool = False


class Lose(msgspec.Struct, frozen=True, tag="lose"):
    """Nodes, or all nodes of a zone, fail at once with their pods, regardless of budgets."""

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
    """Return the answer, and the actions as timeline events."""
    asker = _Asker(question)
    operation = Operation(scenario, registry, asker.rounds)
    operation.carry_out()
    return asker.answer(operation), operation.timeline


class _Asker:
    """Plans each round and collects rejected evictions."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._nodes: list[NodeName] = []
        self._blocked: dict[PodKey, Blocked] = {}
        self._fates: dict[Fate, list[Pod]] = {}
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
        while True:  # until all pods that the operation preempted have been tried
            yield ()

    def _drain(self, operation: Operation, question: Drain) -> Iterator[Sequence[Happening]]:
        nodes = self._about(operation, question.nodes)
        going = self._sorted_out(operation, self._nodes)
        budgets = Budgets(operation.cluster)
        self._count(budgets, going)
        cordons: list[Happening] = [{"update": _cordoned(node)} for node in nodes if not node.unschedulable]
        left, on = {pod.key: pod for pod in going}, set(self._nodes)
        ends = [delete_event("Pod", pod.name, pod.namespace) for pod in self._fates.get("ends", ())]
        first: list[Happening] = [*cordons, *ends]
        while True:
            budgets.next_round()
            here = operation.cluster.pods
            left = {key: pod for key in left if (pod := here.get(key)) is not None and pod.node_name in on}
            self._blocked = {}
            happenings = first
            first = []
            for pod in list(left.values()):
                refusal = budgets.evict(pod)
                if refusal:
                    names = [key_of(budget) for budget in budgets.covering(pod)]
                    self._blocked[pod.key] = Blocked(pod.key, pod.node_name, names, refusal)
                else:
                    operation.causes[pod.key] = "evicted"
                    happenings = [*happenings, *recreate_events(pod)]
                    del left[pod.key]
            if not happenings:
                break
            yield happenings
        if question.remove:
            yield self._removals(operation, nodes)

    def _removals(self, operation: Operation, nodes: Sequence[Node]) -> Sequence[Happening]:
        """Return the events that delete nodes without pods other than daemon pods."""
        pods: dict[NodeName, list[Pod]] = {}
        for pod in operation.cluster.pods.all():
            pods.setdefault(pod.node_name, []).append(pod)
        happenings: list[Happening] = []
        for node in nodes:
            there = pods.get(node.name, ())
            if all(fate_of(pod, owners_known=operation.owners_known) == "daemon" for pod in there):
                happenings += [delete_event("Node", node.name)]
                happenings += [delete_event("Pod", pod.name, pod.namespace) for pod in there]
        return happenings

    def _lose(self, operation: Operation, question: Lose) -> Sequence[Happening]:
        names = list(question.nodes)
        if question.zone:
            names += [node.name for node in operation.cluster.all_nodes() if zone_of(node) == question.zone]
            if not names:
                raise NotPossible(Message("no node is in the zone {zone}", zone=question.zone))
        nodes = self._about(operation, names)
        going = self._sorted_out(operation, self._nodes)
        self._count(Budgets(operation.cluster), going)
        happenings = [delete_event("Node", node.name) for node in nodes]
        others = (pod for fate in ("daemon", "ends", "unmanaged") for pod in self._fates.get(fate, ()))
        happenings += [delete_event("Pod", pod.name, pod.namespace) for pod in others]
        for pod in going:
            operation.causes[pod.key] = "lost"
            happenings += recreate_events(pod)
        return happenings

    def _add(self, operation: Operation, question: Add) -> Sequence[Happening]:
        if question.group:
            groups = groups_of(operation.scenario, operation.cluster.all_nodes())
            name, template = question.group, template_of(groups, question.group, question.zone, question.like)
            like = template.like or next((group.nodes[0] for group in groups if group.name == name and group.nodes), "")
        else:
            [node] = self._about(operation, [question.like] if question.like else [])
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
        """Return the DaemonSet pods of a new node: those of the node that it copies, or one per DaemonSet that fits."""
        pods = [
            pod
            for pod in operation.cluster.pods.all()
            if pod.node_name and pod.owner is not None and pod.owner.kind == "DaemonSet"
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
        going = self._sorted_out(operation, [*self._nodes, ""])
        self._count(Budgets(operation.cluster), [pod for pod in going if pod.node_name])
        going.sort(key=lambda pod: (-pod.priority, pod.creation_timestamp, pod.key))
        happenings: list[Happening] = [delete_event("Pod", pod.name, pod.namespace) for pod in going]
        for pod in going:
            if pod.node_name:
                operation.causes[pod.key] = "evicted"
            happenings.append({"create": recreate_events(pod)[1]["create"]})
        return happenings

    def _about(self, operation: Operation, names: Sequence[NodeName]) -> list[Node]:
        """Return the named nodes. Raises NotPossible."""
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

    def _sorted_out(self, operation: Operation, names: Sequence[NodeName]) -> list[Pod]:
        """Return the pods on these nodes that move, sorted by name, and store the others by fate."""
        on = set(names)
        for pod in sorted(operation.cluster.pods.all(), key=lambda pod: pod.key):
            if pod.node_name in on:
                self._fates.setdefault(fate_of(pod, owners_known=operation.owners_known), []).append(pod)
        return self._fates.get("moves", [])

    def _count(self, budgets: Budgets, going: Sequence[Pod]) -> None:
        """Count the evicted pods that each budget covers, and the disruptions that it allows at the start."""
        for pod in going:
            for budget in budgets.covering(pod):
                self._covered[key_of(budget)] += 1
                self._allowed[key_of(budget)] = budgets.allowed(budget)

    def answer(self, operation: Operation) -> OperationResult:
        """Return the answer after the last round."""
        after = {pod.key: pod.node_name for pod in operation.cluster.pods.all()}
        causes, before = operation.causes, operation.before
        restarted = () if isinstance(self._question, Reschedule) else causes
        moved = [
            Move(key, before.get(key, ""), node, causes.get(key, "pending"))
            for key, node in sorted(after.items())
            if node and key in before and (node != before[key] or key in restarted)
        ]
        unplaced = [
            Unplaced(key, before.get(key, ""), operation.messages.get(key, ""), causes.get(key, "pending"))
            for key, node in sorted(after.items())
            if not node
        ]
        unmanaged = self._fates.get("unmanaged", ())
        staying = {
            pod.node_name
            for pod in operation.cluster.pods.all()
            if fate_of(pod, owners_known=operation.owners_known) != "daemon"
        }
        emptied = [] if isinstance(self._question, Add) else [name for name in self._nodes if name not in staying]
        blocked = Counter(name for blocked_pod in self._blocked.values() for name in blocked_pod.budgets)
        cluster = self._uses(operation)
        return OperationResult(
            release=operation.scenario.release.version,
            nodes=self._nodes,
            moved=moved,
            unplaced=unplaced,
            blocked=list(self._blocked.values()),
            unmanaged=[pod.key for pod in unmanaged],
            daemons=len(self._fates.get("daemon", ())),
            local_data=[pod.key for pod in self._fates.get("moves", ()) if pod.node_name and has_local_data(pod)],
            emptied=emptied,
            budgets=[
                Budget(key, self._allowed[key], number, blocked[key], self._obstacle(operation, key))
                for key, number in sorted(self._covered.items())
            ],
            rounds=operation.rounds,
            room_before=_room(use.before for use in cluster if use.node in operation.schedulable_before),
            room_after=_room(use.after for use in cluster if not use.state or use.state == "added"),
            cluster=cluster,
        )

    def _obstacle(self, operation: Operation, key: str) -> Obstacle:
        """Return the reason that the pods that this budget blocks can never be evicted, "" if there is none."""
        budget = operation.cluster.get("PodDisruptionBudget", key)
        pods = operation.cluster.pods
        there = [pods.get(name) for name, entry in self._blocked.items() if entry.budgets == [key]]
        blocked = [pod for pod in there if pod is not None]
        assert budget is None or isinstance(budget, PodDisruptionBudget)
        return Budgets(operation.cluster).obstacle(budget, blocked) if budget and blocked else ""

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
    """Return a DaemonSet's pod for another node; its affinity names that node, as the controller sets it."""
    manifest = recreate_events(pod)[1]["create"]
    name = f"{pod.name}-{node}"[-253:].lstrip("-.")
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}]
    affinity = {**(manifest["spec"].get("affinity") or {})}
    affinity["nodeAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return apply_steps(manifest, [Step(("metadata", "name"), name), Step(("spec", "affinity"), affinity)])


def _cordoned(node: Node) -> Mapping[str, Any]:
    manifest = {"apiVersion": "v1", "kind": "Node", **node.manifest}
    return apply_steps(manifest, [Step(("spec", "unschedulable"), True)])


def _room(uses_: Iterator[dict[str, Amount] | None] | Any) -> dict[str, Amount]:
    """Return the sum over all nodes."""
    there = [use for use in uses_ if use is not None]
    return {
        name: Amount(sum(use[name].requested for use in there), sum(use[name].allocatable for use in there))
        for name in RESOURCES
    }
