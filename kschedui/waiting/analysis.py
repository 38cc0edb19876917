"""The reasons why pods are pending at the end of a run: the verdicts of their last attempts, and the nearest nodes.

    waiting = waiting_pods(scenario, registry)

`nearest` refers to the cluster at the end of the run: the nodes that need the fewest changes, with all of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import msgspec
import numpy as np

from scheduler_core.apis.core import Pod
from scheduler_core.ask.afterwards import Broken, Evicted, Stuck, broken_rules, evicted_pods, has_rules, stuck_pods
from scheduler_core.ask.histories import Histories, IncompleteRollout
from scheduler_core.ask.moments.moment import Moment, run_to_end
from scheduler_core.ask.smallest.advice import Advice, advise
from scheduler_core.ask.smallest.missing import Missing, missing
from scheduler_core.ask.smallest.nearest import Near, nearest
from scheduler_core.ask.smallest.owners import workload_in_trace
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
from scheduler_core.trace.pod_group_events import PodGroupEvaluated
from scheduler_core.trace.preemption_events import PreemptionEvaluated, VictimEvicted
from scheduler_core.trace.records import NodeSummary, PodSummary
from scheduler_core.trace.summaries import bound_at_the_end, initial_nodes, nodes_of, pods_of

MAX_KINDS = 40  # of waiting pods, whose nearest nodes are looked for


class Cause(msgspec.Struct):
    """Nodes that one plugin rejected for the same reasons; `nodes` is 0 if no node was evaluated."""

    plugin: str
    reasons: list[str]
    nodes: int


class Group(msgspec.Struct):
    """The last attempt of a pod's group: the members that found a node, and those that did not.

    `node` is that of the pod itself, "" if it found none.
    """

    name: str
    node: str
    placed: list[str]
    unplaced: list[str]


class PendingPod(msgspec.Struct):
    """A pending pod.

    `step` is that of the message; the plugin in `causes` that ran last is last.

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
    advice: list[Advice] = []
    group: Group | None = None

    @property
    def blockers(self) -> list[Cause]:
        """Return the causes, one for each plugin, the verdict on the nearest node first.

        Without a nearest node, the verdict of the plugin that ran last is first.
        """
        by_plugin = {cause.plugin: cause for cause in reversed(self.causes)}
        near = self.nearest[0].plugins if self.nearest else []
        first = next((plugin for plugin in near if plugin in by_plugin), "")
        causes = sorted(by_plugin.values(), key=lambda cause: cause.plugin != first)
        return causes


class _Last(msgspec.Struct):
    """A pod's last attempt."""

    step: int = 0
    attempt: int = 0
    message: str = ""
    causes: list[Cause] = []
    no_victims: bool = False
    scheduler: str = ""  # the scheduler of a pod that belongs to another one


def waiting_pods(scenario: Scenario, registry: Registry) -> list[PendingPod]:
    """Return every pod that is pending at the end of the run, in the order of the run. Raises RunEnded."""
    follower = Follower()
    moment = run_to_end(scenario, follower.take, registry)
    return follower.waiting(dumped_messages(scenario), moment)


class LeftBehind(msgspec.Struct):
    """The pending pods at the end of a run, and other pods and rollouts with problems."""

    waiting: list[PendingPod]
    evicted: list[Evicted]
    stuck: list[Stuck]
    broken: list[Broken]
    standing: list[IncompleteRollout]


def left_behind(scenario: Scenario, registry: Registry) -> LeftBehind:
    """Return the pods and rollouts with problems at the end of the run. Raises RunEnded."""
    follower = Follower()
    moment = run_to_end(scenario, follower.take, registry)
    return follower.left_behind(scenario, moment)


def may_leave_behind(scenario: Scenario) -> bool:
    """Return whether `left_behind` may report something about the running pods of the scenario."""
    pods = (item for item in scenario.objects if isinstance(item, Pod) and item.node_name)
    return any(pod.terminating or has_rules(pod) for pod in pods)


def dumped_messages(scenario: Scenario) -> dict[str, str]:
    """Return the messages of PodScheduled conditions with status False, as in the original cluster, by pod."""
    messages: dict[str, str] = {}
    for pod in (item for item in scenario.objects if isinstance(item, Pod)):
        for condition in (pod.manifest.get("status") or {}).get("conditions") or ():
            if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
                messages[pod.key] = str(condition.get("message") or "")
    return messages


