"""Estimates the number of nodes of a group that pods need (estimator/binpacking_estimator.go)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from scheduler_core.apis.core import Pod
from scheduler_core.autoscaling.cluster_autoscaler.templates import Template
from scheduler_core.autoscaling.snapshot import Snapshot

PodGroup = Sequence[Pod]  # of the same controller, with equal specs
SPREAD_REASON = "node(s) didn't match pod topology spread constraints"
HOSTNAME = "kubernetes.io/hostname"


class Estimate(msgspec.Struct, frozen=True):
    """The number of new nodes that get pods, and the pods placed on them or on existing nodes."""

    nodes: int
    pods: list[Pod]


class _Estimation:
    """The new nodes so far, and the pods that were placed on nodes, at most `limit` of them new."""

    def __init__(self, template: Template, snapshot: Snapshot, limit: int) -> None:
        self.template = template
        self.snapshot = snapshot
        self.limit = limit
        self.names: dict[str, None] = {}  # of new nodes
        self.used: dict[str, None] = {}  # of new nodes with pods
        self.pods: list[Pod] = []
        self.last = ""

    def track(self, pod: Pod, name: str) -> None:
        self.snapshot.place(pod, name)
        self.pods.append(pod)
        if name in self.names:
            self.used[name] = None

    def add_node(self) -> None:
        self.last = f"e-{len(self.names)}"
        self.names[self.last] = None
        self.snapshot.add_node(*self.template.named(self.last), like=self.template.node.name)


def estimate(groups: Sequence[PodGroup], template: Template, snapshot: Snapshot, limit: int) -> Estimate:
    """Pack the pods, the largest first, in a copy of the snapshot to which at most `limit` nodes are added.

    With a negative limit, no pod is placed.
    """
    if limit < 0:
        return Estimate(0, [])
    estimation = _Estimation(template, snapshot.copy(), limit)
    more = True
    for group in sorted(groups, key=lambda group: -_score(group[0], template)):
        rest = _try_opened_nodes(estimation, group)
        if more:
            more = _try_new_nodes(estimation, rest)
    return Estimate(len(estimation.used), estimation.pods)


def _score(pod: Pod, template: Template) -> float:
    """Return the sum of the shares of cpu and memory that the pod requests (decreasing_pod_orderer.go)."""
    allocatable = template.node.allocatable
    return sum(pod.requests.get(name, 0) / allocatable[name] for name in ("cpu", "memory") if allocatable.get(name))


def _try_opened_nodes(estimation: _Estimation, pods: PodGroup) -> PodGroup:
    """Place pods on the new nodes so far; return the pods from the first one on that does not fit."""
    if not estimation.names:
        return pods
    for index, pod in enumerate(pods):
        name = estimation.snapshot.find_node(pod, lambda name: name in estimation.names)
        if not name:
            return pods[index:]
        estimation.track(pod, name)
    return ()


def _try_new_nodes(estimation: _Estimation, pods: PodGroup) -> bool:
    """Place pods on the last node or on another new one. Return False if no more nodes may be added."""
    for pod in pods:
        if estimation.last:
            reasons = estimation.snapshot.reasons(pod, estimation.last)
            if not reasons:
                estimation.track(pod, estimation.last)
                continue
            if _spreads_over_nodes(pod) and SPREAD_REASON in reasons:
                name = estimation.snapshot.find_node(pod, lambda name: name != estimation.last)
                if name:
                    estimation.track(pod, name)
                    continue
            if estimation.last not in estimation.used:
                return True  # the last one is still empty: another would not hold it either
        if len(estimation.names) >= estimation.limit:
            return False
        estimation.add_node()
        if estimation.snapshot.reasons(pod, estimation.last):
            return True
        estimation.track(pod, estimation.last)
    return True


def _spreads_over_nodes(pod: Pod) -> bool:
    return any(spread.topology_key == HOSTNAME for spread in pod.topology_spread_constraints)
