"""Removal of a node: taint, wait, evict, delete (core/scaledown/actuation)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from scheduler_core.apis.constraints import Taint
from scheduler_core.apis.core import Node, Pod, PodKey
from scheduler_core.autoscaling.cloud import Cloud
from scheduler_core.autoscaling.cluster_autoscaler.drainability import (
    Drainability,
    is_daemon_set_pod,
    needs_eviction,
)
from scheduler_core.autoscaling.cluster_autoscaler.scale_down import Candidate
from scheduler_core.controllers.api import Api, grace_of
from scheduler_core.controllers.causes import because
from scheduler_core.controllers.eviction import CREATED, evict

TO_BE_DELETED = "ToBeDeletedByClusterAutoscaler"
CANDIDATE = "DeletionCandidateOfClusterAutoscaler"
EVICTION_RETRY = 10.0
POLL = 5.0  # how often it looks whether evicted pods are gone
Later = Callable[[float, Callable[[], None]], None]
Record = Callable[..., None]


class Actuator:
    """Carries out deletions. `record(reason, message)` records an event on the status ConfigMap."""

    def __init__(
        self,
        api: Api,
        cloud: Cloud,
        flags: Mapping[str, Any],
        later: Later,
        record: Record,
    ) -> None:
        self._api = api
        self._cloud = cloud
        self._flags = flags
        self._later = later
        self._record = record
        self.in_progress: dict[str, bool] = {}  # nodes that are being removed, and whether they are drained
        self.last_failure = float("-inf")

    def start(self, empty: Sequence[Candidate], drained: Sequence[Candidate]) -> bool:
        """Taint the nodes and plan their deletion. Return whether there are any."""
        for candidate in (*empty, *drained):
            node = self._api.cluster.node(candidate.node)
            assert node is not None
            self.in_progress[node.name] = bool(candidate.drain.move)
            self._mark(node)
            if candidate.drain.move:
                evicted = [pod for pod in self._pods_on(node.name) if needs_eviction(pod)]
                pods = ",".join(self._api.status(pod).called for pod in evicted)
                share = f"utilization: {candidate.utilization}, pods to reschedule: {pods}"
                self._record("ScaleDown", f"Scale-down: removing node {node.name}, {share}")
            else:
                self._record("ScaleDownEmpty", f'Scale-down: removing empty node "{node.name}"')
            self._api.record(node, "ScaleDown", "marked the node as toBeDeleted/unschedulable")
            self._later(self._flags["node-delete-delay-after-taint"], self._step(self._evict_pods, candidate))
        return bool(empty or drained)

    def drained_pods(self) -> list[Pod]:
        """Return the pods that drains will move, which count as pending."""
        pods = (pod for name, drained in self.in_progress.items() if drained for pod in self._pods_on(name))
        return [pod for pod in pods if needs_eviction(pod) and self._api.status(pod).deletion_requested is None]

    def _pods_on(self, name: str) -> list[Pod]:
        """Return the pods on the node that count: those that are neither finished nor expendable."""
        cutoff = self._flags["expendable-pods-priority-cutoff"]
        return [
            pod
            for pod, status in self._api.pods_on(name)
            if status.phase not in ("Succeeded", "Failed") and pod.priority >= cutoff
        ]

    def soft_taint(self, unneeded: Mapping[str, Any]) -> None:
        """Add the PreferNoSchedule taint to unneeded nodes, and remove it from others, up to a limit per pass."""
        budget = self._flags["max-bulk-soft-taint-count"]
        for node in self._api.cluster.all_nodes():
            if budget <= 0 or self._cloud.group_of(node.name) is None or node.name in self.in_progress:
                continue
            tainted = any(taint.key == CANDIDATE for taint in node.taints)
            if tainted == (node.name in unneeded):
                continue
            budget -= 1
            others = tuple(taint for taint in node.taints if taint.key != CANDIDATE)
            mine = () if tainted else (Taint(CANDIDATE, self._time(), "PreferNoSchedule"),)
            cause = "node-needed" if tainted else "node-unneeded"
            self._write(replace(node, taints=(*others, *mine)), cause)

    def _step(self, act: Callable[[Candidate], None], candidate: Candidate) -> Callable[[], None]:
        return lambda: act(candidate)

    def _mark(self, node: Node) -> None:
        taints = (*node.taints, Taint(TO_BE_DELETED, self._time(), "NoSchedule"))
        cordoned = node.unschedulable or self._flags["cordon-node-before-terminating"]
        self._write(replace(node, taints=taints, unschedulable=cordoned), "node-removed")

    def _write(self, node: Node, cause: str) -> None:
        self._api.apply_object(node, "update", because(cause, node=node.name))

    def _time(self) -> str:
        return str(int(self._api.now))

    # Evictions

    def _evict_pods(self, candidate: Candidate) -> None:
        """Evict the pods of a node, all at once; delete an empty node. Both only if its pods still allow it."""
        node = self._api.cluster.node(candidate.node)
        if node is None:
            self.in_progress.pop(candidate.node, None)
            return
        pods = self._pods_on(node.name)
        drain = Drainability(self._api, self._flags).drain_of(pods)
        if drain.blocked is not None:
            self._fail(node, f"{drain.blocked.pod.key}: {drain.blocked.reason}")
            return
        if not candidate.drain.move:
            if drain.move or drain.awaited:
                self._fail(node, "the node is no longer empty")
                return
            self._delete(node, drained=False)
            return
        deadline = self._api.now + self._flags["max-pod-eviction-time"]
        if self._flags["daemonset-eviction-for-occupied-nodes"]:
            for pod in pods:
                if is_daemon_set_pod(pod):
                    self._evict(pod)
        self._try_evictions(node, {pod.key: pod for pod in pods if needs_eviction(pod)}, deadline)

    def _try_evictions(self, node: Node, waiting: dict[PodKey, Pod], deadline: float) -> None:
        """Evict the waiting pods, again until the deadline if refused; then wait until all are gone, or give up."""
        refused: dict[PodKey, Pod] = {}
        for key in waiting:
            pod = self._api.pod(key)
            if pod is not None and self._api.status(pod).deletion_requested is None and not self._evict(pod):
                refused[key] = pod
        if not refused:
            self._wait_until_gone(node)
        elif self._api.now + EVICTION_RETRY > deadline:
            self._fail(node, "pods could not be evicted in time")
        else:
            self._later(EVICTION_RETRY, lambda: self._try_evictions(node, refused, deadline))

    def _evict(self, pod: Pod) -> bool:
        grace = min(grace_of(pod), float(self._flags["max-graceful-termination-sec"]))
        if evict(pod, self._api, because_of=because("node-removed", node=pod.node_name), grace=grace) != CREATED:
            return False
        self._api.record(pod, "ScaleDown", "deleting pod for node scale down")
        return True

    def _wait_until_gone(self, node: Node) -> None:
        if any(needs_eviction(pod) for pod in self._pods_on(node.name)):
            self._later(POLL, lambda: self._wait_until_gone(node))
        else:
            self._delete(node, drained=True)

    def _delete(self, node: Node, *, drained: bool) -> None:
        group = self._cloud.group_of(node.name)
        self.in_progress.pop(node.name, None)
        if group is None:
            return
        self._cloud.delete(group, [node.name])
        if drained:
            self._record("ScaleDown", f"Scale-down: node {node.name} removed with drain")
        else:
            self._record("ScaleDownEmpty", f"Scale-down: empty node {node.name} removed")

    def _fail(self, node: Node, reason: str) -> None:
        """Give up the deletion, and remove its taint and the cordon of this autoscaler (CleanToBeDeleted)."""
        self.in_progress.pop(node.name, None)
        self.last_failure = self._api.now
        stored = self._api.cluster.node(node.name)
        if stored is not None:
            taints = tuple(taint for taint in stored.taints if taint.key != TO_BE_DELETED)
            cordoned = stored.unschedulable and not self._flags["cordon-node-before-terminating"]
            self._write(replace(stored, taints=taints, unschedulable=cordoned), "node-kept")
            self._api.record(stored, "ScaleDownFailed", f"failed to drain the node: {reason}", "Warning")
