"""What blocks each pod that a run leaves waiting: the verdicts of its last attempt, and which nodes come nearest.

    waiting = waiting_pods(scenario, simulate(scenario))

`nearest` is of the cluster as the run ends: for each node that NodeResourcesFit rejected, what is missing there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np

from scheduler_core.apis.core import Pod
from scheduler_core.scenario.types import Scenario
from scheduler_core.trace.columns import decode_column
from scheduler_core.trace.events import (
    AnyEvent,
    CycleStarted,
    NodesFiltered,
    ObjectApplied,
    ObjectDeleted,
    PodGated,
    PreFilterFinished,
    RunFinished,
    RunStarted,
    SchedulingFailed,
)
from scheduler_core.trace.preemption_events import PreemptionEvaluated
from scheduler_core.trace.records import NodeSummary, PodSummary
from scheduler_core.trace.summaries import bound_at_the_end, nodes_of, pods_of, standing

FIT = "NodeResourcesFit"
NEAREST = 3
GATED = "SchedulingGates"


class Cause(msgspec.Struct):
    """Nodes that one plugin rejected for the same reasons; of a pod that no node was asked for, `nodes` is 0."""

    plugin: str
    reasons: list[str]
    nodes: int


class Near(msgspec.Struct):
    """A node, and what it lacks of each resource, in the base units of the trace."""

    node: str
    short: dict[str, int]


class WaitingPod(msgspec.Struct):
    """`step` is that of the message; `causes` have the plugin last that most nearly let the pod pass.

    `dumped`: the message of the PodScheduled condition with which the pod came; "" where it had none.
    """

    pod: str
    owner: str
    requests: dict[str, int]
    priority: int
    step: int = 0
    attempt: int = 0
    message: str = ""
    causes: list[Cause] = []
    nearest: list[Near] = []
    dumped: str = ""
    unhelpful: bool = False  # preemption was tried, and no victim was found

    @property
    def blocker(self) -> Cause | None:
        """What would have to change first: the nodes that got furthest."""
        return self.causes[-1] if self.causes else None


@dataclass
class _Last:
    """A pod's last attempt."""

    step: int = 0
    attempt: int = 0
    message: str = ""
    causes: list[Cause] = field(default_factory=list)
    unfit: list[str] = field(default_factory=list)  # nodes that NodeResourcesFit rejected
    no_victims: bool = False


def waiting_pods(scenario: Scenario, events: Iterable[AnyEvent]) -> list[WaitingPod]:
    """Every pod that waits as the run ends, in the order of the run."""
    follower = Follower()
    for step, event in enumerate(events):
        follower.take(step, event)
    return follower.waiting(dumped_messages(scenario))


def dumped_messages(scenario: Scenario) -> dict[str, str]:
    """Pod -> what its PodScheduled condition said in the cluster."""
    found: dict[str, str] = {}
    for pod in (one for one in scenario.objects if isinstance(one, Pod)):
        for condition in (pod.manifest.get("status") or {}).get("conditions") or ():
            if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
                found[pod.key] = str(condition.get("message") or "")
    return found


