"""An operation: after the end of a run, rounds of an operator's actions are simulated.

The actions are also collected as timeline events: the scenario with these events added reproduces the operation step by
step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from scheduler_core.apis.core import Node, Pod, PodKey
from scheduler_core.apis.messages import Message
from scheduler_core.ask.editing.edits import NotPossible
from scheduler_core.ask.editing.objects import build_object
from scheduler_core.ask.operations.evictions import fate_of, replacement
from scheduler_core.ask.operations.results import Amount, Cause
from scheduler_core.cluster.node_tree import ZONE_LABELS
from scheduler_core.framework.runtime.runtime import Registry
from scheduler_core.scenario.objects.kinds import KINDS
from scheduler_core.scenario.types import Scenario, TimelineEvent
from scheduler_core.simulation.simulation import Simulation
from scheduler_core.trace.events import AnyEvent, ObjectDeleted, PodBound, PodGated, PodIgnored, SchedulingFailed
from scheduler_core.trace.records import NodeName

RESOURCES = ("cpu", "memory", "pods")
MAX_ROUNDS = 2000

Happening = Mapping[str, Any]  # an event of `spec.events`, without its time
Rounds = Callable[["Operation"], Iterator[Sequence[Happening]]]


class Operation(Simulation):
    """Runs the scenario to its end, then each round of `rounds` once no action is due. Raises NotPossible.

    `timeline`: the actions as `spec.events` of a scenario. `before`: the node of each pod at the end of the run, "" if
    pending. `owners_known`: pods name their controllers. `messages`: the scheduler's last message for each pending pod.
    `causes`: the reason that a pod lost its node.
    """

    def __init__(self, scenario: Scenario, registry: Registry, rounds: Rounds) -> None:
        if scenario.observed:
            raise NotPossible(
                Message("a recording is only replayed: fork it without its decisions, and ask about the fork")
            )
        super().__init__(scenario, registry)
        self._rounds = rounds
        self._going: Iterator[Sequence[Happening]] | None = None
        self.timeline: list[dict[str, Any]] = []
        self.rounds = 0
        self.before: dict[PodKey, NodeName] = {}
        self.nodes_before: dict[NodeName, dict[str, Amount]] = {}
        self.schedulable_before: set[NodeName] = set()
        self.zones_before: dict[NodeName, str] = {}
        self.messages: dict[PodKey, str] = {}
        self.causes: dict[PodKey, Cause] = {}
        self._victims: dict[PodKey, Pod] = {}
        self._pods: dict[PodKey, Pod] = {}
        self._created = 0
        self.owners_known = False

    def carry_out(self) -> None:
        """Run to the end of the operation. Raises RunEnded."""
        for event in self.run():
            self._watch(event)

    def _watch(self, event: AnyEvent) -> None:
        match event:
            case SchedulingFailed():
                self.messages[event.pod] = event.message
            case PodGated():
                gates = self.cluster.pods.get(event.pod)
                self.messages[event.pod] = f"{event.plugin}: {', '.join(gates.scheduling_gates if gates else ())}"
            case PodIgnored():
                self.messages[event.pod] = f"no profile is named {event.scheduler}"
            case PodBound():
                self.messages.pop(event.pod, None)
            case ObjectDeleted(kind="Pod", cause="preemption") if self._going is not None:
                key = f"{event.namespace}/{event.name}"
                if key in self._pods:
                    self._victims[key] = self._pods[key]
                self.causes[key] = "preempted"

    def _next_moment(self) -> float | None:
        moment = super()._next_moment()
        if moment is not None:
            return moment
        if self._going is None:
            self._begin()
        assert self._going is not None
        # Budgets count a preempted pod once its replacement exists, so replacements come before the next evictions.
        happenings: Sequence[Happening] = list(self._created_again()) or next(self._going, ())
        if not happenings:
            return None
        self.rounds += 1
        if self.rounds > MAX_ROUNDS:
            raise NotPossible(Message("the operation takes more than {most} rounds", most=MAX_ROUNDS))
        self._schedule(happenings)
        return super()._next_moment()

    def _begin(self) -> None:
        """Store the state of the cluster at the end of the run."""
        until = self.scenario.until_seconds
        if until is not None and until > self.cluster.now:
            self._advance(until, "end")
        self.scenario = replace(self.scenario, until_seconds=None)
        self.before = {pod.key: pod.node_name for pod in self.cluster.pods.all()}
        self.owners_known = any(pod.owner for pod in self.cluster.pods.all())
        self.nodes_before = uses(self)
        self.zones_before = {node.name: zone_of(node) for node in self.cluster.all_nodes()}
        self.schedulable_before = {node.name for node in self.cluster.all_nodes() if not node.unschedulable}
        self._going = self._rounds(self)

    def _created_again(self) -> Iterator[Happening]:
        """Yield the replacements of preempted pods that have a controller."""
        for key, pod in self._victims.items():
            managed = fate_of(pod, owners_known=self.owners_known) in ("moves", "daemon")
            if managed and self.cluster.pods.get(key) is None:
                yield {"create": replacement(pod)}
        self._victims = {}

    def _schedule(self, happenings: Sequence[Happening]) -> None:
        """Add events one second from now; the first ones wait until no pod is in backoff."""
        rest = self.scenario.config.pod_max_backoff_seconds if self.rounds == 1 else 0
        at = math.floor(self.cluster.now + rest) + 1.0
        events = []
        for happening in happenings:
            [(action, data)] = happening.items()
            events.append(self._event(at, action, data))
            self.timeline.append({"at": int(at), action: data})
        self._agenda.add(events)
        self._pods = {pod.key: pod for pod in self.cluster.pods.all()}
        self._pods |= {
            f"{event.namespace}/{event.name}": event.object for event in events if isinstance(event.object, Pod)
        }

    def _event(self, at: float, action: Any, data: Mapping[str, Any]) -> TimelineEvent:
        if action == "delete":
            return TimelineEvent(at, "delete", data["kind"], data.get("namespace", ""), data["name"])
        item = build_object(data["kind"], data, self.cluster, self.scenario.release)
        if isinstance(item, Pod):
            self._created += 1
            item = replace(item, uid=f"created-{self._created}", creation_timestamp=at)
        elif isinstance(item, Node) and action == "create":
            item = replace(item, uid=f"node-{item.name}", creation_timestamp=at)
        return TimelineEvent(at, action, data["kind"], getattr(item, "namespace", ""), item.name, item)


def zone_of(node: Node) -> str:
    """Return the zone label of the node, "" if it has none."""
    return next((node.labels[label] for label in ZONE_LABELS if label in node.labels), "")


def delete_event(kind: str, name: str, namespace: str = "") -> Happening:
    """Return the event that deletes an object."""
    of = {"namespace": namespace} if namespace else {}
    return {"delete": {"apiVersion": KINDS[kind].api_version, "kind": kind, "name": name, **of}}


def recreate_events(pod: Pod) -> list[Happening]:
    """Return the events that delete a pod and create its replacement."""
    return [delete_event("Pod", pod.name, pod.namespace), {"create": replacement(pod)}]


def uses(operation: Operation) -> dict[NodeName, dict[str, Amount]]:
    """Return the pods' requests on each node."""
    cluster = operation.cluster
    requested: dict[NodeName, dict[str, int]] = {}
    for pod in cluster.pods.all():
        if pod.node_name:
            total = requested.setdefault(pod.node_name, dict.fromkeys(RESOURCES, 0))
            total["cpu"] += pod.requests.get("cpu", 0)
            total["memory"] += pod.requests.get("memory", 0)
            total["pods"] += 1
    none = dict.fromkeys(RESOURCES, 0)
    return {
        node.name: {
            name: Amount(requested.get(node.name, none)[name], node.allocatable.get(name, 0)) for name in RESOURCES
        }
        for node in cluster.all_nodes()
    }
