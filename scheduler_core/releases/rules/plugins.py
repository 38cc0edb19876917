"""Rules of plugins that differ between releases."""

from __future__ import annotations

from dataclasses import dataclass

from scheduler_core.apis.messages import Text
from scheduler_core.releases.rules.rule import rule


@dataclass(frozen=True, kw_only=True)
class PluginRules:
    """Rules of plugins."""

    taint_toleration_reason_names_the_taint: bool = rule(
        "TaintToleration",
        "plugins/tainttoleration/taint_toleration.go: Filter",
        {
            False: Text(
                "the reason is the same for every taint: node(s) had untolerated taint(s)",
                "对所有污点都用同一条原因：node(s) had untolerated taint(s)",
            ),
            True: Text("the reason names the first taint that is not tolerated", "原因会写出第一个未被容忍的污点"),
        },
    )
    inter_pod_affinity_hint_sees_both_sides: bool = rule(
        "InterPodAffinity",
        "plugins/interpodaffinity/plugin.go: isSchedulableAfterPodChange",
        {
            True: Text(
                (
                    "a rejected pod is retried when a pod whose anti-affinity rejected it is deleted, and when its own "
                    "labels change"
                ),
                "因其反亲和性而拒绝该 Pod 的 Pod 被删除时，或该 Pod 自己的标签改变时，它会重试",
            ),
            False: Text(
                (
                    "a rejected pod is retried only for pods that its own terms match; deleting a pod whose "
                    "anti-affinity rejected it has no effect"
                ),
                "被拒绝的 Pod 只因它自己的条件所匹配的 Pod 而重试；删除以反亲和性拒绝它的 Pod 不起作用",
            ),
        },
    )
    inter_pod_affinity_hint_takes_any_anti_affinity_term: bool = rule(
        "InterPodAffinity",
        "plugins/interpodaffinity/plugin.go: isSchedulableAfterPodChange",
        {
            False: Text(
                "a rejected pod is retried after a pod that matched all its anti-affinity terms has left",
                "匹配其全部反亲和条件的 Pod 离开后，被拒绝的 Pod 会重试",
            ),
            True: Text(
                "a rejected pod is retried after a pod that matched any of its anti-affinity terms has left",
                "匹配其任一反亲和条件的 Pod 离开后，被拒绝的 Pod 会重试",
            ),
        },
    )
    topology_spread_hint_counts_nominated_pods: bool = rule(
        "PodTopologySpread",
        "plugins/podtopologyspread/plugin.go: involvedInTopologySpreading",
        {
            True: Text(
                "a rejected pod is also retried when a pod of its namespace loses its nominated node",
                "同一命名空间的 Pod 失去提名节点时，被拒绝的 Pod 也会重试",
            ),
            False: Text(
                "a rejected pod is retried only for pods of its namespace that are bound",
                "被拒绝的 Pod 只因同一命名空间中已绑定的 Pod 而重试",
            ),
        },
    )
    image_volumes_raise_the_threshold: bool = rule(
        "ImageLocality",
        "plugins/imagelocality/image_locality.go: calculatePriority",
        {
            False: Text(
                "images of volumes add to the score, but not to the 1000 MiB per image that the full score needs",
                "卷的镜像计入得分，但不计入满分所需的每镜像 1000 MiB",
            ),
            True: Text(
                "images of volumes count like those of containers",
                "卷的镜像与容器的镜像同样计算",
            ),
        },
    )
    image_volumes_are_scored: bool = rule(
        "ImageLocality",
        "plugins/imagelocality/image_locality.go: sumImageScores",
        {
            True: Text("images of volumes are scored", "卷的镜像参与打分"),
            False: Text("only images of containers are scored", "只有容器的镜像参与打分"),
        },
    )
    dynamic_resources_says_that_there_are_no_claims: bool = rule(
        "DynamicResources",
        "plugins/dynamicresources/dynamicresources.go: PostFilter",
        {
            True: Text(
                "PostFilter adds to the message of a pod without claims: no new claims to deallocate",
                "对没有资源申领的 Pod，PostFilter 在消息中加上：no new claims to deallocate",
            ),
            False: Text(
                "PostFilter adds nothing to the message of a pod without claims",
                "对没有资源申领的 Pod，PostFilter 不在消息中添加任何内容",
            ),
        },
    )
    balanced_allocation_scores_the_improvement: bool = rule(
        "NodeResourcesBalancedAllocation",
        "plugins/noderesources/balanced_allocation.go: balancedResourceScorer",
        {
            True: Text(
                "the score is how much the pod improves the balance of the node, from 50 to 100",
                "得分表示该 Pod 使节点的均衡改善多少，从 50 到 100",
            ),
            False: Text(
                "the score is how balanced the node is with the pod on it, from 50 to 100",
                "得分表示加上该 Pod 后节点有多均衡，从 50 到 100",
            ),
        },
    )
    pods_without_preferences_are_not_scored: bool = rule(
        "",
        "framework/plugins/interpodaffinity/scoring.go, podtopologyspread/scoring.go: PreScore",
        {
            True: Text(
                (
                    "InterPodAffinity and PodTopologySpread are skipped in scoring if the pod has no preferences for "
                    "them"
                ),
                "若 Pod 对其没有偏好，InterPodAffinity 和 PodTopologySpread 不参与打分",
            ),
            False: Text(
                (
                    "InterPodAffinity and PodTopologySpread give all nodes the same score if the pod has no "
                    "preferences for them"
                ),
                "若 Pod 对其没有偏好，InterPodAffinity 和 PodTopologySpread 给所有节点同样的分",
            ),
        },
    )
    empty_selectors_count_no_pod: bool = rule(
        "PodTopologySpread",
        "plugins/podtopologyspread/common.go: countPodsMatchSelector",
        {
            True: Text("an empty label selector matches no pod", "空的标签选择器不匹配任何 Pod"),
            False: Text(
                "an empty label selector matches all pods of the namespace", "空的标签选择器匹配该命名空间的所有 Pod"
            ),
        },
    )
    every_term_names_a_node: bool = rule(
        "NodeAffinity",
        "plugins/nodeaffinity/node_affinity.go: PreFilter",
        {
            False: Text("PreFilter keeps the nodes that any term names", "PreFilter 保留任一条件点名的节点"),
            True: Text(
                "a term that names no node makes the pod unschedulable, whatever the other terms name",
                "若有一个条件没有点名任何节点，Pod 即不可调度，无论其他条件如何",
            ),
        },
    )
