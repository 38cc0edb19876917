"""Rules for whether the pods of a node may be drained (simulator/drainability/rules, in their order)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from scheduler_core.apis.core import Pod, PodDisruptionBudget
from scheduler_core.cluster.cluster import key_of
from scheduler_core.cluster.disruption import disruptions_allowed
from scheduler_core.controllers.api import Api, grace_of, size_of

PREFIX = "cluster-autoscaler.kubernetes.io/"
MIRROR = "kubernetes.io/config.mirror"
REPLICATED = ("ReplicationController", "Job", "ReplicaSet", "StatefulSet")
TEXTS: Mapping[str, str] = {
    "MinReplicasReached": "replication controller for {key} has too few replicas",
    "NotReplicated": "{key} is not replicated",
    "UnmovableKubeSystemPod": "non-daemonset, non-mirrored, non-pdb-assigned kube-system pod present: {name}",
    "NotSafeToEvictAnnotation": "pod annotated as not safe to evict present: {name}",
    "LocalStorageRequested": "pod with local storage present: {name}",
    "NotEnoughPdb": "not enough pod disruption budget to move {key}",
}
LONG_TERMINATING_SECONDS = 30.0  # after the end of its deletion and another grace period, a pod no longer counts


class Blocked(msgspec.Struct, frozen=True):
    """The pod that blocks the removal of its node, and the reason."""

    pod: Pod
    reason: str

    @property
    def text(self) -> str:
        """Return the reason as a sentence."""
        return TEXTS[self.reason].format(key=self.pod.key, name=self.pod.name)


class Drain(msgspec.Struct):
    """The pods that would have to move, and the DaemonSet pods that end with the node; up to the pod that blocks it.

    `awaited`: the pods that have to finish before the node is removed.
    """

    move: list[Pod] = []
    awaited: list[Pod] = []
    daemon: list[Pod] = []
    blocked: Blocked | None = None


class Drainability:
    """Decides whether pods can be drained. `budgets`: the disruptions that each budget still allows in this pass."""

    def __init__(self, api: Api, flags: Mapping[str, Any]) -> None:
        self._api = api
        self._flags = flags
        self.budgets = dict(disruptions_allowed(api.cluster))

    def drain_of(self, pods: Sequence[Pod]) -> Drain:
        """Return the result of draining a node with these pods."""
        drain = Drain()
        for pod in pods:
            verdict = self._verdict(pod)
            if verdict == "daemon":
                drain.daemon.append(pod)
            elif verdict == "move":
                drain.move.append(pod)
            elif verdict == "await":
                drain.awaited.append(pod)
            elif verdict != "skip":
                drain.blocked = Blocked(pod, verdict)
                return drain
        return drain

    def is_risky(self, pods: Sequence[Pod]) -> bool:
        """Return whether a budget allows fewer evictions than these need (pdb/basic.go: CanRemovePods)."""
        wanted = Counter(budget for pod in pods for budget in self._budgets_of(pod))
        return any(self.budgets.get(budget, 0) < count for budget, count in wanted.items())

    def count_evictions(self, pods: Sequence[Pod]) -> None:
        """Count evictions of these pods against their budgets."""
        for pod in pods:
            for budget in self._budgets_of(pod):
                self.budgets[budget] = self.budgets.get(budget, 0) - 1

    def _verdict(self, pod: Pod) -> str:
        """Return "skip", "daemon", "move", "await", or the reason why the pod blocks the drain."""
        status = self._api.status(pod)
        if MIRROR in pod.annotations:
            return "skip"
        if is_long_terminating(pod, self._api):
            return "skip"
        if self._flags["skip-nodes-with-custom-controller-pods"] and self._has_too_few_replicas(pod):
            return "MinReplicasReached"
        if is_daemon_set_pod(pod):
            return "daemon"
        if pod.annotations.get(f"{PREFIX}safe-to-evict") == "true":
            return "move"
        if status.phase in ("Succeeded", "Failed"):
            return "move"
        if pod.annotations.get(f"{PREFIX}safe-to-evict") == "on-completion":
            return "await"
        if self._flags["skip-nodes-with-custom-controller-pods"] and (
            pod.owner is None or pod.owner.kind not in REPLICATED
        ):
            return "NotReplicated"
        if pod.owner is None:
            return "NotReplicated"
        if pod.namespace == "kube-system" and self._flags["skip-nodes-with-system-pods"]:
            young = self._api.now - pod.creation_timestamp <= self._flags["blocking-system-pod-distruption-timeout"]
            if not any(self._budgets_of(pod)):
                return "UnmovableKubeSystemPod" if young else "move"
        if pod.annotations.get(f"{PREFIX}safe-to-evict") == "false":
            return "NotSafeToEvictAnnotation"
        if self._flags["skip-nodes-with-local-storage"] and has_local_storage(pod):
            return "LocalStorageRequested"
        if any(self.budgets.get(budget, 0) < 1 for budget in self._budgets_of(pod)):
            return "NotEnoughPdb"
        return "move"

    def _has_too_few_replicas(self, pod: Pod) -> bool:
        """Return whether the pod's ReplicaSet or ReplicationController is smaller than --min-replica-count."""
        if pod.owner is None or pod.owner.kind not in ("ReplicaSet", "ReplicationController"):
            return False
        workload = self._api.workload(pod.owner.kind, f"{pod.namespace}/{pod.owner.name}")
        size = None if workload is None else size_of(workload)
        return size is not None and size < self._flags["min-replica-count"]

    def _budgets_of(self, pod: Pod) -> Iterator[str]:
        for budget in self._api.cluster.objects("PodDisruptionBudget"):
            assert isinstance(budget, PodDisruptionBudget)
            if budget.namespace == pod.namespace and budget.controller_selector.matches(pod.labels):
                yield key_of(budget)


def is_daemon_set_pod(pod: Pod) -> bool:
    """Return whether the pod is one of a DaemonSet, or is annotated as one (utils/pod: IsDaemonSetPod)."""
    of_daemon_set = pod.owner is not None and pod.owner.kind == "DaemonSet"
    return of_daemon_set or pod.annotations.get(f"{PREFIX}daemonset-pod") == "true"


def needs_eviction(pod: Pod) -> bool:
    """Return whether a drain has to evict the pod: neither a mirror pod nor one of a DaemonSet."""
    return MIRROR not in pod.annotations and not is_daemon_set_pod(pod)


def is_long_terminating(pod: Pod, api: Api) -> bool:
    """Return whether the pod should have been gone for some time (utils/drain: IsPodLongTerminating)."""
    status = api.status(pod)
    if status.deletion_requested is None:
        return False
    deletion = status.deletion_requested + status.grace  # its deletionTimestamp
    return api.now > deletion + grace_of(pod) + LONG_TERMINATING_SECONDS


def has_local_storage(pod: Pod) -> bool:
    """Return whether the pod would lose a hostPath or an emptyDir on disk (utils/drain: HasBlockingLocalStorage)."""
    spared = set(pod.annotations.get(f"{PREFIX}safe-to-evict-local-volumes", "").split(","))
    for volume in (pod.manifest.get("spec") or {}).get("volumes") or ():
        if volume.get("name") in spared:
            continue
        if volume.get("hostPath") is not None:
            return True
        if "emptyDir" in volume and (volume.get("emptyDir") or {}).get("medium") != "Memory":
            return True
    return False
