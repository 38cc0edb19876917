"""Rules of kube-controller-manager that differ between releases."""

from __future__ import annotations

from dataclasses import dataclass

from scheduler_core.apis.messages import Text
from scheduler_core.releases.rules.rule import rule


@dataclass(frozen=True, kw_only=True)
class ControllerRules:
    """Rules of the controllers."""

    terminating_replicas_are_counted: bool = rule(
        "",
        "pkg/controller/replicaset/replica_set_utils.go: calculateStatus",
        {
            True: Text(
                "ReplicaSets and Deployments count their terminating pods in status.terminatingReplicas",
                "ReplicaSet 和 Deployment 在 status.terminatingReplicas 中统计正在终止的 Pod",
            ),
            False: Text(
                "the status of ReplicaSets and Deployments does not count terminating pods",
                "ReplicaSet 和 Deployment 的状态不统计正在终止的 Pod",
            ),
        },
    )
