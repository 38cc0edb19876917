"""Random clusters with an autoscaler, and a check of its guarantees that does not use its code.

The check reads the events of a run and the state of the cluster at each of them.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from scheduler_core import parse_scenario
from scheduler_core.apis.constraints import Taint
from scheduler_core.apis.core import Node, Pod, PodKey
from scheduler_core.apis.karpenter import NodeClaim, NodePool
from scheduler_core.plugins import REGISTRY
from scheduler_core.scenario.types import Scenario
from scheduler_core.simulation.simulation import Simulation
from scheduler_core.trace.autoscaling_events import NodeGroupResized
from scheduler_core.trace.controller_events import EvictionAnswered, PodDeletionRequested, PodReadinessChanged
from scheduler_core.trace.events import AnyEvent, ClockAdvanced, ObjectApplied, ObjectDeleted
from tests.builders import Manifest, node
from tests.core.autoscaling.builders import instance_type, karpenter, node_class, node_pool, own
from tests.core.controllers.worlds import template, text, workload

LEAVING = ("ToBeDeletedByClusterAutoscaler", "karpenter.sh/disrupted")
SPARED = (("cluster-autoscaler.kubernetes.io/safe-to-evict", "false"), ("karpenter.sh/do-not-disrupt", "true"))
DURATION = 150
FLAGS = (
    "--scan-interval=5s", "--scale-down-unneeded-time=20s", "--scale-down-delay-after-add=15s",
    "--scale-down-unready-time=30s",
)  # fmt: skip
EXPANDERS = ("least-waste", "most-pods", "least-nodes", "price")


def scenario_of(seed: int) -> tuple[str, dict[str, Manifest]]:
    """Return the text of a cluster with an autoscaler whose workloads grow and shrink, and its budgets by workload."""
    rng = random.Random(seed)
    objects = _groups(rng) if seed % 2 else _pools(rng)
    budgets: dict[str, Manifest] = {}
    events: list[Manifest] = []
    for number in range(rng.randint(1, 4)):
        name = f"app{number}"
        events += _workload(rng, name)
        if rng.random() < 0.7:
            budgets[name] = _budget(rng, name)
    if rng.random() < 0.3:
        objects.append(workload("DaemonSet", "agent", template("agent", "100m")))
    ordered = sorted(events, key=lambda event: event["at"])
    written = text(*objects, *budgets.values(), events=ordered, untilSeconds=DURATION, seed=seed)
    return written, budgets


def _groups(rng: random.Random) -> list[Manifest]:
    made: list[Manifest] = []
    for number in range(rng.randint(1, 3)):
        least = rng.choice((0, 0, 1))
        most = least + rng.randint(1, 5)
        labels = {"tier": rng.choice(("a", "b"))}
        taints = ["only=this:NoSchedule"] if rng.random() < 0.15 else []
        of = node("template", cpu=rng.choice((1, 2, 4)), zone=rng.choice("ab"), labels=labels, taints=taints)
        del of["metadata"]["name"]
        size = rng.randint(least, most)
        made.append(
            own("NodeGroup", f"g{number}", minimum=least, maximum=most, size=size, template=of, price=number + 1)
        )
    flags = [*FLAGS, f"--expander={rng.choice(EXPANDERS)}"]
    if rng.random() < 0.3:
        flags.append("--max-scale-down-parallelism=3")
    if rng.random() < 0.2:
        flags.append("--balance-similar-node-groups=true")
    return [*made, own("ClusterAutoscaler", flags=flags, bootSeconds=3, readySeconds=2, deleteSeconds=1)]


def _pools(rng: random.Random) -> list[Manifest]:
    made: list[Manifest] = [node_class()]
    for number in range(rng.randint(1, 2)):
        spec: Manifest = {"weight": number + 1}
        if rng.random() < 0.5:
            spec["limits"] = {"cpu": str(rng.randint(2, 12))}
        after = rng.choice(("0s", "5s", "20s"))
        policy = rng.choice(("WhenEmptyOrUnderutilized", "WhenEmptyOrUnderutilized", "WhenEmpty"))
        budgets = [{"nodes": rng.choice(("1", "2", "50%", "100%", "0"))}]
        spec["disruption"] = {"consolidationPolicy": policy, "consolidateAfter": after, "budgets": budgets}
        tier = {"metadata": {"labels": {"tier": "ab"[number]}}, "spec": {"expireAfter": "Never"}}
        made.append(node_pool(f"p{number}", tier, **spec))
    kinds = [instance_type(f"t{cpu}", cpu, price) for cpu, price in ((1, 0.05), (2, 0.09), (4, 0.2), (8, 0.36))]
    return [*made, karpenter(instanceTypes=rng.sample(kinds, rng.randint(2, 4)), readySeconds=2)]


def _workload(rng: random.Random, name: str) -> Iterator[Manifest]:
    spec: dict[str, Any] = {"terminationGracePeriodSeconds": 1}
    if rng.random() < 0.3:
        spec["nodeSelector"] = {"tier": rng.choice("ab")}
    if rng.random() < 0.15:
        spread = {"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule"}
        spec["topologySpreadConstraints"] = [{**spread, "labelSelector": {"matchLabels": {"app": name}}}]
    of = dict(template(name, f"{rng.choice((1, 2, 3, 5, 8, 12))}00m", **spec))
    if rng.random() < 0.2:
        of["metadata"] = {**of["metadata"], "annotations": dict(SPARED)}
    at = rng.randint(1, 20)
    replicas = rng.randint(1, 6)
    yield {"at": at, "create": workload("Deployment", name, of, replicas=replicas)}
    for _ in range(rng.randint(1, 3)):
        at += rng.randint(10, 45)
        yield {"at": at, "scale": {"kind": "Deployment", "name": name, "replicas": rng.randint(0, 7)}}


def _budget(rng: random.Random, name: str) -> Manifest:
    limit = rng.choice(({"minAvailable": 1}, {"minAvailable": 2}, {"minAvailable": "50%"}, {"maxUnavailable": 1}))
    spec = {"selector": {"matchLabels": {"app": name}}, **limit}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name}, "spec": spec}


class Watch:
    """Follows a run. `broken`: a sentence for each broken promise; `seen`: how often each promise was tested."""

    def __init__(self, written: str, budgets: dict[str, Manifest]) -> None:
        self.broken: list[str] = []
        self.seen: Counter[str] = Counter()
        self._scenario: Scenario = parse_scenario(written)
        self._budgets = {name: budget["spec"] for name, budget in budgets.items()}
        self._simulation = Simulation(self._scenario, REGISTRY)
        self._groups = {group.name: group for group in self._scenario.node_groups}
        self._ready = set[PodKey]()
        self._going = set[PodKey]()
        self._leaving = dict[str, list[Pod]]()  # tainted at this moment, with their pods then
        self._tainted = set[str]()
        self._rooms: list[tuple[Node, dict[str, int]]] = []  # of all nodes, then
        self._claims = 0  # made at this moment

    def run(self) -> None:
        for event in self._simulation.run():
            self._see(event)

    def _see(self, event: AnyEvent) -> None:
        if isinstance(event, ClockAdvanced):
            self._judge_removal()
        elif isinstance(event, PodReadinessChanged):
            (self._ready.add if event.ready else self._ready.discard)(event.pod)
        elif isinstance(event, PodDeletionRequested):
            self._going.add(event.pod)
        elif isinstance(event, EvictionAnswered) and event.code == 201:
            self._judge_eviction(event.pod)
        elif isinstance(event, NodeGroupResized) and not event.error:
            self._judge_size(event)
        elif isinstance(event, ObjectDeleted) and event.kind == "Node":
            self._tainted.discard(event.name)
        elif isinstance(event, ObjectApplied) and event.kind == "NodeClaim":
            self._claims += event.action == "create"
            self._judge_limits()
        elif isinstance(event, ObjectApplied) and event.kind == "Node":
            found = self._simulation.cluster.node(event.name)
            if found is not None and event.name not in self._tainted and _is_leaving(found):
                self._tainted.add(event.name)
                self._leaving[event.name] = self._pods_on(event.name)
                self._rooms = [self._room(other) for other in self._simulation.cluster.all_nodes()]

    def _judge_size(self, event: NodeGroupResized) -> None:
        group = self._groups[event.group]
        self.seen["size"] += 1
        if event.delta > 0 and event.target > group.maximum:
            self.broken.append(f"{event.group} has {event.target} nodes, at most {group.maximum}")
        if event.delta < 0 and event.target < group.minimum:
            self.broken.append(f"{event.group} has {event.target} nodes, at least {group.minimum}")

    def _judge_eviction(self, key: PodKey) -> None:
        pod = self._simulation.cluster.pods.get(key)
        assert pod is not None
        if any(pod.annotations.get(name) == value for name, value in SPARED):
            self.broken.append(f"{key} was evicted, which its annotation forbids")
        spec = self._budgets.get(pod.labels.get("app", ""))
        if spec is None or key not in self._ready or key in self._going:
            return
        self.seen["eviction"] += 1
        alike = [other for other in self._all_pods() if other.labels.get("app") == pod.labels["app"]]
        healthy = sum(other.key in self._ready and other.key not in self._going for other in alike) - 1
        wanted = self._replicas(pod.labels["app"])
        least = wanted - spec["maxUnavailable"] if "maxUnavailable" in spec else spec["minAvailable"]
        if isinstance(least, str):
            least = math.ceil(wanted * int(least.rstrip("%")) / 100)
        if healthy < least:
            self.broken.append(f"{key} was evicted, which left {healthy} of {least}")

    def _replicas(self, name: str) -> int:
        item: Any = self._simulation.cluster.get("Deployment", f"default/{name}")
        return int(item.spec.replicas) if item is not None else 0

    def _judge_removal(self) -> None:
        """Verify that the pods of nodes that are removed together fit elsewhere, or that a node is created for them."""
        leaving, made = self._leaving, self._claims
        self._leaving, self._claims = {}, 0
        if not leaving:
            return
        self._judge_pool_budgets()
        pods = [pod for on in leaving.values() for pod in on if pod.owner and "DaemonSet" not in str(pod.owner)]
        if made or not pods:
            return
        self.seen["removal"] += 1
        rooms = [room for room in self._rooms if not _is_leaving(room[0])]
        if not _fit(sorted(pods, key=lambda pod: -pod.requests.get("cpu", 0)), rooms):
            self.broken.append(f"{sorted(leaving)} were removed, but {[pod.key for pod in pods]} fit nowhere")

    def _judge_pool_budgets(self) -> None:
        nodes = self._simulation.cluster.all_nodes()
        for pool in self._simulation.cluster.objects("NodePool"):
            assert isinstance(pool, NodePool)
            own_nodes = [one for one in nodes if one.labels.get("karpenter.sh/nodepool") == pool.name]
            going = sum(map(_is_leaving, own_nodes))
            self.seen["pool budget"] += 1
            for budget in pool.budgets:
                most = int(budget.nodes) if not budget.nodes.endswith("%") else math.ceil(
                    len(own_nodes) * int(budget.nodes[:-1]) / 100
                )  # fmt: skip
                if going > most:
                    self.broken.append(f"{going} nodes of {pool.name} go, its budget allows {most}")

    def _judge_limits(self) -> None:
        for pool in self._simulation.cluster.objects("NodePool"):
            assert isinstance(pool, NodePool)
            for name, limit in (pool.limits or {}).items():
                self.seen["limit"] += 1
                used = sum(
                    claim.capacity.get(name, 0)
                    for claim in self._simulation.cluster.objects("NodeClaim")
                    if isinstance(claim, NodeClaim) and claim.pool == pool.name and claim.deleted is None
                    and claim.node not in self._tainted
                )  # fmt: skip
                if used > limit:
                    self.broken.append(f"{pool.name} has {used} of {name}, its limit is {limit}")

    def _room(self, of: Node) -> tuple[Node, dict[str, int]]:
        left = dict(of.allocatable)
        for pod in self._pods_on(of.name):
            for name, amount in pod.requests.items():
                left[name] = left.get(name, 0) - amount
        left["pods"] = left.get("pods", 0) - len(self._pods_on(of.name))
        return of, left

    def _all_pods(self) -> list[Pod]:
        return list(self._simulation.cluster.pods.all())

    def _pods_on(self, name: str) -> list[Pod]:
        return [pod for pod in self._all_pods() if pod.node_name == name and pod.key not in self._going]


def _is_leaving(node: Node) -> bool:
    return any(taint.key in LEAVING for taint in node.taints)


def _fit(pods: Sequence[Pod], rooms: list[tuple[Node, dict[str, int]]]) -> bool:
    """Return whether the pods can be placed, by requests, node selectors and taints alone."""
    if not pods:
        return True
    pod, *others = pods
    tried = set[Any]()
    for on, left in rooms:
        state = (tuple(sorted(left.items())), tuple(sorted(on.labels.items())) if pod.node_selector else ())
        if state in tried or not _has_room(pod, on, left):
            continue
        tried.add(state)
        for name, amount in (*pod.requests.items(), ("pods", 1)):
            left[name] -= amount
        found = _fit(others, rooms)
        for name, amount in (*pod.requests.items(), ("pods", 1)):
            left[name] += amount
        if found:
            return True
    return False


def _has_room(pod: Pod, node: Node, left: dict[str, int]) -> bool:
    if any(node.labels.get(name) != value for name, value in pod.node_selector.items()):
        return False
    if any(_keeps_off(taint) for taint in node.taints):
        return False
    return all(amount <= left.get(name, 0) for name, amount in (*pod.requests.items(), ("pods", 1)))


def _keeps_off(taint: Taint) -> bool:
    return taint.effect != "PreferNoSchedule" and not taint.key.startswith("node.kubernetes.io/")
