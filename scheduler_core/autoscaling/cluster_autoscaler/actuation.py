"""Removal of a node: taint, wait, evict, delete (core/scaledown/actuation)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.constraints import Taint
from scheduler_core.apis.core import Node, Pod
from scheduler_core.autoscaling.cloud import Cloud
from scheduler_core.autoscaling.cluster_autoscaler.drainability import (
    PREFIX,
    Drainability,
    is_daemon_set_pod,
    needs_eviction,
)
from scheduler_core.autoscaling.cluster_autoscaler.events import Recorder
from scheduler_core.autoscaling.cluster_autoscaler.scale_down import Candidate
from scheduler_core.controllers.api import Api, grace_of
from scheduler_core.controllers.causes import because
from scheduler_core.controllers.eviction import CREATED, MESSAGES, evict

TO_BE_DELETED = "ToBeDeletedByClusterAutoscaler"
CANDIDATE = "DeletionCandidateOfClusterAutoscaler"
EVICTS_DAEMON = f"{PREFIX}enable-ds-eviction"  # the annotation by which a pod of a DaemonSet overrides the flag
EVICTION_RETRY = 10.0
HEADROOM = 30.0  # seconds beyond the longest grace period for which it waits for evicted pods (PodEvictionHeadroom)
POLL = 5.0  # how often it looks whether evicted pods are gone
Later = Callable[[float, Callable[[], None]], None]


class _Removal(msgspec.Struct):
    """The removal of a node. `pods` have to be gone first; `refused`: the pods that are still to be evicted, with the
    status codes of the last answers.
    """

    node: Node
    drained: bool
    pods: list[Pod]
    refused: list[tuple[Pod, int]]
    deadline: float


class Actuator:
    """Carries out deletions."""

    def __init__(self, api: Api, cloud: Cloud, flags: Mapping[str, Any], later: Later, recorder: Recorder) -> None:
        self._api = api
        self._cloud = cloud
        self._flags = flags
        self._later = later
        self._recorder = recorder
        self.in_progress: dict[str, bool] = {}  # nodes that are being removed, and whether they are drained

    def start(self, empty: Sequence[Candidate], drained: Sequence[Candidate]) -> bool:
        """Taint the nodes and plan their deletion. Return whether there are any."""
        for candidates in (empty, drained):
            for candidate in candidates:
                self._mark(candidate)
            for candidate in candidates:
                self._announce(candidate)
                self._later(self._flags["node-delete-delay-after-taint"], self._step(self._remove, candidate))
        return bool(empty or drained)

    def _announce(self, candidate: Candidate) -> None:
        name = candidate.node
        self.in_progress[name] = bool(candidate.drain.move)
        if candidate.drain.move:
            evicted = [pod for pod in self._pods_on(name) if needs_eviction(pod)]
            pods = ",".join(self._api.status(pod).called for pod in evicted)
            share = f"utilization: {candidate.utilization}, pods to reschedule: {pods}"
            self._recorder.record_status("ScaleDown", f"Scale-down: removing node {name}, {share}")
        else:
            self._recorder.record_status("ScaleDownEmpty", f'Scale-down: removing empty node "{name}"')

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

    def soft_taint(self, unneeded: Mapping[str, Any], leaving: Collection[str]) -> None:
        """Remove the PreferNoSchedule taint from needed nodes, and add it to unneeded ones, up to a limit per pass.

        `leaving`: the nodes that were being removed before this pass.
        """
        budget = self._flags["max-bulk-soft-taint-count"]
        nodes = [node for node in self._api.cluster.all_nodes() if node.name not in leaving]
        nodes = [node for node in nodes if self._cloud.group_of(node.name) is not None]
        for node in sorted(nodes, key=lambda node: node.name in unneeded):
            tainted = any(taint.key == CANDIDATE for taint in node.taints)
            if budget <= 0 or tainted == (node.name in unneeded):
                continue
            budget -= 1
            others = tuple(taint for taint in node.taints if taint.key != CANDIDATE)
            mine = () if tainted else (Taint(CANDIDATE, self._time(), "PreferNoSchedule"),)
            cause = "node-needed" if tainted else "node-unneeded"
            self._write(replace(node, taints=(*others, *mine)), cause)

    def _step(self, act: Callable[[Candidate], None], candidate: Candidate) -> Callable[[], None]:
        return lambda: act(candidate)

    def _mark(self, candidate: Candidate) -> None:
        node = self._api.cluster.node(candidate.node)
        assert node is not None
        taints = (*node.taints, Taint(TO_BE_DELETED, self._time(), "NoSchedule"))
        cordoned = node.unschedulable or self._flags["cordon-node-before-terminating"]
        self._write(replace(node, taints=taints, unschedulable=cordoned), "node-removed")
        self._recorder.record(node, "ScaleDown", "marked the node as toBeDeleted/unschedulable")

    def _write(self, node: Node, cause: str) -> None:
        self._api.apply_object(node, "update", because(cause, node=node.name))

    def _time(self) -> str:
        return str(int(self._api.now))

    # Evictions

    def _remove(self, candidate: Candidate) -> None:
        """Evict the pods of a node, all at once, and delete it when they are gone, if its pods still allow it."""
        node, drained = self._api.cluster.node(candidate.node), bool(candidate.drain.move)
        if node is None:
            self.in_progress.pop(candidate.node, None)
            return
        pods = self._pods_on(node.name)
        removal = _Removal(node, drained, [], [], self._api.now + self._flags["max-pod-eviction-time"])
        drain = Drainability(self._api, self._flags).drain_of(pods)
        if drain.blocked is not None:
            self._fail(removal, f'GetPodsToMove for "{node.name}" returned error: {drain.blocked.text}')
        elif not drained and drain.move:
            self._fail(removal, f'failed to delete empty node "{node.name}", new pods scheduled')
        elif not drained and drain.awaited:
            self._fail(removal, f'failed to delete empty node "{node.name}", active on-completion pods present')
        else:
            removal.pods = [pod for pod in pods if drained and needs_eviction(pod)]
            flag = f"daemonset-eviction-for-{'occupied' if drained else 'empty'}-nodes"
            evicted = [*removal.pods, *(pod for pod in pods if self._evicts_daemon(pod, by_default=self._flags[flag]))]
            for pod in evicted:
                self._recorder.record(pod, "ScaleDown", "deleting pod for node scale down")
            self._try_evictions(removal, evicted)

    def _evicts_daemon(self, pod: Pod, *, by_default: bool) -> bool:
        """Return whether a pod of a DaemonSet is evicted before its node goes (daemonset.go: PodsToEvict)."""
        if needs_eviction(pod) or not is_daemon_set_pod(pod):
            return False
        own = pod.annotations.get(EVICTS_DAEMON)
        return by_default if own is None else own == "true"

    def _try_evictions(self, removal: _Removal, pods: Sequence[Pod]) -> None:
        """Evict pods, and later those that are refused, until the deadline; then wait until they are gone, or give up.

        Pods of DaemonSets may be refused until the end.
        """
        answers = [(pod, self._evict(pod)) for pod in pods]
        removal.refused = [(pod, code) for pod, code in answers if code != CREATED]
        if removal.refused:
            self._later(EVICTION_RETRY, lambda: self._retry(removal))
        else:
            self._wait(removal, self._api.now)

    def _retry(self, removal: _Removal) -> None:
        if self._api.now < removal.deadline:
            self._try_evictions(removal, [pod for pod, _ in removal.refused])
            return
        errors = []
        for pod, code in removal.refused:
            if pod in removal.pods:
                self._recorder.record(pod, "ScaleDownFailed", "failed to delete pod for ScaleDown", "Warning")
                key = f"{pod.namespace}/{self._api.status(pod).called}"
                errors.append(f"failed to evict pod {key} within allowed timeout (last error: {MESSAGES[code]})")
        if errors:
            texts = " ".join(errors)
            self._fail(removal, f"Failed to drain node /{removal.node.name}, due to following errors: [{texts}]")
        else:
            self._wait(removal, self._api.now)

    def _evict(self, pod: Pod) -> int:
        """Return the status code of the eviction; a pod that is gone or already terminating counts as evicted."""
        stored = self._api.pod(pod.key)
        if stored is None or stored.uid != pod.uid or self._api.status(stored).deletion_requested is not None:
            return CREATED
        grace = min(grace_of(pod), self._longest_grace or float("inf"))
        return evict(stored, self._api, because_of=because("node-removed", node=pod.node_name), grace=grace)

    @property
    def _longest_grace(self) -> float:
        return float(self._flags["max-graceful-termination-sec"])

    def _wait(self, removal: _Removal, since: float) -> None:
        """Delete the node if its pods are gone; otherwise look again, until the longest grace period is over."""
        name = removal.node.name
        stored = (self._api.pod(pod.key) for pod in removal.pods)
        remain = any(pod is not None and pod.node_name == name for pod in stored)
        if self._api.now - since >= self._longest_grace + HEADROOM:
            self._fail(removal, f"Failed to drain node /{name}: pods remaining after timeout")
        elif remain:
            self._later(POLL, lambda: self._wait(removal, since))
        else:
            self._delete(removal)

    def _delete(self, removal: _Removal) -> None:
        name = removal.node.name
        group = self._cloud.group_of(name)
        self.in_progress.pop(name, None)
        if group is None:
            return
        self._cloud.delete(group, [name])
        self._recorder.record(removal.node, "ScaleDown", "nodes removed by cluster autoscaler")
        if removal.drained:
            self._recorder.record_status("ScaleDown", f"Scale-down: node {name} removed with drain")
        else:
            self._recorder.record_status("ScaleDownEmpty", f"Scale-down: empty node {name} removed")

    def _fail(self, removal: _Removal, reason: str) -> None:
        """Give up the deletion, and remove its taint and the cordon of this autoscaler (CleanToBeDeleted)."""
        self.in_progress.pop(removal.node.name, None)
        stored = self._api.cluster.node(removal.node.name)
        if stored is None:
            return
        failed = "failed to drain and delete node" if removal.drained else "failed to delete empty node"
        self._recorder.record(stored, "ScaleDownFailed", f"{failed}: {reason}", "Warning")
        taints = tuple(taint for taint in stored.taints if taint.key != TO_BE_DELETED)
        cordoned = stored.unschedulable and not self._flags["cordon-node-before-terminating"]
        self._write(replace(stored, taints=taints, unschedulable=cordoned), "node-kept")
