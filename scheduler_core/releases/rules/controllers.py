"""Rules of kube-controller-manager, the API server and the kubelets that differ between releases."""

from __future__ import annotations

from dataclasses import dataclass

from scheduler_core.apis.messages import Text
from scheduler_core.releases.rules.rule import rule


@dataclass(frozen=True, kw_only=True)
class ControllerRules:
    """Rules of the controllers, the API server and the kubelets."""

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
            True: Text("a Job that is suspended loses its startTime", "Job 被挂起时，其 startTime 被清除"),
            False: Text("a Job that is suspended keeps its startTime", "Job 被挂起时，保留其 startTime"),
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
            50: Text("a node may be silent for 50 s", "节点可以 50 秒不上报"),
            40: Text("a node may be silent for 40 s", "节点可以 40 秒不上报"),
        },
    )
    jobs_have_success_policies: bool = rule(
        "",
        "pkg/registry/batch/job/strategy.go: dropDisabledFields (JobSuccessPolicy)",
        {
            True: Text(
                "a Job with a successPolicy succeeds when one of its rules is met",
                "有 successPolicy 的 Job 在满足其中一条规则时即为成功",
            ),
            False: Text("the API server drops spec.successPolicy of a Job", "API 服务器丢弃 Job 的 spec.successPolicy"),
        },
    )
    jobs_count_failures_by_index: bool = rule(
        "",
        "pkg/registry/batch/job/strategy.go: dropDisabledFields (JobBackoffLimitPerIndex)",
        {
            True: Text(
                "backoffLimitPerIndex of a Job limits the failures of each index",
                "Job 的 backoffLimitPerIndex 限制每个索引的失败次数",
            ),
            False: Text(
                "the API server drops spec.backoffLimitPerIndex of a Job",
                "API 服务器丢弃 Job 的 spec.backoffLimitPerIndex",
            ),
        },
    )
    jobs_may_replace_failed_pods_only: bool = rule(
        "",
        "pkg/registry/batch/job/strategy.go: dropDisabledFields (JobPodReplacementPolicy)",
        {
            True: Text(
                "with podReplacementPolicy Failed or a podFailurePolicy, a Job replaces a pod when it has failed",
                "在 podReplacementPolicy 为 Failed 或有 podFailurePolicy 时，Job 在 Pod 失败之后才替换它",
            ),
            False: Text("a Job replaces a pod as soon as its deletion begins", "Job 在 Pod 开始被删除时就替换它"),
        },
    )
    budgets_say_when_unhealthy_pods_go: bool = rule(
        "",
        "pkg/registry/policy/poddisruptionbudget/strategy.go: dropDisabledFields (PDBUnhealthyPodEvictionPolicy)",
        {
            True: Text(
                "unhealthyPodEvictionPolicy AlwaysAllow lets pods that are not ready be evicted",
                "unhealthyPodEvictionPolicy 为 AlwaysAllow 时，未就绪的 Pod 可以被驱逐",
            ),
            False: Text(
                "the API server drops spec.unhealthyPodEvictionPolicy of a budget",
                "API 服务器丢弃 PodDisruptionBudget 的 spec.unhealthyPodEvictionPolicy",
            ),
        },
    )
    newest_default_class_counts: bool = rule(
        "",
        "pkg/volume/util/storageclass.go: GetDefaultClass",
        {
            True: Text(
                "of several default StorageClasses, a claim gets the newest, the first by name of those of one second",
                "有多个默认 StorageClass 时，PVC 使用最新的一个；同一秒创建的，使用名称排在最前的一个",
            ),
            False: Text(
                "with several default StorageClasses, a claim gets none; the API server refuses to create it",
                "有多个默认 StorageClass 时，PVC 得不到任何一个；API 服务器拒绝创建它",
            ),
        },
    )
    resizes_larger_than_the_node_are_refused: bool = rule(
        "",
        "plugin/pkg/admission/podresize/admission.go: validateNodeAllocatable",
        {
            True: Text(
                "the API server refuses a resize that requests more than the pod's node has allocatable",
                "请求的资源超过 Pod 所在节点可分配量的调整，由 API 服务器拒绝",
            ),
            False: Text(
                "a resize that requests more than the node has allocatable is Infeasible: the kubelet ignores it",
                "请求的资源超过节点可分配量的调整为 Infeasible，kubelet 不予执行",
            ),
        },
    )
    finished_pods_make_room_for_resizes: bool = rule(
        "",
        "pkg/kubelet/kubelet.go: HandlePodReconcile",
        {
            True: Text(
                "deferred resizes are tried again as soon as a pod of the node has finished",
                "节点上有 Pod 结束时，被推迟的调整立即重试",
            ),
            False: Text(
                "the room of a pod that has finished is seen by deferred resizes within three minutes",
                "Pod 结束后空出的资源，被推迟的调整在三分钟内才会用到",
            ),
        },
    )
    deferred_resizes_wait_in_one_queue: bool = rule(
        "",
        "pkg/kubelet/allocation/allocation_manager.go: sortPendingResizes",
        {
            True: Text(
                "deferred resizes of a node are tried by priority, QoS class and age, whenever a pod leaves or shrinks",
                "每当有 Pod 离开节点或缩小时，该节点上被推迟的调整按优先级、QoS 类别和等待时间依次重试",
            ),
            False: Text(
                "a deferred resize is tried again when its own pod is synced, every 60 to 90 s",
                "被推迟的调整在其 Pod 下一次同步时（每 60 到 90 秒）重试",
            ),
        },
    )
    jobs_in_backoff_report_their_active_pods: bool = rule(
        "",
        "pkg/controller/job/job_controller.go: manageJob",
        {
            False: Text(
                "a Job whose new pods wait for the back-off reports 0 active pods",
                "新 Pod 因退避而等待时，Job 报告活跃 Pod 数为 0",
            ),
            True: Text(
                "a Job whose new pods wait for the back-off reports the pods that are active",
                "新 Pod 因退避而等待时，Job 报告仍活跃的 Pod 数",
            ),
        },
    )
    jobs_may_not_be_more_ready_than_active: bool = rule(
        "",
        "pkg/apis/batch/validation/validation.go: validateJobStatus (RejectMoreReadyThanActivePods)",
        {
            True: Text(
                "the API server refuses a Job's status with more ready than active pods",
                "API 服务器拒绝就绪 Pod 多于活跃 Pod 的 Job 状态",
            ),
            False: Text(
                "the API server takes a Job's status with more ready than active pods",
                "API 服务器接受就绪 Pod 多于活跃 Pod 的 Job 状态",
            ),
        },
    )
