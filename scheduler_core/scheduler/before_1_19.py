"""Steps of the scheduling algorithm itself before 1.19 (core/generic_scheduler.go), and its writes (scheduler.go)."""

from __future__ import annotations

import numpy as np

from scheduler_core.apis.core import PersistentVolumeClaim, Pod, PodKey
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.node_tree_before_1_19 import NodeTreeBefore117, NodeTreeBefore119
from scheduler_core.scheduler.apiserver.api_server import ApiServer, Condition
from scheduler_core.scheduler.search.fit_error import SchedulingError
from scheduler_core.scheduler.search.passing_filters import RowArray


def require_basic_checks(cluster: Cluster, pod: Pod) -> None:
    """Raise SchedulingError if a claim of the pod does not exist or is being deleted (podPassesBasicChecks)."""
    for volume in pod.volumes:
        if volume.claim is None:
            continue
        claim = cluster.get("PersistentVolumeClaim", f"{pod.namespace}/{volume.claim}")
        if claim is None:
            raise SchedulingError(f'persistentvolumeclaim "{volume.claim}" not found')
        if isinstance(claim, PersistentVolumeClaim) and claim.terminating:
            raise SchedulingError(f'persistentvolumeclaim "{volume.claim}" is being deleted')


class ApiServerBefore119(ApiServer):
    """Writes the nomination before the condition, which is then rejected, since its version of the pod is outdated."""

    def patch_status(self, key: PodKey, condition: Condition, nominated_node: str | None) -> None:
        """Clear the nomination if `nominated_node` is "" and there is one, otherwise write the condition.

        With a new nomination, which preemption has already written, write nothing.
        """
        stored = self._cluster.pods.get(key)
        if nominated_node == "" and stored is not None and stored.nominated_node_name:
            self.clear_nomination(key)
        elif not nominated_node:
            super().patch_status(key, condition, None)


class ApiServerBefore117(ApiServer):
    """Writes the condition first: the failure precedes preemption."""

    def patch_status(self, key: PodKey, condition: Condition, nominated_node: str | None) -> None:
        """Write the condition, then clear the nomination if required; preemption itself writes a new one."""
        super().patch_status(key, condition, None)
        stored = self._cluster.pods.get(key)
        if nominated_node == "" and stored is not None and stored.nominated_node_name:
            self.clear_nomination(key)


def snapshot_rows(cluster: Cluster) -> RowArray | None:
    """Return the rows in the order in which the node tree lists the nodes, None if that is the order of the table."""
    tree = cluster.tree
    assert isinstance(tree, NodeTreeBefore119)
    names = tree.upcoming() if isinstance(tree, NodeTreeBefore117) else tree.snapshot_list()
    if names == cluster.nodes.names:
        return None
    return np.array([cluster.nodes.row_of[name] for name in names], np.intp)