class Follower:
    """Collects the last attempt of each pod, and the pods' histories, from a run's events."""

    def __init__(self) -> None:
        self.nodes: dict[str, NodeSummary] = {}
        self.order: list[str] = []
        self.pods: dict[str, PodSummary] = {}
        self.last: dict[str, _Last] = defaultdict(_Last)
        self.now = _Last()  # the attempt of the current scheduling cycle
        self.cycles: dict[str, _Last] = {}  # the attempts of the members of a group that is being tried
        self.groups: dict[str, PodGroupEvaluated] = {}  # by "namespace/name", when it was last tried
        self.evictions: list[VictimEvicted] = []
        self.histories = Histories()
        self.began: Mapping[str, str] = {}  # the node of each pod at the start
        self.bound: Mapping[str, str] = {}
        self.pending: list[str] = []

    def take(self, step: int, event: AnyEvent) -> None:
        """Apply one event."""
        self.histories.take(event)
        match event:
            case RunStarted():
                self.nodes = {node.name: node for node in nodes_of(event)}
                names = list(self.nodes)
                self.order = [names[row] for row in event.order]
                self.pods = {pod.pod: pod for pod in pods_of(event)}
                self.began = initial_nodes(self.pods.values())
            case ObjectApplied() | ObjectDeleted():
                self.apply_object(event)
            case CycleStarted():
                self.now = self.cycles[event.pod] = _Last(attempt=event.attempt)
            case PodGroupEvaluated():
                self.groups[event.pod_group] = event
            case PreFilterFinished(rejected_by=str(plugin)):
                self.now.causes = [Cause(plugin, event.reasons, 0)]
            case NodesFiltered():
                self.count_rejections(event)
            case PreemptionEvaluated():
                self.now.no_victims = event.eligible and not event.nominated_node
            case SchedulingFailed():
                failed = self.cycles.pop(event.pod, self.now)  # of a group, members fail after all were tried
                failed.step, failed.message = step, event.message
                self.last[event.pod] = failed
            case VictimEvicted():
                self.evictions.append(event)
            case PodGated():
                self.last[event.pod] = _Last(
                    step=step, message=event.message, causes=[Cause(event.plugin, [event.message], 0)]
                )
            case PodIgnored():
                self.last[event.pod] = _Last(step=step, scheduler=event.scheduler)
            case RunFinished():
                self.bound, self.pending = bound_at_the_end(self.began, event), event.pending

    def apply_object(self, event: ObjectApplied | ObjectDeleted) -> None:
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
        verdict_numbers = decode_column(event.verdict, event.evaluated)
        counts = np.bincount(verdict_numbers, minlength=len(event.verdicts) + 1)[1:].tolist()
        causes = [
            Cause(verdict.plugin, verdict.reasons, nodes)
            for verdict, nodes in zip(event.verdicts, counts, strict=True)
            if nodes
        ]
        rank = {name: number for number, name in enumerate(event.plugins)}
        self.now.causes = sorted(causes, key=lambda cause: (rank.get(cause.plugin, len(rank)), cause.nodes))
        for extender, _, message in event.extenders:
            self.now.causes.append(Cause(extender, [message], 1))

    def waiting(self, dumped: Mapping[str, str], moment: Moment | None) -> list[PendingPod]:
        """Return the pending pods; `moment` is the end of the run.

        If it is None, the nearest nodes are not searched for.
        """
        nearby = Nearby(moment) if moment is not None else None
        return [self.waiting_pod(key, nearby, dumped.get(key, "")) for key in self.pending if key in self.pods]

    def left_behind(self, scenario: Scenario, moment: Moment | None) -> LeftBehind:
        """Return the pending pods and incomplete rollouts and, with `moment`, the other pods with problems."""
        waiting = self.waiting(dumped_messages(scenario), moment)
        standing = list(self.histories.incomplete_rollouts())
        if moment is None:
            return LeftBehind(waiting, [], [], [], standing)
        objects = (*scenario.objects, *(event.object for event in scenario.events))
        pods = {item.key: item for item in objects if isinstance(item, Pod)}
        evicted = evicted_pods(moment, self.evictions, pods, self.histories)
        return LeftBehind(waiting, evicted, stuck_pods(moment), broken_rules(moment), standing)

    def waiting_pod(self, key: str, nearby: Nearby | None, dumped: str) -> PendingPod:
        """Return a pending pod with its last attempt; without `nearby`, nothing is searched for."""
        pod, last = self.pods[key], self.last[key]
        near, lacking, advice = nearby.of(key) if nearby is not None else (None, [], [])
        return PendingPod(
            pod=key,
            owner=workload_in_trace(pod),
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
            advice=advice,
            group=self.group_of(pod),
        )

    def group_of(self, pod: PodSummary) -> Group | None:
        """Return the last attempt of the pod's group; None if the group was not tried or its attempt succeeded."""
        evaluated = self.groups.get(pod.pod_group) if pod.pod_group else None
        if evaluated is None or evaluated.success:
            return None
        nodes = {member.pod: member.node for member in evaluated.members}
        placed = [name for name, node in nodes.items() if node]
        unplaced = [name for name, node in nodes.items() if not node]
        return Group(pod.pod_group, nodes.get(pod.pod, ""), placed, unplaced)


Known = tuple[list[Near] | None, list[Missing], list[Advice]]


class Nearby:
    """The nearest nodes of pods, computed once for pods with equal requirements, and for MAX_KINDS kinds of pods."""

    def __init__(self, moment: Moment) -> None:
        self._moment, self._world = moment, moment.world()
        self._known: dict[bytes, Known] = {}

    def of(self, key: str) -> Known:
        """Return the nearest nodes, None if they were not searched for; what is missing; and advice."""
        pod = self._world.cluster.pods.get(key)
        if pod is None:
            return None, [], []
        kind = msgspec.json.encode((pod.namespace, pod.labels, pod.priority, pod.manifest.get("spec")))
        if kind not in self._known:
            lacking = missing(self._world, pod)
            looked_for = len(self._known) < MAX_KINDS
            near = nearest(self._moment, key) if looked_for else None
            self._known[kind] = near, lacking, advise(self._moment, key) if looked_for else []
        return self._known[kind]
