"""Measures of a run: numbers that are compared between two runs or thousands of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from statistics import fmean, pstdev

import msgspec

from scheduler_core.ask.prices import Prices
from scheduler_core.cluster.node_tree import ZONE_LABELS
from scheduler_core.trace.events import (
    AnyEvent,
    AttemptFinished,
    ClockAdvanced,
    ObjectApplied,
    ObjectDeleted,
    PodBound,
    PodEnqueued,
    RunFinished,
    RunStarted,
)
from scheduler_core.trace.preemption_events import PreemptionEvaluated, VictimEvicted, candidates_of
from scheduler_core.trace.records import NodeSummary, PodKey, PodSummary
from scheduler_core.trace.summaries import bound_at_the_end, initial_nodes, nodes_of, pods_of


class Measures(msgspec.Struct, frozen=True):
    """The measures of a run. Waits are virtual seconds from the first enqueueing of a pod to its binding.

    `cpu` and `memory` are the requested shares of the allocatable amounts; `cpu_spread` is the standard deviation of
    the nodes' shares. `skew` is the number of pods in the fullest zone minus that in the emptiest, None without zones.
    `highest_victim` and `mean_victim` are priorities. `price` is what the nodes at the end cost for an hour, `cost`
    what all nodes of the run cost while they existed; None if the scenario states no price. `nodes` is their number at
    the end. Experiments store these numbers in this order.
    """

    placed: int
    pending: int
    attempts: int
    preemptions: int
    evicted: int
    highest_victim: int | None
    mean_victim: float | None
    budget_violations: int
    wait_mean: float
    wait_longest: float
    cpu: float
    memory: float
    cpu_spread: float
    empty_nodes: int
    skew: int | None
    time: float
    price: float | None = None
    cost: float | None = None
    nodes: int = 0


class Tally:
    """Computes the measures of a run, event by event. `prices`: of its scenario."""

    def __init__(self, prices: Prices | None = None) -> None:
        self._prices = prices if prices is not None and prices.are_stated else None
        self._price_of: dict[str, float] = {}  # of the nodes that exist
        self._cost = 0.0
        self._paid_until = 0.0
        self.nodes: dict[str, NodeSummary] = {}
        self.pods: dict[PodKey, PodSummary] = {}
        self.bound: dict[PodKey, str] = {}
        self.pending: list[PodKey] = []
        self._initial_node_of: dict[PodKey, str] = {}
        self._time = 0.0
        self._since: dict[PodKey, float] = {}
        self._waits: list[float] = []
        self._counts: Counter[str] = Counter()
        self._victims: list[int] = []

    def take(self, event: AnyEvent) -> None:
        """Process the next event."""
        match event:
            case RunStarted():
                self.nodes = {node.name: node for node in nodes_of(event)}
                for node in self.nodes.values():
                    self._set_price(node)
                self.pods = {pod.pod: pod for pod in pods_of(event)}
                self._initial_node_of = initial_nodes(self.pods.values())
            case ClockAdvanced():
                self._time = event.time
            case PodEnqueued():
                self._since.setdefault(event.pod, self._time)
            case PodBound():
                self._waits.append(self._time - self._since.pop(event.pod, self._time))
            case AttemptFinished():
                self._counts["attempts"] += 1
            case PreemptionEvaluated() | VictimEvicted():
                self._count_preemption(event)
            case ObjectApplied() | ObjectDeleted():
                self._update_object(event)
            case RunFinished():
                self._time, self.pending = event.time, event.pending
                self.bound = bound_at_the_end(self._initial_node_of, event)

    def _count_preemption(self, event: PreemptionEvaluated | VictimEvicted) -> None:
        if isinstance(event, VictimEvicted):
            self._counts["evicted"] += 1
            pod = self.pods.get(event.pod)
            if pod:
                self._victims.append(pod.priority)
        elif event.nominated_node:
            self._counts["preemptions"] += 1
            candidates = (candidate for candidate in candidates_of(event) if candidate.node == event.nominated_node)
            self._counts["violations"] += next((candidate.pdb_violations for candidate in candidates), 0)

    def _update_object(self, event: ObjectApplied | ObjectDeleted) -> None:
        if isinstance(event, ObjectDeleted):
            if event.kind == "Node":
                self._add_cost()
                self.nodes.pop(event.name, None)
                self._price_of.pop(event.name, None)
            elif event.kind == "Pod":
                self._since.pop(f"{event.namespace}/{event.name}", None)
        elif event.node is not None:
            self.nodes[event.node.name] = event.node
            self._set_price(event.node)
        elif event.pod is not None:
            self.pods[event.pod.pod] = event.pod

    def _set_price(self, node: NodeSummary) -> None:
        if self._prices is not None and node.name not in self._price_of:
            self._add_cost()
            self._price_of[node.name] = self._prices.of(node.name, node.labels, node.allocatable)

    def _add_cost(self) -> None:
        """Add the cost of the nodes since it was last added."""
        self._cost += sum(self._price_of.values()) * (self._time - self._paid_until) / 3600
        self._paid_until = self._time

    def measures(self) -> Measures:
        """Return the measures of the run; requires that its last event was taken."""
        self._add_cost()
        used = {name: self._used(name) for name in ("cpu", "memory")}
        shares = [_share(used["cpu"][name], node.allocatable.get("cpu", 0)) for name, node in self.nodes.items()]
        on = Counter(self.bound.values())
        return Measures(
            placed=len(self.bound),
            pending=len(self.pending),
            attempts=self._counts["attempts"],
            preemptions=self._counts["preemptions"],
            evicted=self._counts["evicted"],
            highest_victim=max(self._victims, default=None),
            mean_victim=fmean(self._victims) if self._victims else None,
            budget_violations=self._counts["violations"],
            wait_mean=fmean(self._waits) if self._waits else 0.0,
            wait_longest=max(self._waits, default=0.0),
            cpu=self._share_of_all("cpu", used["cpu"]),
            memory=self._share_of_all("memory", used["memory"]),
            cpu_spread=pstdev(shares) if shares else 0.0,
            empty_nodes=sum(not on[name] for name in self.nodes),
            skew=self._skew(on),
            time=self._time,
            nodes=len(self.nodes),
            price=None if self._prices is None else round(sum(self._price_of.values()), 6),
            cost=None if self._prices is None else round(self._cost, 6),
        )

    def _used(self, resource: str) -> Counter[str]:
        """Return the amount of a resource that the bound pods request on each node."""
        used: Counter[str] = Counter()
        for key, node in self.bound.items():
            pod = self.pods.get(key)
            used[node] += pod.requests.get(resource, 0) if pod else 0
        return used

    def _share_of_all(self, resource: str, used: Counter[str]) -> float:
        most = sum(node.allocatable.get(resource, 0) for node in self.nodes.values())
        return _share(sum(used[name] for name in self.nodes), most)

    def _skew(self, on: Counter[str]) -> int | None:
        zones: Counter[str] = Counter()
        for name, node in self.nodes.items():
            zone = next((node.labels[label] for label in ZONE_LABELS if label in node.labels), None)
            if zone is not None:
                zones[zone] += on[name]
        return max(zones.values()) - min(zones.values()) if zones else None


def measure_run(events: Iterable[AnyEvent], prices: Prices | None = None) -> Measures:
    """Return the measures of a run. `prices`: of its scenario."""
    tally = Tally(prices)
    for event in events:
        tally.take(event)
    return tally.measures()


def _share(used: int, most: int) -> float:
    return used / most if most else 0.0
