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
    suspended_jobs_have_no_start_time: bool = rule(
        "",
        "pkg/controller/job/job_controller.go: syncJob",
        {
            True: Text("a Job that is suspended loses its startTime", "Job 被暂停时，其 startTime 被清除"),
            False: Text("a Job that is suspended keeps its startTime", "Job 被暂停时，保留其 startTime"),
        },
    )
    jobs_wait_for_terminating_pods: bool = rule(
        "",
        "pkg/controller/job/job_controller.go: enactJobFinished",
        {
            True: Text(
                "a Job is Complete or Failed only when its last pod has stopped; before that it has the condition "
                "SuccessCriteriaMet or FailureTarget",
                "Job 在最后一个 Pod 停止之后才是 Complete 或 Failed；"
                "在此之前它的状况是 SuccessCriteriaMet 或 FailureTarget",
            ),
            False: Text(
                "a Job is Complete or Failed while its pods may still be stopping",
                "Job 在其 Pod 可能还在停止时就已是 Complete 或 Failed",
            ),
        },
    )
    node_monitor_grace_seconds: int = rule(
        "",
        "pkg/controller/nodelifecycle/config/v1alpha1/defaults.go: NodeMonitorGracePeriod",
        {
            50: Text("a node may be silent for 50 s", "节点可以静默 50 秒"),
            40: Text("a node may be silent for 40 s", "节点可以静默 40 秒"),
        },
    )
