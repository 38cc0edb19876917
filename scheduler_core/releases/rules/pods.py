"""Rules for pods' resources, ports, volumes and images, and a few others, that differ between releases."""

from __future__ import annotations

from dataclasses import dataclass

from scheduler_core.apis.messages import Text
from scheduler_core.releases.rules.rule import rule


@dataclass(frozen=True, kw_only=True)
class PodRules:
    """Rules for the resources, ports, volumes and images of pods, and for their hints and victims."""

    too_large_requests_are_unresolvable: bool = rule(
        "NodeResourcesFit",
        "plugins/noderesources/fit.go: Filter",
        {
            True: Text(
                "a request that exceeds the node's allocatable amount is UnschedulableAndUnresolvable",
                "请求量超过节点可分配总量时，状态为 UnschedulableAndUnresolvable",
            ),
            False: Text(
                "a request that exceeds the node's allocatable amount is Unschedulable, so preemption is tried",
                "请求量超过节点可分配总量时，状态为 Unschedulable，因此会尝试抢占",
            ),
        },
    )
    node_ports_counts_sidecars: bool = rule(
        "NodePorts",
        "plugins/nodeports/node_ports.go: getContainerPorts",
        {
            True: Text("host ports of sidecar containers are checked", "检查边车容器的主机端口"),
            False: Text("host ports of sidecar containers are not checked", "不检查边车容器的主机端口"),
        },
    )
    claim_in_use_reason_names_the_node: bool = rule(
        "VolumeRestrictions",
        "plugins/volumerestrictions/volume_restrictions.go: ErrReasonReadWriteOncePodConflict",
        {
            False: Text(
                "the reason is that another pod uses the ReadWriteOncePod claim",
                "原因写作：另一个 Pod 正在使用该 ReadWriteOncePod 申领",
            ),
            True: Text(
                "the reason is that the node has a pod that uses the ReadWriteOncePod claim",
                "原因写作：节点上有 Pod 正在使用该 ReadWriteOncePod 申领",
            ),
        },
    )
    balanced_allocation_skips_best_effort_pods: bool = rule(
        "NodeResourcesBalancedAllocation",
        "plugins/noderesources/balanced_allocation.go: PreScore",
        {
            True: Text("a pod that requests nothing is not scored", "什么都不请求的 Pod 不参与打分"),
            False: Text("a pod that requests nothing is scored like any other", "什么都不请求的 Pod 照常打分"),
        },
    )
    volume_limits_follow_csi_nodes: bool = rule(
        "NodeVolumeLimits",
        "plugins/nodevolumelimits/csi.go: EventsToRegister",
        {
            True: Text("pods are retried when a CSINode raises its volume limit", "CSINode 提高卷上限后，Pod 会重试"),
            False: Text(
                (
                    "no pod is retried when a CSINode raises its volume limit, and all are when any VolumeAttachment "
                    "is deleted"
                ),
                "CSINode 提高卷上限后没有 Pod 会重试；任何 VolumeAttachment 被删除后所有 Pod 都会重试",
            ),
        },
    )
    volume_binding_reason_names_the_volume: bool = rule(
        "VolumeBinding",
        "plugins/volumebinding/binder.go: ErrReasonNodeConflict",
        {
            True: Text(
                "the reason is that the node does not match the volume's node affinity",
                "原因写作：节点不匹配卷的节点亲和性",
            ),
            False: Text("the reason is a volume node affinity conflict", "原因写作：卷的节点亲和性冲突"),
        },
    )
    inter_pod_affinity_hint_compares_labels: bool = rule(
        "InterPodAffinity",
        "plugins/interpodaffinity/plugin.go: isSchedulableAfterNodeChange",
        {
            True: Text(
                "a node event retries a pod if a label that a term uses was added, removed or changed",
                "节点上某个条件所用的标签有增加、删除或改变时，Pod 会重试",
            ),
            False: Text(
                "a node event retries a pod whenever the node has a label that a term uses",
                "只要节点带有某个条件所用的标签，节点事件就会让 Pod 重试",
            ),
        },
    )
    fit_compares_requests_of_zero: bool = rule(
        "NodeResourcesFit",
        "plugins/noderesources/fit.go: fitsRequest",
        {
            False: Text("resources that a pod does not request are not checked", "Pod 没有请求的资源不检查"),
            True: Text(
                (
                    "a pod that requests anything does not fit a node whose cpu, memory or ephemeral storage is "
                    "overcommitted"
                ),
                "只要 Pod 有请求，cpu、内存或临时存储超额的节点就放不下它",
            ),
        },
    )
    volume_limits_count_attachments: bool = rule(
        "NodeVolumeLimits",
        "plugins/nodevolumelimits/csi.go: Filter",
        {
            True: Text(
                "VolumeAttachments are counted in addition to the volumes of pods; limits come from CSINodes",
                "除 Pod 的卷外也计入 VolumeAttachment；上限取自 CSINode",
            ),
            False: Text(
                "only the volumes of pods are counted; limits may also come from the node's allocatable resources",
                "只计入 Pod 的卷；上限也可取自节点的可分配资源",
            ),
        },
    )
    missing_claims_fail_the_counting: bool = rule(
        "NodeVolumeLimits",
        "plugins/nodevolumelimits/csi.go, non_csi.go: Filter",
        {
            False: Text(
                "a claim that does not exist makes the pod UnschedulableAndUnresolvable",
                "申领不存在时，Pod 为 UnschedulableAndUnresolvable",
            ),
            True: Text(
                (
                    "a claim that does not exist makes the attempt fail with an error, unless another plugin rejects "
                    "the pod first"
                ),
                "申领不存在时尝试以错误结束，除非先有别的插件拒绝了 Pod",
            ),
        },
    )
    volume_binding_narrows_to_local_volumes: bool = rule(
        "VolumeBinding",
        "plugins/volumebinding/binder.go: GetEligibleNodes",
        {
            False: Text("PreFilter excludes no node", "PreFilter 不排除任何节点"),
            True: Text(
                "PreFilter keeps only the nodes whose hostname label the bound volumes require",
                "PreFilter 只保留已绑定卷以 hostname 标签要求的节点",
            ),
        },
    )
    pods_on_nodes_count_sidecars: bool = rule(
        "NodeResourcesFit",
        "framework/types.go: calculateResource",
        {
            True: Text(
                "sidecar containers of running pods are added to their other containers in the score",
                "打分时，运行中 Pod 的边车容器与其他容器相加",
            ),
            False: Text(
                "sidecar containers of running pods count in the score only as init containers",
                "打分时，运行中 Pod 的边车容器只按 Init 容器计算",
            ),
        },
    )
    resize_compares_sums: bool = rule(
        "NodeResourcesFit",
        "component-helpers/resource/helpers.go: AggregateContainerRequests",
        {
            False: Text(
                (
                    "during a resize, the largest of the desired, allocated and actual requests of each container is "
                    "added up"
                ),
                "调整大小期间，取每个容器期望、已分配与实际请求中的最大值，再相加",
            ),
            True: Text(
                (
                    "during a resize, the desired, allocated and actual requests of all containers are added up, and "
                    "the largest sum counts"
                ),
                "调整大小期间，所有容器的期望、已分配与实际请求分别相加，取其中最大的和",
            ),
        },
    )
    victims_are_sorted_again: bool = rule(
        "DefaultPreemption",
        "plugins/defaultpreemption/default_preemption.go: SelectVictimsOnNode",
        {
            True: Text("victims are ordered by importance", "牺牲者按重要性排序"),
            False: Text("victims that violate a disruption budget come first", "违反干扰预算的牺牲者排在前面"),
        },
    )
    node_affinity_scores_preferences_only: bool = rule(
        "NodeAffinity",
        "plugins/nodeaffinity/node_affinity.go: PreScore",
        {
            True: Text("a pod without preferences is not scored", "没有偏好的 Pod 不参与打分"),
            False: Text("a pod without preferences scores 0 on every node", "没有偏好的 Pod 在每个节点上得 0 分"),
        },
    )
    image_locality_counts_init_containers: bool = rule(
        "ImageLocality",
        "plugins/imagelocality/image_locality.go: sumImageScores",
        {
            True: Text("images of init containers are counted", "计入 Init 容器的镜像"),
            False: Text("images of init containers are not counted", "不计入 Init 容器的镜像"),
        },
    )
    images_are_counted_once: bool = rule(
        "ImageLocality",
        "internal/cache/cache.go: addNodeImageStates",
        {
            False: Text(
                "the number of nodes that have an image is updated when nodes are added or deleted",
                "拥有某镜像的节点数，随节点的增删更新",
            ),
            True: Text(
                (
                    "the number of nodes that have an image is taken when a node is added or updated, and is not "
                    "updated afterwards"
                ),
                "拥有某镜像的节点数在节点加入或更新时计算，之后不再更新",
            ),
        },
    )
    volume_zone_matches_stable_labels: bool = rule(
        "VolumeZone",
        "plugins/volumezone/volume_zone.go: Filter",
        {
            True: Text(
                "a volume's beta zone label also matches the node's stable label",
                "卷的 beta 可用区标签也匹配节点的稳定标签",
            ),
            False: Text(
                "a volume's beta zone label matches only the same label of the node",
                "卷的 beta 可用区标签只匹配节点上的同名标签",
            ),
        },
    )
    volume_zone_reads_claims_on_zoned_nodes: bool = rule(
        "VolumeZone",
        "plugins/volumezone/volume_zone.go: Filter",
        {
            False: Text("claims are looked up once, in PreFilter", "申领在 PreFilter 中一次性查找"),
            True: Text(
                "claims are looked up for each node that has a zone or region label",
                "对每个带有可用区或地域标签的节点查找申领",
            ),
        },
    )
    scorers_read_cpu_overhead_as_cores: bool = rule(
        "NodeResourcesFit",
        "plugins/noderesources/resource_allocation.go: calculatePodResourceRequest",
        {
            False: Text(
                "the cpu of a pod's overhead is read in millicores for scores", "打分时，Pod 开销中的 cpu 以毫核计"
            ),
            True: Text(
                "the cpu of a pod's overhead is rounded up to cores and then read as millicores for scores",
                "打分时，Pod 开销中的 cpu 先向上取整到核，再当作毫核",
            ),
        },
    )
    inline_volumes_need_a_csi_node: bool = rule(
        "NodeVolumeLimits",
        "plugins/nodevolumelimits/csi.go: checkAttachableInlineVolume",
        {
            False: Text(
                "inline volumes are not counted on a node without a CSINode", "节点没有 CSINode 时，不计入内联卷"
            ),
            True: Text(
                "an in-tree inline volume makes the scheduler panic on a node without a CSINode",
                "节点没有 CSINode 时，树内内联卷会使调度器 panic",
            ),
        },
    )
    migrations_that_csi_nodes_name: str = rule(
        "NodeVolumeLimits",
        "plugins/nodevolumelimits/utils.go: isCSIMigrationOn",
        {
            "": Text(
                "in-tree volumes count as volumes of their CSI driver on every node with a CSINode",
                "在有 CSINode 的节点上，树内卷按其 CSI 驱动的卷计算",
            ),
            "portworxVolume": Text(
                (
                    "in-tree Portworx volumes count as volumes of their CSI driver only where the CSINode lists their "
                    "plugin as migrated"
                ),
                "树内 Portworx 卷仅在 CSINode 列明其插件已迁移时，才按其 CSI 驱动的卷计算",
            ),
            "portworxVolume gcePersistentDisk": Text(
                (
                    "in-tree Portworx and GCE volumes count as volumes of their CSI driver only where the CSINode "
                    "lists their plugin as migrated"
                ),
                "树内 Portworx 和 GCE 卷仅在 CSINode 列明其插件已迁移时，才按其 CSI 驱动的卷计算",
            ),
            "portworxVolume gcePersistentDisk awsElasticBlockStore azureDisk": Text(
                (
                    "in-tree Portworx, GCE, AWS and Azure volumes count as volumes of their CSI driver only where the "
                    "CSINode lists their plugin as migrated"
                ),
                "树内 Portworx、GCE、AWS 和 Azure 卷仅在 CSINode 列明其插件已迁移时，才按其 CSI 驱动的卷计算",
            ),
        },
    )
    fit_compares_extended_requests_of_zero: bool = rule(
        "NodeResourcesFit",
        "plugins/noderesources/fit.go: fitsRequest",
        {
            False: Text(
                "an extended resource that a pod requests with amount 0 is not checked",
                "Pod 请求量为 0 的扩展资源不检查",
            ),
            True: Text(
                "an extended resource that a pod requests with amount 0 must not be overcommitted on the node",
                "Pod 请求量为 0 的扩展资源，在节点上不得超额",
            ),
        },
    )
    binding_sets_the_start_time: bool = rule(
        "DefaultPreemption",
        "internal/cache/cache.go: AddPod",
        {
            True: Text("a pod has a start time as soon as it is bound", "Pod 从绑定起即有启动时间"),
            False: Text(
                (
                    "a bound pod has no start time until its next update; of several such victims, and of nodes with "
                    "only such victims, the last one comes first"
                ),
                "绑定后的 Pod 在下次更新前没有启动时间；"
                "若有多个这样的牺牲者，或多个只有这样的牺牲者的节点，最后一个排在最前",
            ),
        },
    )
