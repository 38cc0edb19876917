"""The reasons that pods are pending at the end of a run: the verdicts of their last attempts, and the nearest nodes.

    waiting = waiting_pods(scenario, registry)

`nearest` refers to the cluster at the end of the run: the nodes that need the fewest changes, with all of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import msgspec
import numpy as np

from scheduler_core.apis.core import Pod
from scheduler_core.ask.moments.moment import Moment, run_to_end
from scheduler_core.ask.smallest.missing import Missing, missing
from scheduler_core.ask.smallest.nearest import Near, nearest
from scheduler_core.framework.runtime.runtime import Registry
from scheduler_core.scenario.types import Scenario
from scheduler_core.trace.columns import decode_column
from scheduler_core.trace.events import (
    AnyEvent,
    CycleStarted,
    NodesFiltered,
    ObjectApplied,
    ObjectDeleted,
    PodGated,
    PodIgnored,
    PreFilterFinished,
    RunFinished,
    RunStarted,
    SchedulingFailed,
)
from scheduler_core.trace.preemption_events import PreemptionEvaluated
from scheduler_core.trace.records import NodeSummary, PodSummary
from scheduler_core.trace.summaries import bound_at_the_end, nodes_of, pods_of, standing

MOST_KINDS = 40  # of waiting pods, whose nearest nodes are looked for


class Cause(msgspec.Struct):
    """Nodes that one plugin rejected for the same reasons; `nodes` is 0 if no node was evaluated."""

    plugin: str
    reasons: list[str]
    nodes: int


class WaitingPod(msgspec.Struct):
    """A pending pod.

    `step` is that of the message; the plugin in `causes` that came closest to accepting the pod is last.

    `nearest`: None if not searched for, because too many kinds of pods are pending; `missing`: missing objects and
    resources. `dumped`: the message in the pod's original PodScheduled condition; "" if it had none.
    """

    pod: str
    owner: str
    requests: dict[str, int]
    priority: int
    step: int = 0
    attempt: int = 0
    message: str = ""
    causes: list[Cause] = []
    nearest: list[Near] | None = None
    missing: list[Missing] = []
    dumped: str = ""
    scheduler: str = ""  # the pod belongs to this one, and no profile has its name
    unhelpful: bool = False  # preemption was tried, and no victim was found

    @property
    def blocker(self) -> Cause | None:
        """Return the first thing that has to change: the verdict on the nodes that passed most plugins."""
        return self.causes[-1] if self.causes else None


class _Last(msgspec.Struct):
    """A pod's last attempt."""

    step: int = 0
    attempt: int = 0
    message: str = ""
    causes: list[Cause] = []
    no_victims: bool = False
    scheduler: str = ""  # another one, whose pod it is


def waiting_pods(scenario: Scenario, registry: Registry) -> list[WaitingPod]:
    """Return every pod that is pending at the end of the run, in the order of the run. Raises RunEnded."""
    follower = Follower()
    moment = run_to_end(scenario, follower.take, registry)
    return follower.waiting(dumped_messages(scenario), moment)


def dumped_messages(scenario: Scenario) -> dict[str, str]:
    """Return the original message of each pod's PodScheduled condition in the cluster."""
    messages: dict[str, str] = {}
    for pod in (item for item in scenario.objects if isinstance(item, Pod)):
        for condition in (pod.manifest.get("status") or {}).get("conditions") or ():
            if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
                messages[pod.key] = str(condition.get("message") or "")
    return messages


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
        """Apply one event."""
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
                self.count_rejections(event)
            case PreemptionEvaluated():
                self.now.no_victims = event.eligible and not event.nominated_node
            case SchedulingFailed():
                self.now.step, self.now.message = step, event.message
                self.last[event.pod] = self.now
            case PodGated():
                self.last[event.pod] = _Last(
                    step=step, message=event.message, causes=[Cause(event.plugin, [event.message], 0)]
                )
            case PodIgnored():
                self.last[event.pod] = _Last(step=step, scheduler=event.scheduler)
            case RunFinished():
                self.bound, self.pending = bound_at_the_end(self.began, event), event.pending

    def objects(self, event: ObjectApplied | ObjectDeleted) -> None:
        """Process an object that was created, updated or deleted."""
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

    def count_rejections(self, event: NodesFiltered) -> None:
        """Count the nodes of each verdict, in the order in which the plugins ran."""
        verdict = decode_column(event.verdict, event.evaluated)
        counts = np.bincount(verdict, minlength=len(event.verdicts) + 1)[1:].tolist()
        causes = [
            Cause(verdict.plugin, verdict.reasons, nodes)
            for verdict, nodes in zip(event.verdicts, counts, strict=True)
            if nodes
        ]
        rank = {name: number for number, name in enumerate(event.plugins)}
        self.now.causes = sorted(causes, key=lambda cause: (rank.get(cause.plugin, len(rank)), cause.nodes))
        for extender, _, message in event.extenders:
            self.now.causes.append(Cause(extender, [message], 1))

    def waiting(self, dumped: Mapping[str, str], moment: Moment | None) -> list[WaitingPod]:
        """Return the pending pods; `moment` is the end of the run.

        If it is None, the nearest nodes are not searched for.
        """
        nearby = Nearby(moment) if moment is not None else None
        return [self.waiting_pod(key, nearby, dumped.get(key, "")) for key in self.pending if key in self.pods]

    def waiting_pod(self, key: str, nearby: Nearby | None, dumped: str) -> WaitingPod:
        pod, last = self.pods[key], self.last[key]
        near, lacking = nearby.of(key) if nearby is not None else (None, [])
        return WaitingPod(
            pod=key,
            owner=pod.owner,
            requests=pod.requests,
            priority=pod.priority,
            step=last.step,
            attempt=last.attempt,
            message=last.message,
            causes=last.causes,
            nearest=near,
            missing=lacking,
            dumped=dumped,
            scheduler=last.scheduler,
            unhelpful=last.no_victims,
        )


class Nearby:
    """The nearest nodes by pod, computed once for pods with equal requirements, for a limited number of kinds."""

    def __init__(self, moment: Moment) -> None:
        self._moment, self._world = moment, moment.world()
        self._known: dict[bytes, tuple[list[Near] | None, list[Missing]]] = {}

    def of(self, key: str) -> tuple[list[Near] | None, list[Missing]]:
        """Return the nearest nodes, None if they were not searched for; and what is missing."""
        pod = self._world.cluster.pods.get(key)
        if pod is None:
            return None, []
        kind = msgspec.json.encode((pod.namespace, pod.labels, pod.priority, pod.manifest.get("spec")))
        if kind not in self._known:
            lacking = missing(self._world, pod)
            looked_for = len(self._known) < MOST_KINDS
            self._known[kind] = (nearest(self._moment, key) if looked_for else None), lacking
        return self._known[kind]
