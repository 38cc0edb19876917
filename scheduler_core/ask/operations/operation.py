"""An operation: after the end of a run, an operator's actions are simulated, with the controllers around the scheduler.

The actions are also collected as timeline events: the scenario with these events added reproduces the operation step by
step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from scheduler_core.apis.core import KubernetesObject, Node, Pod, PodKey, Workload
from scheduler_core.apis.messages import Message
from scheduler_core.ask.editing.edits import NotPossible
from scheduler_core.ask.editing.objects import build_object
from scheduler_core.ask.histories import Histories
from scheduler_core.ask.operations.results import Amount, Cause
from scheduler_core.cluster.node_tree import ZONE_LABELS
from scheduler_core.controllers.api import Api
from scheduler_core.framework.runtime.runtime import Registry
from scheduler_core.scenario.objects.kinds import KINDS
from scheduler_core.scenario.settings.controllers import BARE_PODS, CONTROLLERS
from scheduler_core.scenario.settings.timeline import OBJECT_VERBS
from scheduler_core.scenario.types import Scenario, TimelineEvent
from scheduler_core.simulation.simulation import Simulation
from scheduler_core.trace.controller_events import EvictionAnswered
from scheduler_core.trace.events import (
    AnyEvent,
    PodBound,
    PodGated,
    PodIgnored,
    SchedulingFailed,
)
from scheduler_core.trace.records import NodeName

RESOURCES = ("cpu", "memory", "pods")
# Why a pod is deleted (controllers/causes.py), as the answer says it.
CAUSES: Mapping[str, Cause] = {
    "evicted": "evicted",
    "requested": "evicted",
    "node-gone": "lost",
    "preempted": "preempted",
}

Happening = Mapping[str, Any]  # an event of `spec.events`, without its time
Rounds = Callable[["Operation"], Iterator[Sequence[Happening]]]


class Operation(Simulation):
    """Runs the scenario to its end, then each round of `rounds` once nothing happens any more. Raises NotPossible.

    `timeline`: the actions as `spec.events` of a scenario. `before`: the node of each pod at the end of the run, "" if
    pending. `owners_known`: pods name their controllers. `messages`: the scheduler's last message for each pending pod.
    `refused`: the last answer to an eviction that was not granted. `evicted_at`: when pods were evicted.
    """

    def __init__(self, scenario: Scenario, registry: Registry, rounds: Rounds) -> None:
        if scenario.observed:
            raise NotPossible(
                Message("a recording is only replayed: fork it without its decisions, and ask about the fork")
            )
        self.owners_known = any(map(_names_owner, scenario.objects)) or any(
            _names_owner(event.object) for event in scenario.events
        )
        controllers = CONTROLLERS if self.owners_known else (*CONTROLLERS, BARE_PODS)
        super().__init__(replace(scenario, controllers=scenario.controllers or controllers), registry)
        self._rounds = rounds
        self._remaining_rounds: Iterator[Sequence[Happening]] | None = None
        self._is_first = True
        self.timeline: list[dict[str, Any]] = []
        self.before: dict[PodKey, NodeName] = {}
        self.nodes_before: dict[NodeName, dict[str, Amount]] = {}
        self.schedulable_before: set[NodeName] = set()
        self.zones_before: dict[NodeName, str] = {}
        self.messages: dict[PodKey, str] = {}
        self.refused: dict[PodKey, EvictionAnswered] = {}
        self.evicted_at: set[float] = set()
        self._histories = Histories()
        self._began = 0.0

    @property
    def api(self) -> Api:
        """Return the API server of the simulated cluster."""
        assert self._live is not None
        return self._live.api

    def carry_out(self) -> None:
        """Run to the end of the operation. Raises RunEnded."""
        for event in self.run():
            self._watch(event)

    def successor(self, key: PodKey) -> PodKey:
        """Return the last replacement of the pod, or the pod itself if it was not replaced."""
        seen = {key}
        while (following := self._histories.made.get(key, key)) not in seen:
            seen.add(following)
            key = following
        return key

    def causes(self) -> dict[PodKey, Cause]:
        """Return the cause of each pod's deletion since the operation began."""
        return {
            key: CAUSES.get(act.because.name if act.because else "", "removed")
            for key, act in self._histories.deletions.items()
            if act.at > self._began
        }

    def _watch(self, event: AnyEvent) -> None:
        match event:
            case SchedulingFailed():
                self.messages[event.pod] = event.message
            case PodGated():
                pod = self.cluster.pods.get(event.pod)
                self.messages[event.pod] = f"{event.plugin}: {', '.join(pod.scheduling_gates if pod else ())}"
            case PodIgnored():
                self.messages[event.pod] = f"no profile is named {event.scheduler}"
            case PodBound():
                self.messages.pop(event.pod, None)
            case EvictionAnswered(code=201):
                self.refused.pop(event.pod, None)
                self.evicted_at.add(self.cluster.now)
            case EvictionAnswered():
                self.refused[event.pod] = event
        self._histories.take(event)

    def _next_moment(self) -> float | None:
        moment = super()._next_moment()
        if moment is not None:
            return moment
        if self._remaining_rounds is None:
            self._begin()
        assert self._remaining_rounds is not None
        happenings = next(self._remaining_rounds, ())
        if not happenings:
            return None
        self._schedule(happenings)
        return super()._next_moment()

    def _begin(self) -> None:
        """Advance to the end of the run, store the state of the cluster then, and begin the rounds."""
        until = self.scenario.until_seconds
        if until is not None and until > self.cluster.now:
            self._advance(until, "end")
        self.scenario = replace(self.scenario, until_seconds=None)
        pods = list(self.cluster.pods.all())
        self.before = {pod.key: pod.node_name for pod in pods}
        self._began = self.cluster.now
        self.refused.clear()
        self.evicted_at.clear()
        self.nodes_before = uses(self)
        self.zones_before = {node.name: zone_of(node) for node in self.cluster.all_nodes()}
        self.schedulable_before = {node.name for node in self.cluster.all_nodes() if not node.unschedulable}
        self._remaining_rounds = self._rounds(self)

    def _schedule(self, happenings: Sequence[Happening]) -> None:
        """Add events one second from now; the first ones wait until no pod is in backoff."""
        rest = self.scenario.config.pod_max_backoff_seconds if self._is_first else 0
        self._is_first = False
        at = math.floor(self.cluster.now + rest) + 1.0
        events = []
        for happening in happenings:
            [(action, data)] = happening.items()
            events.append(self._event(at, action, data))
            self.timeline.append({"at": int(at), action: data})
        self._agenda.add(events)

    def _event(self, at: float, action: Any, data: Mapping[str, Any]) -> TimelineEvent:
        if action not in OBJECT_VERBS:
            return TimelineEvent(at, action, "Node", "", "", details={**data, "nodes": data["node"]})
        if action == "delete":
            name = data["kind"], data.get("namespace", ""), data["name"]
            return TimelineEvent(at, "delete", *name, details=data if "gracePeriodSeconds" in data else {})
        item = build_object(data["kind"], data, self.cluster, self.scenario.release)
        if isinstance(item, Pod | Node) and action == "create":
            item = replace(item, uid=f"{type(item).__name__.lower()}-{item.name}", creation_timestamp=at)
        return TimelineEvent(at, action, data["kind"], getattr(item, "namespace", ""), item.name, item)


def _names_owner(item: KubernetesObject | None) -> bool:
    """Return whether the object is a pod with an owner, or a workload that creates pods."""
    if isinstance(item, Workload):
        return item.spec is not None and "template" in (item.manifest.get("spec") or {})
    return isinstance(item, Pod) and item.owner is not None


def zone_of(node: Node) -> str:
    """Return the zone label of the node, "" if it has none."""
    return next((node.labels[label] for label in ZONE_LABELS if label in node.labels), "")


def delete_event(kind: str, name: str, namespace: str = "", **options: Any) -> Happening:
    """Return the event that deletes an object."""
    of = {"namespace": namespace} if namespace else {}
    return {"delete": {"apiVersion": KINDS[kind].api_version, "kind": kind, "name": name, **of, **options}}


def uses(operation: Operation) -> dict[NodeName, dict[str, Amount]]:
    """Return the requested and allocatable amounts of RESOURCES on each node."""
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
