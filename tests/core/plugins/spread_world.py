"""Random small clusters for the plugins that read other pods: nodes, pods with labels and terms, and their changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
from msgspec.structs import replace

from scheduler_core.apis.constraints import (
    PodAffinityTerm,
    Taint,
    Toleration,
    TopologySpreadConstraint,
    WeightedPodAffinityTerm,
)
from scheduler_core.apis.core import Namespace, Node, OwnerReference, Pod, Workload
from scheduler_core.apis.selectors import LabelSelector, NodeSelector, NodeSelectorTerm, SelectorRequirement
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.framework.interface import Change, Code, WhatIf
from scheduler_core.releases import DEFAULT_RELEASE

HOSTNAME, ZONE, RACK = "kubernetes.io/hostname", "topology.kubernetes.io/zone", "rack"
KEYS = (HOSTNAME, ZONE, ZONE, RACK)
APPS, TIERS, NAMESPACES = ("web", "db"), ("1", "2"), ("default", "other", "third")
NAMESPACE_LABELS: dict[str, dict[str, str]] = {"default": {}, "other": {"team": "a"}, "third": {"team": "b"}}


def node(name: str, labels: dict[str, str] | None = None, taints: tuple[Taint, ...] = ()) -> Node:
    return Node(name, name, {HOSTNAME: name} if labels is None else labels, {}, taints, False, {"pods": 110}, {}, {})


def pod(name: str, labels: dict[str, str] | None = None, **fields: Any) -> Pod:
    given = {"namespace": "default", "uid": name, "labels": labels or {}, "annotations": {}, "priority": 0}
    given |= {"preemption_policy": "PreemptLowerPriority", "scheduler_name": "default-scheduler", "requests": {}}
    given |= {"non_zero_cpu": 0, "non_zero_memory": 0, "images": (), "creation_timestamp": 0.0}
    return Pod(**{"name": name, **given, **fields})


def matching(**labels: str) -> LabelSelector:
    return LabelSelector.from_labels(labels)


def handle(cluster: Cluster) -> Any:
    """Return the part of a framework handle that these plugins use."""
    return SimpleNamespace(cluster=cluster, release=DEFAULT_RELEASE)


def cluster_of(*items: Any) -> Cluster:
    """Return a cluster with these objects and up-to-date rows."""
    cluster = Cluster()
    for item in items:
        cluster.apply(item)
    cluster.snapshot()
    return cluster


def verdicts_of(
    plugin: Any, incoming: Pod, cluster: Cluster, change: Any = None
) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return the (code, reasons) of PreFilter and Filter by node. `change`: node -> (removed slots, added slots)."""
    nodes = cluster.nodes
    found = plugin.pre_filter(incoming, cluster)
    if found.status.code == Code.SKIP:
        return dict.fromkeys(nodes.names, ("Success", ()))
    if change is None:
        verdicts = plugin.filter(incoming, found.state, nodes, slice(0, len(nodes)), None)
    else:
        rows = np.arange(len(nodes))
        what_if = _what_if(rows, [change.get(name, ([], [])) for name in nodes.names])
        delta = what_if.delta(plugin.name, lambda *at: plugin.add_pod_delta(incoming, found.state, cluster, *at))
        verdicts = plugin.filter(incoming, found.state, nodes, rows, Change(delta, what_if, rows))
        as_slice = plugin.filter(incoming, found.state, nodes, slice(0, len(nodes)), Change(delta, what_if, rows))
        assert verdicts.statuses == as_slice.statuses
        assert verdicts.numbers is as_slice.numbers or np.array_equal(verdicts.numbers, as_slice.numbers)
    numbers = verdicts.numbers if len(verdicts.numbers) else np.zeros(len(nodes), np.int16)
    statuses = [None, *verdicts.statuses]
    return {
        name: (statuses[i].code.label, statuses[i].reasons) if i else ("Success", ())
        for name, i in zip(nodes.names, numbers.tolist(), strict=True)
    }


def _what_if(rows: Any, changes: list[tuple[list[int], list[int]]]) -> WhatIf:
    triples = [(row, slot, -1) for row, (removed, _) in enumerate(changes) for slot in removed]
    triples += [(row, slot, +1) for row, (_, added) in enumerate(changes) for slot in added]
    index, slots, sign = zip(*triples, strict=True) if triples else ((), (), ())
    return WhatIf(rows, np.array(index, np.intp), np.array(slots, np.intp), np.array(sign, np.int64))