class Follower:
    """Follows a run's events."""

    def __init__(self) -> None:
        self.nodes: dict[str, NodeSummary] = {}
        self.order: list[str] = []
        self.pods: dict[str, PodSummary] = {}
        self.last: dict[str, _Last] = defaultdict(_Last)
        self.now = _Last()
        self.began: Mapping[str, str] = {}  # where pods stood
        self.bound: Mapping[str, str] = {}
        self.pending: list[str] = []

    def take(self, step: int, event: AnyEvent) -> None:
        """Go on by one event."""
        match event:
            case RunStarted():
                self.nodes = {node.name: node for node in nodes_of(event)}
                names = list(self.nodes)
                self.order = [names[row] for row in event.order]
                self.pods = {pod.pod: pod for pod in pods_of(event)}
                self.began = standing(self.pods.values())
            case ObjectApplied() | ObjectDeleted():
                self.objects(event)
            case CycleStarted():
                self.now = _Last(attempt=event.attempt)
            case PreFilterFinished(rejected_by=str(plugin)):
                self.now.causes = [Cause(plugin, event.reasons, 0)]
            case NodesFiltered():
                self.filtered(event)
            case PreemptionEvaluated():
                self.now.no_victims = event.eligible and not event.nominated_node
            case SchedulingFailed():
                self.now.step, self.now.message = step, event.message
                self.last[event.pod] = self.now
            case PodGated():
                self.last[event.pod] = _Last(step=step, causes=[Cause(event.plugin, [], 0)])
            case RunFinished():
                self.bound, self.pending = bound_at_the_end(self.began, event), event.pending

    def objects(self, event: ObjectApplied | ObjectDeleted) -> None:
        """Nodes and pods come, change and go."""
        if event.order is not None:
            self.order = event.order
        if isinstance(event, ObjectApplied):
            if event.node is not None:
                self.nodes[event.node.name] = event.node
            if event.pod is not None:
                self.pods[event.pod.pod] = event.pod
        elif event.kind == "Node":
            self.nodes.pop(event.name, None)
        elif event.kind == "Pod":
            self.pods.pop(f"{event.namespace}/{event.name}", None)

    def filtered(self, event: NodesFiltered) -> None:
        """Count the nodes of each verdict, in the order in which the plugins ran."""
        verdict = decode_column(event.verdict, event.evaluated)
        counts = np.bincount(verdict, minlength=len(event.verdicts) + 1)[1:].tolist()
        found = [
            Cause(one.plugin, one.reasons, nodes) for one, nodes in zip(event.verdicts, counts, strict=True) if nodes
        ]
        rank = {name: number for number, name in enumerate(event.plugins)}
        self.now.causes = sorted(found, key=lambda cause: (rank.get(cause.plugin, len(rank)), cause.nodes))
        for extender, _, message in event.extenders:
            self.now.causes.append(Cause(extender, [message], 1))
        wanted = [number for number, one in enumerate(event.verdicts, 1) if one.plugin == FIT]
        at = np.flatnonzero(np.isin(verdict, wanted))
        rows = (
            (event.start + at) % max(event.total, 1)
            if event.rows is None
            else decode_column(event.rows, event.evaluated)[at]
        )
        self.now.unfit = [self.order[row] for row in rows.tolist()]

    def waiting(self, dumped: Mapping[str, str]) -> list[WaitingPod]:
        """The pods that wait now."""
        room = _Room(self.nodes, self.pods, self.bound)
        return [self.waiting_pod(key, room, dumped.get(key, "")) for key in self.pending if key in self.pods]

    def waiting_pod(self, key: str, room: _Room, dumped: str) -> WaitingPod:
        pod, last = self.pods[key], self.last[key]
        return WaitingPod(
            pod=key,
            owner=pod.owner,
            requests=pod.requests,
            priority=pod.priority,
            step=last.step,
            attempt=last.attempt,
            message=last.message,
            causes=last.causes,
            nearest=room.nearest(pod.requests, last.unfit),
            dumped=dumped,
            unhelpful=last.no_victims,
        )


class _Room:
    """What is free on each node as the run ends."""

    def __init__(self, nodes: dict[str, NodeSummary], pods: dict[str, PodSummary], bound: Mapping[str, str]) -> None:
        self.rows = {name: row for row, name in enumerate(nodes)}
        self.names = list(nodes)
        names = sorted({name for node in nodes.values() for name in node.allocatable} | {"cpu", "memory", "pods"})
        self.columns = {name: column for column, name in enumerate(names)}
        self.all = np.array(
            [[node.allocatable.get(name, 0) for name in names] for node in nodes.values()], dtype=np.int64
        )
        self.all = self.all.reshape(len(nodes), len(names))
        self.free = self.all.copy()
        for key, pod in pods.items():
            row = self.rows.get(bound.get(key, "") or pod.node)
            if row is not None:
                for name, amount in pod.requests.items():
                    if name in self.columns:
                        self.free[row, self.columns[name]] -= amount
                self.free[row, self.columns["pods"]] -= 1

    def nearest(self, requests: Mapping[str, int], unfit: list[str]) -> list[Near]:
        """Of the nodes that did not fit those that lack the smallest part of what they have."""
        rows = np.array([self.rows[name] for name in unfit if name in self.rows], dtype=np.int64)
        if not len(rows):
            return []
        asked = {**requests, "pods": 1}
        wanted = np.array([asked.get(name, 0) for name in self.columns], dtype=np.int64)
        missing = np.maximum(wanted - self.free[rows], 0) * (wanted > 0)
        part = (missing / np.maximum(self.all[rows], 1)).max(axis=1)
        unknown = {name: amount for name, amount in requests.items() if name not in self.columns and amount}
        found = []
        for at in np.argsort(part, kind="stable")[:NEAREST].tolist():
            short = {name: int(missing[at, column]) for name, column in self.columns.items() if missing[at, column]}
            if short or unknown:
                found.append(Near(self.names[rows[at]], {**short, **unknown}))
        return found


def workload_of(waiting: WaitingPod) -> dict[str, Any]:
    """By which pods are put together: namespace and owner, or the pod itself."""
    namespace, _, name = waiting.pod.partition("/")
    return {"namespace": namespace, "name": waiting.owner or f"Pod/{name}"}
