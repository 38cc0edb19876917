"""The nodes of each group, requests for more of them, and groups that back off (clusterstate/, utils/backoff)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from scheduler_core.apis.core import Node
from scheduler_core.autoscaling.cloud import Cloud, Group
from scheduler_core.autoscaling.cluster_autoscaler.taints import TaintConfig
from scheduler_core.controllers.api import Api

UNREADY_TAINTS = (
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/disk-pressure",
    "node.kubernetes.io/network-unavailable",
)


class Readiness(msgspec.Struct):
    """The nodes of a group, by name."""

    ready: list[str] = []
    unready: list[str] = []
    not_started: list[str] = []
    deleting: list[str] = []
    unregistered: list[str] = []
    long_unregistered: list[str] = []

    @property
    def registered(self) -> int:
        return len(self.ready) + len(self.unready) + len(self.not_started) + len(self.deleting)


class Request(msgspec.Struct):
    """A scale-up that is not complete yet."""

    increase: int
    since: float
    deadline: float


class Backoff(msgspec.Struct):
    """A group that is not scaled up until a time."""

    seconds: float
    until: float
    failed_at: float


class ClusterState:
    """The registry of the cluster's state, updated at the beginning of each pass."""

    def __init__(self, cloud: Cloud, api: Api, flags: Mapping[str, Any]) -> None:
        self._cloud = cloud
        self._api = api
        self._flags = flags
        self.taints = TaintConfig(flags)
        self.readiness: dict[str, Readiness] = {}
        self.requests: dict[str, Request] = {}
        self._backoffs: dict[str, Backoff] = {}
        self._unregistered_since: dict[str, float] = {}
        self._wrong_size: dict[str, tuple[int, int, float]] = {}  # registered, target, since when
        self._reported: set[str] = set()  # instances whose errors were counted

    def update(self) -> list[tuple[Group, Request]]:
        """Read all nodes and instances. Return the requests that timed out, whose groups now back off."""
        for group in self._cloud.groups.values():
            self.readiness[group.name] = self._readiness_of(group)
        timed_out = self._update_requests()
        self._note_wrong_sizes()
        return timed_out

    def _readiness_of(self, group: Group) -> Readiness:
        now, readiness, flags = self._api.now, Readiness(), group.flags(self._flags)
        for name, instance in group.instances.items():
            node = self._api.cluster.node(name)
            if node is None and (instance.state == "deleting" or instance.error):
                continue
            if node is None:
                since = self._unregistered_since.setdefault(name, now)
                late = now - since > flags["max-node-provision-time"]
                (readiness.long_unregistered if late else readiness.unregistered).append(name)
                continue
            self._unregistered_since.pop(name, None)
            if instance.state == "deleting" or _is_being_deleted(node):
                readiness.deleting.append(name)
            elif self.is_ready(node):
                readiness.ready.append(name)
            elif self._may_be_starting(node, flags):
                readiness.not_started.append(name)
            else:
                readiness.unready.append(name)
        return readiness

    def _may_be_starting(self, node: Node, flags: Mapping[str, Any]) -> bool:
        return bool(self._api.now - node.creation_timestamp < flags["max-node-startup-time"])

    def is_ready(self, node: Node) -> bool:
        """Return whether the node is ready and has no taint that means otherwise (utils/kubernetes/ready.go)."""
        if self._api.node_status(node.name).ready != "True":
            return False
        return not any(taint.key in UNREADY_TAINTS or self.taints.is_startup(taint.key) for taint in node.taints)

    def upcoming(self, group: Group) -> int:
        """Return the number of nodes of a group that are starting, including those registered but not ready.

        Without an open request, or during a backoff, none count (GetUpcomingNodes).
        """
        if group.name not in self.requests or self.backs_off(group):
            return 0
        readiness = self.readiness[group.name]
        return max(group.target - len(readiness.ready) - len(readiness.unready) - len(readiness.long_unregistered), 0)

    def is_healthy(self) -> bool:
        """Return whether few enough nodes are unready, also of those that are in no group (IsClusterHealthy)."""
        nodes = self._api.cluster.all_nodes()
        grouped = {name for group in self._cloud.groups.values() for name in group.instances}
        unready = sum(len(readiness.unready) for readiness in self.readiness.values()) + sum(
            not (_is_being_deleted(node) or self.is_ready(node) or self._may_be_starting(node, self._flags))
            for node in nodes
            if node.name not in grouped
        )
        return self._are_few(unready, len(nodes))

    def is_group_healthy(self, group: Group) -> bool:
        """Return whether few enough of the group's nodes are missing or unready (IsNodeGroupHealthy).

        Those that an open request has added, and those that did not register in time, are not expected.
        """
        readiness = self.readiness[group.name]
        open_request = self.requests.get(group.name)
        expected = group.target - len(readiness.long_unregistered) - (open_request.increase if open_request else 0)
        if not readiness.registered and not readiness.unregistered and not readiness.long_unregistered:
            return group.target == 0 or expected == 0
        registered = len(readiness.ready) + len(readiness.unready) + len(readiness.not_started)
        return self._are_few(max(expected - len(readiness.ready), 0), registered)

    def _are_few(self, unready: int, nodes: int) -> bool:
        most = float(self._flags["max-total-unready-percentage"]) / 100
        return unready <= int(self._flags["ok-total-unready-count"]) or unready <= nodes * most

    # Requests

    def request(self, group: Group, increase: int) -> None:
        """Record a scale-up; another one before it is complete extends its deadline."""
        deadline = self._api.now + group.flags(self._flags)["max-node-provision-time"]
        open_request = self.requests.get(group.name)
        before = open_request.increase if open_request else 0
        self.requests[group.name] = Request(before + increase, self._api.now, deadline)

    def _update_requests(self) -> list[tuple[Group, Request]]:
        timed_out = []
        for name, request in list(self.requests.items()):
            group = self._cloud.groups[name]
            readiness = self.readiness[name]
            if group.target <= len(readiness.ready) + len(readiness.unready) + len(readiness.long_unregistered):
                del self.requests[name]  # nothing is upcoming: a success, and a backoff that has ended is forgotten
            elif request.deadline < self._api.now:
                del self.requests[name]
                self.fail(group)
                timed_out.append((group, request))
        return timed_out

    # Backoff

    def fail(self, group: Group) -> None:
        """Start the backoff of a group after a failure."""
        now, flags = self._api.now, self._flags
        before = self._backoffs.get(group.name)
        seconds = flags["initial-node-group-backoff-duration"]
        if before is not None and now - before.failed_at <= flags["node-group-backoff-reset-timeout"]:
            seconds = before.seconds
            if before.until < now:
                seconds = min(2 * seconds, flags["max-node-group-backoff-duration"])
        self._backoffs[group.name] = Backoff(seconds, now + seconds, now)

    def backs_off(self, group: Group) -> bool:
        """Return whether the group is not scaled up at the moment."""
        backoff = self._backoffs.get(group.name)
        return backoff is not None and self._api.now <= backoff.until

    # Sizes

    def _note_wrong_sizes(self) -> None:
        """Note groups with more or fewer nodes than their target; instances that may still register are not missed."""
        for name, group in self._cloud.groups.items():
            readiness = self.readiness[name]
            size, coming = readiness.registered, len(readiness.unregistered) + len(readiness.long_unregistered)
            if group.target - coming <= size <= group.target or not size + coming:
                self._wrong_size.pop(name, None)
            elif self._wrong_size.get(name, (-1, -1))[:2] != (size, group.target):
                self._wrong_size[name] = size, group.target, self._api.now

    def sizes_to_fix(self) -> list[tuple[Group, int]]:
        """Return the groups whose target has been too high for too long, each with the negative change to make."""
        groups = []
        for name, (size, target, since) in self._wrong_size.items():
            group = self._cloud.groups[name]
            if size < target and self._api.now - since > group.flags(self._flags)["max-node-provision-time"]:
                groups.append((group, size - target))
        return groups

    def instances_with_errors(self) -> list[tuple[Group, list[str]]]:
        """Return each group with instances that cannot be created, and their names."""
        groups = []
        for group in self._cloud.groups.values():
            broken = (instance for instance in group.instances.values() if instance.error)
            names = [instance.name for instance in broken if instance.state == "creating"]
            if names:
                groups.append((group, names))
        return groups

    def take_back(self, group: Group, names: Sequence[str]) -> int:
        """Lower a group's open request by the instances whose errors are new, and start its backoff.

        Return their number; 0 if the group is not being scaled up (handleInstanceCreationErrors).
        """
        unseen = [name for name in names if name not in self._reported]
        self._reported.update(unseen)
        request = self.requests.get(group.name)
        if not unseen or request is None:
            return 0
        request.increase -= len(unseen)
        if request.increase <= 0:
            del self.requests[group.name]
        self.fail(group)
        return len(unseen)


def _is_being_deleted(node: Node) -> bool:
    return any(taint.key == "ToBeDeletedByClusterAutoscaler" for taint in node.taints)
