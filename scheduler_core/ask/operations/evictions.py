"""Evictions as in `kubectl drain` and the API server's eviction subresource.

kubectl: pkg/drain/filters.go. API server: pkg/registry/core/pod/storage/eviction.go. The disruption controller is
simulated: a pod that is recreated counts as healthy as soon as it is bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.core import Pod, PodDisruptionBudget, PodKey
from scheduler_core.ask.operations.results import Obstacle
from scheduler_core.cluster.cluster import Cluster, key_of
from scheduler_core.cluster.disruption import count_healthy

MIRROR = "kubernetes.io/config.mirror"
SEVERAL = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
VIOLATED = "Cannot evict pod as it would violate the pod's disruption budget."

Fate = Literal["moves", "daemon", "unmanaged", "ends"]


def fate_of(pod: Pod, *, owners_known: bool) -> Fate:
    """Return how draining its node affects a pod: daemon pods stay, terminating pods are not recreated.

    A StatefulSet is the exception: it recreates a pod once the terminating one is gone (stateful_set_control.go).
    `owners_known`: the cluster's pods name their controllers. If none does, every pod is assumed to have one.
    """
    if pod.terminating and not (pod.owner and pod.owner.kind == "StatefulSet"):
        return "ends"
    if MIRROR in pod.annotations or (pod.owner and pod.owner.kind in ("DaemonSet", "Node")):
        return "daemon"
    return "moves" if pod.owner or not owners_known else "unmanaged"


def has_local_data(pod: Pod) -> bool:
    """Return whether the pod has an emptyDir, which eviction deletes (`--delete-emptydir-data`)."""
    return any("emptyDir" in volume for volume in (pod.manifest.get("spec") or {}).get("volumes") or ())


def replacement(pod: Pod) -> dict[str, Any]:
    """Return the manifest of the pod that its controller recreates, with the same name so that it can be followed."""
    metadata = {
        key: value
        for key, value in (pod.manifest.get("metadata") or {}).items()
        if key not in ("uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "resourceVersion")
    }
    spec = {key: value for key, value in (pod.manifest.get("spec") or {}).items() if key != "nodeName"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


class Budgets:
    """The PodDisruptionBudgets while pods are evicted and recreated."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._waiting: dict[PodKey, str] = {}  # evicted pods, and the budget whose disruption each one used
        self._allowed: dict[str, int] = {}
        self.next_round()

    def next_round(self) -> None:
        """Update the budgets after the evicted pods are rescheduled."""
        pods = self._cluster.pods
        bound = [key for key in self._waiting if (pod := pods.get(key)) is not None and pod.node_name]
        for key in bound:
            del self._waiting[key]
        missing = Counter(self._waiting.values())
        self._allowed = {
            key_of(budget): count_healthy(budget, self._cluster).allowed
            - (missing[key_of(budget)] if _is_fixed(budget) else 0)
            for budget in self._all()
        }

    def covering(self, pod: Pod) -> list[PodDisruptionBudget]:
        """Return the budgets of a pod (`getPodDisruptionBudgets`); an empty selector matches all pods with labels."""
        if not pod.labels:
            return []
        return [
            budget
            for budget in self._all()
            if budget.namespace == pod.namespace and budget.controller_selector.matches(pod.labels)
        ]

    def allowed(self, budget: PodDisruptionBudget) -> int:
        """Return the disruptions that the budget allows now."""
        return self._allowed[key_of(budget)]

    def evict(self, pod: Pod) -> str:
        """Evict the pod. Return the API server's message if it rejects the eviction, otherwise "".

        eviction.go, `EvictionREST.Create`: a pod that is not ready is no disruption if the budget says so, or as long
        as enough others are healthy.
        """
        covering = self.covering(pod)
        if pod.terminating or not covering:
            return ""
        if len(covering) > 1:
            return SEVERAL
        [budget] = covering
        key = key_of(budget)
        health = self._health(budget)
        if not pod.ready and (budget.evicts_unhealthy or health.current >= health.desired > 0):
            return ""
        if self._allowed[key] <= 0:
            return (
                f"{VIOLATED} The disruption budget {budget.name} needs {health.desired} healthy pods"
                f" and has {health.current} currently"
            )
        self._allowed[key] -= 1
        self._waiting[pod.key] = key
        return ""

    def obstacle(self, budget: PodDisruptionBudget, blocked: Sequence[Pod]) -> Obstacle:
        """Return the reason that no retry evicts the blocked pods, "" if waiting for the others may help."""
        if any(not pod.ready for pod in blocked):
            return "not-ready"
        counted = count_healthy(replace(budget, disruptions_allowed=None), self._cluster)
        return "all-healthy" if counted.desired >= counted.expected else ""

    def _health(self, budget: PodDisruptionBudget) -> _Health:
        """Return the budget's status, as its document has it or as the disruption controller would write it now."""
        evicted = [pod for pod, name in self._waiting.items() if name == key_of(budget)]
        counted = count_healthy(replace(budget, disruptions_allowed=None), self._cluster)
        if budget.current_healthy is None:
            pods = self._cluster.pods
            current = counted.healthy - sum(bool((pod := pods.get(key)) and pod.node_name) for key in evicted)
        else:
            current = budget.current_healthy - len(evicted)
        desired = counted.desired if budget.desired_healthy is None else budget.desired_healthy
        return _Health(current, desired)

    def _all(self) -> Iterator[PodDisruptionBudget]:
        return (
            budget for budget in self._cluster.objects("PodDisruptionBudget") if isinstance(budget, PodDisruptionBudget)
        )


class _Health(msgspec.Struct, frozen=True):
    """status.currentHealthy and status.desiredHealthy of a budget."""

    current: int
    desired: int


def _is_fixed(budget: PodDisruptionBudget) -> bool:
    """Return whether the document fixes the number, so that the simulated controller does not change it."""
    return budget.disruptions_allowed is not None
