"""The course of a run with an autoscaler: nodes, price and pending pods over time."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from scheduler_core.apis.core import Node, Pod, PodKey
from scheduler_core.apis.requirements import INSTANCE_TYPE, NODE_POOL
from scheduler_core.ask.autoscale.answers import MadeNode
from scheduler_core.ask.prices import Prices
from scheduler_core.autoscaling.cluster_autoscaler.loop import ClusterAutoscaler
from scheduler_core.framework.runtime.runtime import Registry
from scheduler_core.scenario.types import Scenario
from scheduler_core.scheduler.apiserver.event_handlers import FINISHED
from scheduler_core.simulation.simulation import Simulation
from scheduler_core.trace.autoscaling_events import NodeGroupResized
from scheduler_core.trace.controller_events import EvictionAnswered
from scheduler_core.trace.events import (
    AnyEvent,
    ClockAdvanced,
    ObjectApplied,
    ObjectDeleted,
    PodBound,
    RunFinished,
    RunStarted,
)

MOST_SAMPLES = 400
CREATED = 201


class Sample(msgspec.Struct, frozen=True):
    """The state of the cluster from `at` seconds on: the numbers of nodes and pending pods, and the price per hour."""

    at: float
    nodes: int
    price: float
    pending: int


class Course(msgspec.Struct):
    """The course of a run.

    `ordered`: when the first nodes were requested. `bound`: when each pod was bound. `waits`: the seconds that each pod
    waited for its node, until the end for `waiting` pods. `cost`: the prices times the hours. `estimated`: the number
    of nodes whose price is estimated from cpu and memory, because neither group nor instance type states it.
    """

    samples: list[Sample] = []
    ordered: float | None = None
    bound: dict[PodKey, float] = {}
    waits: dict[PodKey, float] = {}
    waiting: list[PodKey] = []
    nodes: list[MadeNode] = []
    removed: int = 0
    evictions: int = 0
    cost: float = 0.0
    estimated: int = 0


def follow(
    scenario: Scenario,
    registry: Registry,
    start: float = 0.0,
    report_progress: Callable[[float], None] = lambda part: None,
) -> Course:
    """Run the scenario until its end, and return its course from `start` on. Raises RunEnded."""
    course, tally = Course(), _Tally(Simulation(scenario, registry))
    end = scenario.until_seconds or 0.0
    samples: list[Sample] = []
    for event in tally.run():
        if isinstance(event, ClockAdvanced | RunFinished):
            report_progress(min(1.0, tally.now / end) if end else 0.0)
        if tally.now < start:
            continue
        if course.ordered is None and is_order(event):
            course.ordered = tally.now - start
        match event:
            case PodBound(pod=pod, node=node):
                course.bound[pod] = tally.now - start
                for made in course.nodes:
                    if made.node == node:
                        made.pods.append(pod)
            case ObjectApplied(kind="Node", action="create", name=name):
                course.nodes.append(MadeNode(name, *tally.origin(name), []))
            case ObjectDeleted(kind="Node"):
                course.removed += 1
            case EvictionAnswered(code=code):
                course.evictions += code == CREATED
        sample = Sample(tally.now - start, len(tally.prices), round(sum(tally.prices.values()), 6), len(tally.since))
        if samples and samples[-1].at == sample.at:
            samples[-1] = sample
        elif not samples or msgspec.structs.replace(samples[-1], at=sample.at) != sample:
            samples.append(sample)
    last = max(tally.now, end) - start
    course.cost = sum(
        before.price * (after - before.at) / 3600
        for before, after in zip(samples, [*(sample.at for sample in samples[1:]), last], strict=True)
    )
    course.samples = _thinned(samples, last)
    course.waits = {pod: wait for pod, wait in tally.waits.items() if wait > 0}
    course.waits |= {pod: tally.now - since for pod, since in tally.since.items()}
    course.waiting, course.estimated = sorted(tally.since), tally.estimated
    return course


def is_order(event: AnyEvent) -> bool:
    """Return whether the event is an autoscaler's request for nodes."""
    claimed = isinstance(event, ObjectApplied) and event.kind == "NodeClaim" and event.action == "create"
    return claimed or (isinstance(event, NodeGroupResized) and event.delta > 0)


class _Tally:
    """The prices of the nodes and the waits of the pods, updated with each event of a run."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._prices = Prices(simulation.scenario)
        self.now = 0.0
        self.prices: dict[str, float] = {}
        self.since: dict[PodKey, float] = {}
        self.waits: dict[PodKey, float] = {}
        self.estimated = 0

    def run(self) -> Iterator[AnyEvent]:
        """Yield the events of the run after counting each."""
        for event in self._simulation.run():
            match event:
                case RunStarted():
                    cluster = self._simulation.cluster
                    self.prices = {node.name: self._price(node) for node in cluster.all_nodes()}
                    pods = (item for item in self._simulation.scenario.objects if isinstance(item, Pod))
                    self.since = {pod.key: 0.0 for pod in pods if not pod.node_name and pod.phase not in FINISHED}
                case ClockAdvanced(time=time) | RunFinished(time=time):
                    self.now = time
                case ObjectApplied(kind="Node", name=name):
                    node = self._simulation.cluster.node(name)
                    if node is not None and name not in self.prices:
                        self.prices[name] = self._price(node)
                case ObjectDeleted(kind="Node", name=name):
                    self.prices.pop(name, None)
                case ObjectApplied(kind="Pod", action="create", namespace=namespace, name=name):
                    pod = self._simulation.cluster.pods.get(f"{namespace}/{name}")
                    if pod is None or not pod.node_name:
                        self.since[f"{namespace}/{name}"] = self.now
                case ObjectDeleted(kind="Pod", namespace=namespace, name=name):
                    self.since.pop(f"{namespace}/{name}", None)
                case PodBound(pod=bound) if bound in self.since:
                    self.waits[bound] = self.now - self.since.pop(bound)
            yield event

    def origin(self, name: str) -> tuple[str, str]:
        """Return the group or pool of a node, and its instance type; "" for those that it does not have."""
        node = self._simulation.cluster.node(name)
        labels = node.labels if node is not None else {}
        for actor in self._simulation.actors:
            if isinstance(actor, ClusterAutoscaler) and (group := actor.cloud.group_of(name)) is not None:
                return group.name, labels.get(INSTANCE_TYPE, "")
        return labels.get(NODE_POOL, ""), labels.get(INSTANCE_TYPE, "")

    def _price(self, node: Node) -> float:
        self.estimated += self._prices.stated(node.name, node.labels) is None
        return self._prices.of(node.name, node.labels, node.capacity or node.allocatable)


def _thinned(samples: list[Sample], last: float) -> list[Sample]:
    """Return at most MOST_SAMPLES samples: the last one of each interval."""
    if len(samples) <= MOST_SAMPLES:
        return samples
    width = last / (MOST_SAMPLES - 1) or 1.0
    return list({int(sample.at / width): sample for sample in samples}.values())
