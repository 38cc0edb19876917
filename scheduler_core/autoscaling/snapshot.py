"""A copy of the cluster on which an actor tries where pods would fit (simulator/clustersnapshot).

Only the Filter plugins of the default profile decide; scores play no part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from scheduler_core.apis.config import Profile
from scheduler_core.apis.core import Node, Pod, PodKey
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.framework.interface import CycleState, Status
from scheduler_core.framework.pod_groups import PodGroupManager
from scheduler_core.framework.runtime.runtime import Framework
from scheduler_core.framework.runtime.unserved import Unserved
from scheduler_core.plugins import REGISTRY
from scheduler_core.releases import Release
from scheduler_core.scenario.settings.configuration import default_configuration

SCORING = ("preScore", "score")


def _filters(release: Release) -> Profile:
    """Return the default profile without its plugins that score."""
    profile = default_configuration(release, release.default_gates()).profiles[0]
    return replace(profile, plugins={point: refs for point, refs in profile.plugins.items() if point not in SCORING})


class Snapshot:
    """A cluster in which pods are placed and nodes are added, independent of the one it was copied from."""

    def __init__(self, cluster: Cluster, release: Release, profile: Profile | None = None) -> None:
        self.cluster = cluster.copy()
        self._release = release
        self._profile = profile = profile or _filters(release)
        self._framework = Framework(
            profile,
            REGISTRY,
            self.cluster,
            Unserved(),
            extenders=(),
            feature_gates=release.default_gates(),
            release=release,
            pod_groups=PodGroupManager(self.cluster, {profile.scheduler_name}),
        )
        self._next = 0  # where the search for a node begins

    def copy(self) -> Snapshot:
        """Return an independent snapshot in the same state."""
        other = Snapshot(self.cluster, self._release, self._profile)
        other._next = self._next
        return other

    def add_node(self, node: Node, pods: Iterable[Pod] = ()) -> None:
        """Add a node with pods that run on it, or replace the node."""
        self.cluster.apply(node)
        for pod in pods:
            self.cluster.apply(replace(pod, node_name=node.name))

    def remove_node(self, name: str) -> None:
        """Remove a node and its pods."""
        for pod in self.pods_on(name):
            self.cluster.delete("Pod", pod.key)
        self.cluster.delete("Node", name)

    def remove_pod(self, key: PodKey) -> None:
        """Remove a pod."""
        self.cluster.delete("Pod", key)

    def place(self, pod: Pod, node_name: str) -> None:
        """Move a pod to a node, or add it there."""
        if self.cluster.pods.get(pod.key) is not None:
            self.cluster.delete("Pod", pod.key)
        self.cluster.apply(replace(pod, node_name=node_name))

    def pods_on(self, name: str) -> list[Pod]:
        """Return the pods of a node, in order of creation."""
        table = self.cluster.pods
        return [pod for slot in sorted(table.on_node(name)) if (pod := table.pods[slot]).node_name == name]

    def nodes(self) -> list[Node]:
        """Return all nodes, in order of creation."""
        return self.cluster.all_nodes()

    def reasons(self, pod: Pod, node_name: str) -> tuple[str, ...]:
        """Return why a pod does not fit a node; () if it does."""
        passed, status_of = self._filter(pod)
        row = self.cluster.nodes.row_of[node_name]
        return () if passed[row] else status_of(row).reasons

    def find_node(self, pod: Pod, acceptable: Callable[[str], bool], hint: str = "") -> str:
        """Return the first node that the pod fits, beginning with the hint, then after the last match; "" if none.

        simulator/clustersnapshot/predicate/plugin_runner.go: RunFiltersUntilPassingNode. Cordoned nodes are left out.
        """
        passed, _ = self._filter(pod)
        names, nodes = self.cluster.nodes.names, self.cluster.nodes.nodes
        if hint in self.cluster.nodes.row_of and passed[self.cluster.nodes.row_of[hint]] and acceptable(hint):
            return hint
        count = len(names)
        for step in range(count):
            row = (self._next + step) % count
            if passed[row] and not nodes[row].unschedulable and acceptable(names[row]):
                self._next = (row + 1) % count
                return names[row]
        return ""

    def _filter(self, pod: Pod) -> tuple[NDArray[np.bool_], Callable[[int], Status]]:
        """Return whether the pod fits each row, and the status of a row that it does not fit."""
        cluster, known = self.cluster, self.cluster.pods.get(pod.key) is not None
        waiting = replace(pod, node_name="")
        before = self.cluster.pods.get(pod.key)
        if known:
            cluster.delete("Pod", pod.key)
        cluster.apply(waiting)
        try:
            cluster.snapshot()
            cycle = CycleState(waiting, cluster.pods.slot_of[pod.key])
            outcome = self._framework.run_pre_filter(cycle)
            rows = cluster.nodes.all_rows
            if not outcome.status.is_success:
                return np.zeros(len(rows), np.bool_), lambda row: outcome.status
            result = self._framework.filters.run(cycle, rows, None)
            passed = result.which == 0
            names = outcome.node_names
            if names is not None:
                passed &= np.array([name in names for name in cluster.nodes.names], np.bool_)
            return passed, lambda row: _status(result, row)
        finally:
            cluster.delete("Pod", pod.key)
            if before is not None:
                cluster.apply(before)


def _status(result: Any, row: int) -> Status:
    number = int(result.which[row])
    status: Status = result.statuses[number - 1] if number else NOT_IN_PRE_FILTER_RESULT
    return status


NOT_IN_PRE_FILTER_RESULT = Status(reasons=("node is filtered out by the prefilter result",))
