"""Finds the nodes that are not needed, and those to delete now (core/scaledown/planner, eligibility, unneeded)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from scheduler_core.apis.core import Node, Pod
from scheduler_core.autoscaling.cloud import Cloud, Group
from scheduler_core.autoscaling.cluster_autoscaler.cluster_state import ClusterState
from scheduler_core.autoscaling.cluster_autoscaler.drainability import (
    MIRROR,
    Drain,
    Drainability,
    is_daemon_set_pod,
    is_long_terminating,
    needs_eviction,
)
from scheduler_core.autoscaling.cluster_autoscaler.expanders import GPU
from scheduler_core.autoscaling.cluster_autoscaler.scale_up import total_of
from scheduler_core.autoscaling.snapshot import Snapshot
from scheduler_core.controllers.api import Api

DISABLED = "cluster-autoscaler.kubernetes.io/scale-down-disabled"


class Utilization(msgspec.Struct, frozen=True):
    """The share of a node that its pods request; `resource` is the one that counts."""

    cpu: float
    memory: float
    gpu: float
    resource: str
    share: float

    def __str__(self) -> str:
        numbers = (self.cpu, self.memory, self.gpu, 0, self.share)
        cpu, memory, gpu, other, share = (f"{number:.15g}" for number in numbers)
        return f"{{{cpu} {memory} {gpu} {other} {self.resource} {share}}}"


class Candidate(msgspec.Struct):
    """A node that could be removed. `since`: the virtual time from which every pass has found it unneeded.

    `places`: the pods that would move, each with the name of the node to which it would move. `risky`: budgets do not
    allow the evictions all at once.
    """

    node: str
    drain: Drain
    utilization: Utilization
    since: float
    places: list[tuple[Pod, str]] = []
    risky: bool = False


class Planner:
    """Keeps the list of unneeded nodes."""

    def __init__(self, api: Api, cloud: Cloud, state: ClusterState, flags: Mapping[str, Any]) -> None:
        self._api = api
        self._cloud = cloud
        self._state = state
        self._flags = flags
        self.unneeded: dict[str, Candidate] = {}
        self.unremovable: dict[str, str] = {}  # why each other node stays
        self._unremovable_until: dict[str, float] = {}
        self._hints: dict[str, str] = {}
        self._updated = float("-inf")
        self._interval = float("inf")  # the shortest time between two passes

    def clean_up(self) -> None:
        """Forget the unneeded nodes."""
        self.unneeded = {}

    def update(
        self,
        snapshot: Snapshot,
        deleting: Sequence[str] = (),
        upcoming: Sequence[str] = (),
        *,
        limited: bool = True,
    ) -> None:
        """Find the unneeded nodes: eligible nodes whose pods all fit elsewhere; a pass adds a limited number of them.

        `deleting`: nodes that are being deleted; `upcoming`: nodes that have not joined yet.
        """
        now, trial = self._api.now, snapshot.copy()
        if now > self._updated:
            self._interval, self._updated = min(self._interval, now - self._updated), now
        for name in (*upcoming, *deleting):
            if trial.cluster.node(name) is not None:
                trial.remove_node(name)
        self.unremovable = {}
        eligible: dict[str, Utilization] = {}
        for name in self._candidates(deleting):
            utilization = self._utilization_if_low(name, trial)
            if utilization is not None:
                eligible[name] = utilization
        judge = Drainability(self._api, self._flags)
        pods_on = {name: trial.pods_on(name) for name in eligible}
        empty = [name for name in eligible if not any(map(needs_eviction, pods_on[name]))]
        before = [name for name in eligible if name in self.unneeded and name not in empty]
        rest = [name for name in eligible if name not in empty and name not in before]
        unneeded: dict[str, Candidate] = {}
        destinations = {node.name for node in trial.nodes()} - set(deleting)
        limit = self._limit() if limited else len(eligible)
        for name in (*empty, *before, *rest):
            if len(unneeded) >= limit:
                break
            drain = judge.drain_of(pods_on[name])
            if drain.blocked is not None:
                self._keep(name, f"BlockedByPod {drain.blocked.pod.key}: {drain.blocked.reason}")
                continue
            places: list[tuple[Pod, str]] = []
            stranded = self._move(drain.move, name, trial, destinations, places)
            if stranded is not None:
                self._keep(name, f"NoPlaceToMovePods {stranded.key}")
                continue
            risky = judge.is_risky(drain.move)
            judge.count_evictions(drain.move)
            destinations.discard(name)
            since = self.unneeded[name].since if name in self.unneeded else now
            unneeded[name] = Candidate(name, drain, eligible[name], since, places, risky)
        self.unneeded = unneeded

    def _limit(self) -> int:
        """Return the number of unneeded nodes after which a pass looks for no more (unneededNodesLimit)."""
        parallel, time = self._flags["max-scale-down-parallelism"], self._flags["scale-down-unneeded-time"]
        passes = time // min(self._interval, time) if time else 1
        return int(min(len(self.unneeded) + 2 * parallel, parallel * passes + parallel))

    def _candidates(self, deleting: Sequence[str]) -> list[str]:
        """Return the nodes to check: those of groups above their minimum, if not being deleted nor upcoming."""
        names = []
        for group in self._cloud.groups.values():
            if group.target <= group.minimum:
                continue
            readiness = self._state.readiness[group.name]
            checked = [*readiness.ready, *readiness.unready]
            if not self._state.upcoming(group):
                checked += readiness.not_started
            names += [name for name in checked if name not in deleting]
        return names

    def _utilization_if_low(self, name: str, trial: Snapshot) -> Utilization | None:
        """Return the utilization of the node; None if it is too high, or the node may not be removed (eligibility.go).

        `unremovable` then holds the reason.
        """
        if self._unremovable_until.get(name, -1.0) > self._api.now:
            self.unremovable[name] = "RecentlyUnremovable"
            return None
        node = trial.cluster.node(name)
        assert node is not None
        if node.annotations.get(DISABLED) == "true":
            self.unremovable[name] = "ScaleDownDisabledAnnotation"
            return None
        ready = self._state.is_ready(node)
        if not ready and not self._flags["scale-down-unready-enabled"]:
            self.unremovable[name] = "ScaleDownUnreadyDisabled"
            return None
        group = self._cloud.group_of(name)
        flags = group.flags(self._flags) if group is not None else self._flags
        pods = [pod for pod in trial.pods_on(name) if not is_long_terminating(pod, self._api)]
        utilization = utilization_of(node, pods, flags)
        gpu = utilization.resource == GPU
        most = flags["scale-down-gpu-utilization-threshold" if gpu else "scale-down-utilization-threshold"]
        if utilization.share > most:
            self.unremovable[name] = "NotUnderutilized"
            return None
        return utilization

    def _move(
        self, pods: Sequence[Pod], origin: str, trial: Snapshot, destinations: set[str], places: list[tuple[Pod, str]]
    ) -> Pod | None:
        """Find a node for every pod, and place the pods there in `trial` and `places`.

        Return the first pod without a node, and undo the placements in `trial`, or return None if all have one.
        """

        def is_acceptable(name: str) -> bool:
            return name in destinations and name != origin

        for pod in pods:
            name = trial.find_node(pod, is_acceptable, self._hints.get(pod.key, ""))
            if not name:
                for placed, _ in places:
                    trial.place(placed, origin)
                return pod
            self._hints[pod.key] = name
            trial.place(pod, name)
            places.append((pod, name))
        return None

    def _keep(self, name: str, reason: str) -> None:
        self.unremovable[name] = reason
        self._unremovable_until[name] = self._api.now + self._flags["unremovable-node-recheck-timeout"]

    def nodes_to_delete(self, in_progress: Mapping[str, bool]) -> tuple[list[Candidate], list[Candidate]]:
        """Return the nodes to delete now: empty ones, and those to drain. `unremovable` then says why others stay.

        `in_progress`: the nodes that are being removed, and whether each is drained.
        """
        empty: list[Candidate] = []
        drained: list[Candidate] = []
        going: dict[str, int] = {}
        for name in in_progress:
            group = self._cloud.group_of(name)
            if group is not None and group.instances[name].state != "deleting":
                going[group.name] = going.get(group.name, 0) + 1
        totals = {
            name: sum(total_of(node)[name] for node in self._api.cluster.all_nodes()) for name in ("cpu", "memory")
        }
        least = {"cpu": self._flags["cores-total"][0], "memory": self._flags["memory-total"][0] << 30}
        for candidate in self.unneeded.values():
            group, node = self._cloud.group_of(candidate.node), self._api.cluster.node(candidate.node)
            if group is None or node is None or not self._is_due(candidate, node, group):
                continue
            if group.target - going.get(group.name, 0) - 1 < group.minimum:
                self.unremovable[candidate.node] = "NodeGroupMinSizeReached"
                continue
            left = {name: total - total_of(node)[name] for name, total in totals.items()}
            if any(left[name] < least[name] and total_of(node)[name] for name in least):
                self.unremovable[candidate.node] = "MinimalResourceLimitExceeded"
                continue
            going[group.name] = going.get(group.name, 0) + 1
            totals = left
            if candidate.drain.awaited:
                self.unremovable[candidate.node] = "BlockedByOnCompletionPod"
                continue
            (drained if candidate.drain.move else empty).append(candidate)
        busy = len(in_progress)
        empty = empty[: max(self._flags["max-scale-down-parallelism"] - busy, 0)]
        most = min(
            self._flags["max-drain-parallelism"] - sum(in_progress.values()),
            self._flags["max-scale-down-parallelism"] - busy - len(empty),
        )
        return empty, sorted(drained, key=lambda candidate: candidate.risky)[: max(most, 0)]

    def _is_due(self, candidate: Candidate, node: Node, group: Group) -> bool:
        """Return whether the node has been unneeded for longer than the flag says; if not, note why it stays."""
        ready = self._state.is_ready(node)
        wait = group.flags(self._flags)["scale-down-unneeded-time" if ready else "scale-down-unready-time"]
        if wait <= 0 or self._api.now - candidate.since > wait:
            return True
        self.unremovable[candidate.node] = "NotUnneededLongEnough" if ready else "NotUnreadyLongEnough"
        return False


def utilization_of(node: Node, pods: Sequence[Pod], flags: Mapping[str, Any]) -> Utilization:
    """Return the share of the node that its pods request (simulator/utilization/info.go)."""
    if node.allocatable.get(GPU):
        gpu = _share(GPU, node, pods, flags)
        return Utilization(0.0, 0.0, gpu, GPU, gpu)
    shares = {name: _share(name, node, pods, flags) for name in ("cpu", "memory")}
    resource = "cpu" if shares["cpu"] > shares["memory"] else "memory"
    return Utilization(shares["cpu"], shares["memory"], 0.0, resource, shares[resource])


def _share(name: str, node: Node, pods: Sequence[Pod], flags: Mapping[str, Any]) -> float:
    """Return the requested share of a resource, without ignored pods and what they take up; 0 if nothing is left."""
    requested = ignored = 0
    for pod in pods:
        amount = pod.requests.get(name, 0)
        if (is_daemon_set_pod(pod) and flags["ignore-daemonsets-utilization"]) or (
            MIRROR in pod.annotations and flags["ignore-mirror-pods-utilization"]
        ):
            ignored += amount
        else:
            requested += amount
    available = node.allocatable.get(name, 0) - ignored
    return requested / available if available > 0 else 0.0
