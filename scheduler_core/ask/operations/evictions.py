"""Evictions as in `kubectl drain` and the API server's eviction subresource.

kubectl: pkg/drain/filters.go. API server: pkg/registry/core/pod/storage/eviction.go. The disruption controller is
simulated: a pod counts as healthy again as soon as it is bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal

from msgspec.structs import replace

from scheduler_core.apis.core import Pod, PodDisruptionBudget, PodKey
from scheduler_core.cluster.cluster import Cluster, key_of
from scheduler_core.cluster.disruption import count_healthy

MIRROR = "kubernetes.io/config.mirror"
SEVERAL = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
VIOLATED = "Cannot evict pod as it would violate the pod's disruption budget."

Fate = Literal["moves", "daemon", "unmanaged", "ends"]


def fate_of(pod: Pod, *, owners_known: bool) -> Fate:
    """Return how draining its node affects a pod: daemon pods stay, terminating pods are not recreated.

    `owners_known`: the cluster's pods name their controllers. If none does, every pod is assumed to have one.
    """
    if pod.terminating:
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
        """Evict the pod. Return the API server's message if it rejects the eviction, otherwise ""."""
        covering = self.covering(pod)
        if len(covering) > 1:
            return SEVERAL
        for budget in covering:
            key = key_of(budget)
            if self._allowed[key] <= 0:
                numbers = count_healthy(replace(budget, disruptions_allowed=None), self._cluster)
                return (
                    f"{VIOLATED} The disruption budget {budget.name} needs {numbers.desired} healthy pods"
                    f" and has {numbers.healthy} currently"
                )
            self._allowed[key] -= 1
            self._waiting[pod.key] = key
        return ""

    def _all(self) -> Iterator[PodDisruptionBudget]:
        return (
            budget for budget in self._cluster.objects("PodDisruptionBudget") if isinstance(budget, PodDisruptionBudget)
        )


def _is_fixed(budget: PodDisruptionBudget) -> bool:
    """Return whether the document fixes the number, so that the simulated controller does not change it."""
    return budget.disruptions_allowed is not None