def scores_of(plugin: Any, incoming: Pod, cluster: Cluster, feasible: list[str]) -> tuple[dict[str, int], ...] | None:
    """Return raw and normalized scores by node, or None if PreScore skips the plugin."""
    rows = np.array([cluster.nodes.row_of[name] for name in feasible], np.intp)
    state = plugin.pre_filter(incoming, cluster).state
    found = plugin.pre_score(incoming, state, cluster.nodes, rows)
    if found.status.code == Code.SKIP:
        return None
    raw = plugin.score(incoming, found.state, cluster.nodes, rows)
    normalized = plugin.normalize(incoming, found.state, cluster.nodes, rows, raw)
    return dict(zip(feasible, raw.tolist(), strict=True)), dict(zip(feasible, normalized.tolist(), strict=True))


@dataclass
class World:
    """A cluster with random changes, and the same state as lists, for the reference."""

    random: Random
    cluster: Cluster = field(default_factory=Cluster)
    count: int = 0

    def __post_init__(self) -> None:
        for name, labels in NAMESPACE_LABELS.items():
            self.cluster.apply(Namespace(name, labels))
        for number in range(self.random.randint(1, 7)):
            self.cluster.apply(self.any_node(f"n{number}"))
        for _ in range(self.random.randint(0, 3)):
            self.cluster.apply(self.any_workload())
        self.cluster.snapshot()
        for _ in range(self.random.randint(0, 12)):
            self.change()

    # What the reference reads

    def nodes_with_pods(self) -> list[tuple[Node, list[Pod]]]:
        pods = self.cluster.pods
        return [(n, [pods.pods[slot] for slot in pods.on_node(n.name)]) for n in self.cluster.nodes.nodes]

    def workloads(self) -> list[Any]:
        kinds = ("Service", "ReplicationController", "ReplicaSet", "StatefulSet")
        return [item for kind in kinds for item in self.cluster.objects(kind)]

    # Changes

    def change(self) -> None:
        """Add, remove or change a pod, or sometimes a node."""
        pods, names = self.cluster.pods, self.cluster.nodes.names
        placed = [key for key, slot in pods.slot_of.items() if pods.node_name[slot]]
        match self.random.randrange(10):
            case 0 | 1 | 2 if names:
                self.cluster.apply_pod(self.any_pod(node_name=self.random.choice(names)))
            case 3 | 4 | 5 if names:
                pending = self.any_pod()
                self.cluster.apply_pod(pending)
                self.cluster.assume(pending.key, self.random.choice(names))
            case 6 | 7 if placed:
                self.cluster.delete_pod(self.random.choice(placed))
            case 8 if placed:
                old = pods.get(self.random.choice(placed))
                assert old is not None
                new = self.any_pod(node_name=old.node_name, terminating=self.random.random() < 0.5)
                self.cluster.apply_pod(replace(new, name=old.name, namespace=old.namespace, uid=old.uid))
            case 9:
                self.cluster.apply(self.any_node(self.random.choice([*names, f"n{len(names) + 1}"])))
                if self.random.random() < 0.7:  # the rows are not brought up to date before more happens
                    self.change()
        self.cluster.snapshot()

    # Things

    def any_labels(self) -> dict[str, str]:
        labels = {"app": self.random.choice(APPS)} if self.random.random() < 0.9 else {}
        return labels | ({"tier": self.random.choice(TIERS)} if self.random.random() < 0.5 else {})

    def any_node(self, name: str) -> Node:
        labels = {HOSTNAME: name} if self.random.random() < 0.9 else {}
        if self.random.random() < 0.85:
            labels[ZONE] = self.random.choice(("za", "zb", "zc", ""))
        if self.random.random() < 0.6:
            labels[RACK] = self.random.choice(("r1", "r2"))
        if self.random.random() < 0.4:
            labels["disk"] = "ssd"
        taint = Taint("dedicated", "x", self.random.choice(("NoSchedule", "NoExecute", "PreferNoSchedule")))
        return node(name, labels, (taint,) if self.random.random() < 0.3 else ())

    def any_selector(self) -> LabelSelector:
        app, tier = self.random.choice(APPS), self.random.choice(TIERS)
        return self.random.choice(
            [
                matching(app=app),
                matching(app=app),
                matching(app=app, tier=tier),
                LabelSelector((SelectorRequirement("app", "In", APPS), SelectorRequirement("tier", "NotIn", (tier,)))),
                LabelSelector((SelectorRequirement("tier", "Exists"),)),
                LabelSelector((SelectorRequirement("app", "DoesNotExist"),)),
                LabelSelector.everything(),
                LabelSelector.nothing(),
            ]
        )

    def any_workload(self) -> Workload:
        kind = self.random.choice(("Service", "ReplicationController", "ReplicaSet", "StatefulSet"))
        labels = self.any_labels()
        selector = LabelSelector.from_labels(labels)
        if kind in ("ReplicaSet", "StatefulSet"):
            selector = self.any_selector()
        return Workload(kind, self.random.choice("ab"), self.random.choice(NAMESPACES), selector)

    def any_constraint(self) -> TopologySpreadConstraint:
        some = self.random
        return TopologySpreadConstraint(
            some.randint(1, 3),
            some.choice(KEYS),
            some.choice(("DoNotSchedule", "ScheduleAnyway")),
            self.any_selector(),
            some.choice((None, None, 1, 2, 4)),
            some.choice(("Honor", "Honor", "Ignore")),
            some.choice(("Honor", "Ignore", "Ignore")),
            some.choice(((), (), ("tier",), ("tier", "missing"))),
        )

    def any_term(self, namespace: str) -> PodAffinityTerm:
        some = self.random
        namespaces = frozenset({namespace})
        selector = None
        if some.random() < 0.4:
            namespaces = frozenset(some.sample(NAMESPACES, some.randint(0, 2)))
            team = SelectorRequirement("team", some.choice(("In", "NotIn")), ("a",))
            choices = [LabelSelector((team,)), LabelSelector.everything(), None]
            selector = some.choice(choices)
        return PodAffinityTerm(some.choice(KEYS), self.any_selector(), namespaces, selector)

    def any_pod(self, **fields: Any) -> Pod:
        some, self.count = self.random, self.count + 1
        namespace = some.choice(("default", "default", "other", "third"))

        def terms(chance: float) -> tuple[PodAffinityTerm, ...]:
            return tuple(self.any_term(namespace) for _ in range(some.randint(1, 2))) if some.random() < chance else ()

        def weighted(chance: float) -> tuple[WeightedPodAffinityTerm, ...]:
            return tuple(WeightedPodAffinityTerm(some.choice((1, 7, 100)), term) for term in terms(chance))

        ssd = NodeSelector((NodeSelectorTerm((SelectorRequirement("disk", "Exists"),)), NodeSelectorTerm()))
        owned = OwnerReference(*some.choice((("ReplicaSet", "a", "apps/v1"), ("ReplicationController", "b", "v1"))))
        given: dict[str, Any] = {
            "namespace": namespace,
            "required_affinity": terms(0.2),
            "required_anti_affinity": terms(0.2),
            "preferred_affinity": weighted(0.2),
            "preferred_anti_affinity": weighted(0.2),
            "node_selector": {"disk": "ssd"} if some.random() < 0.15 else {},
            "required_node_affinity": ssd if some.random() < 0.15 else None,
            "tolerations": (Toleration("dedicated", "Exists"),) if some.random() < 0.3 else (),
            "terminating": some.random() < 0.15,
            "owner": owned if some.random() < 0.3 else None,
        }
        if some.random() < 0.6:
            given["topology_spread_constraints"] = tuple(self.any_constraint() for _ in range(some.randint(1, 3)))
        return pod(f"p{self.count}", self.any_labels(), **{**given, **fields})

    def pending_pod(self) -> Pod:
        """Return a pending pod that the cluster knows."""
        found = self.any_pod()
        self.cluster.apply_pod(found)
        return found

    def feasible(self) -> list[str]:
        names = self.cluster.nodes.names
        return self.random.sample(names, self.random.randint(1, len(names)))

    def what_if(self) -> dict[str, tuple[list[int], list[int]]]:
        """Return for some nodes the slots of pods to remove, and of pending pods to add, in a dry run."""
        pods = self.cluster.pods
        nominated = [pods.slot_of[self.pending_pod().key] for _ in range(2)]
        changes = {}
        for name in self.cluster.nodes.names:
            there = list(pods.on_node(name))
            removed = self.random.sample(there, self.random.randint(0, len(there)))
            changes[name] = (removed, [slot for slot in nominated if self.random.random() < 0.4])
        return changes
