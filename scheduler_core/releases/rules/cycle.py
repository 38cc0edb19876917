"""Rules of the scheduling and binding cycles that differ between releases."""

from __future__ import annotations

from dataclasses import dataclass

from scheduler_core.apis.messages import Text
from scheduler_core.releases.rules.rule import rule


@dataclass(frozen=True, kw_only=True)
class CycleRules:
    """Rules of the cycles."""

    ties_are_broken_at_random: bool = rule(
        "",
        "schedule_one.go: newSortedNodeScores, selectHost",
        {
            False: Text(
                (
                    "if several nodes have the highest score, the top of the binary heap is selected, which is not "
                    "random"
                ),
                "若多个节点得分最高，选取二叉堆堆顶的节点，这并不随机",
            ),
            True: Text(
                "if several nodes have the highest score, one of them is selected at random",
                "若多个节点得分最高，随机选取其中一个",
            ),
        },
    )
    batches_score_the_last_node_again: bool = rule(
        "",
        "framework/runtime/batch.go: refreshHintCandidates, rescoreHintedNode",
        {
            False: Text(
                (
                    "OpportunisticBatching: a pod like the previous one is tried on the next best node if the previous "
                    "node has no room for it; otherwise all nodes are checked"
                ),
                (
                    "OpportunisticBatching：与前一个 Pod 相同的 Pod，若前一个节点放不下它，就先试次优节点；"
                    "否则检查所有节点"
                ),
            ),
            True: Text(
                (
                    "OpportunisticBatching: a pod like the previous one is tried on the best of the nodes that were "
                    "scored for it; the previous node, if it still has room, is scored again"
                ),
                (
                    "OpportunisticBatching：与前一个 Pod 相同的 Pod，先试已打过分的节点中最好的一个；"
                    "前一个节点若仍放得下，就重新打分后参与比较"
                ),
            ),
        },
    )
    binding_a_nominated_pod_wakes_others: bool = rule(
        "",
        "eventhandlers.go: deletePodFromSchedulingQueue",
        {
            False: Text(
                "no pod is retried when a pod with a nominated node is bound",
                "带有提名节点的 Pod 绑定后，没有 Pod 会因此重试",
            ),
            True: Text(
                (
                    "when a pod with a nominated node is bound, waiting pods of its priority or lower are retried, as "
                    "if it had been deleted"
                ),
                "带有提名节点的 Pod 绑定后，优先级不高于它的等待中的 Pod 会重试，如同它被删除",
            ),
        },
    )
    preemption_says_where_it_found_room: bool = rule(
        "DefaultPreemption",
        "framework/preemption/preemption.go: Preempt",
        {
            False: Text(
                "the message of a pod that preempts others does not say so",
                "抢占其他 Pod 的 Pod，其消息不提抢占",
            ),
            True: Text(
                "the message of a pod that preempts others names the node and the number of victims",
                "抢占其他 Pod 的 Pod，其消息写出节点和牺牲者的数量",
            ),
        },
    )
    terminating_victims_are_marked: bool = rule(
        "DefaultPreemption",
        "framework/preemption/preemption.go: prepareCandidate",
        {
            False: Text("a victim that is already terminating is skipped", "已在终止中的牺牲者会被跳过"),
            True: Text(
                (
                    "a victim that is already terminating still gets the DisruptionTarget condition, and blocks the "
                    "next preemption by the same pod"
                ),
                "已在终止中的牺牲者仍会得到 DisruptionTarget 状况，并阻止同一个 Pod 的下一次抢占",
            ),
        },
    )
    nodes_excluded_by_pre_filter: str = rule(
        "",
        "schedule_one.go: findNodesThatFitPod",
        {
            "reported": Text(
                "nodes excluded by PreFilter are reported with the plugins that excluded them",
                "被 PreFilter 排除的节点会连同排除它们的插件一起报告",
            ),
            "unreported": Text(
                "nodes excluded by PreFilter are not reported in the message", "消息中不报告被 PreFilter 排除的节点"
            ),
            "rejected": Text(
                "nodes excluded by PreFilter each get a rejected status, as from a filter",
                "被 PreFilter 排除的节点各自得到拒绝状态，如同被过滤器拒绝",
            ),
            "without status": Text(
                "nodes excluded by PreFilter get no status, so preemption tries them",
                "被 PreFilter 排除的节点没有状态，因此抢占会尝试它们",
            ),
        },
    )
    search_position_counts_narrowed_nodes: bool = rule(
        "",
        "schedule_one.go: findNodesThatFitPod",
        {
            False: Text(
                "the next search starts after the nodes that were processed, counted over all nodes",
                "下一次查找从已处理的节点之后开始，按全部节点计数",
            ),
            True: Text(
                "the next search starts after the nodes that were processed, counted over those that PreFilter kept",
                "下一次查找从已处理的节点之后开始，按 PreFilter 保留的节点计数",
            ),
        },
    )
    narrowing_plugins_are_blamed: bool = rule(
        "",
        "framework/runtime/framework.go: RunPreFilterPlugins",
        {
            True: Text(
                "plugins that exclude nodes in PreFilter are among the plugins that rejected the pod",
                "在 PreFilter 中排除节点的插件，算作拒绝了 Pod 的插件",
            ),
            False: Text(
                "plugins that exclude nodes in PreFilter are not among the plugins that rejected the pod",
                "在 PreFilter 中排除节点的插件，不算作拒绝了 Pod 的插件",
            ),
        },
    )
    victims_get_the_preemptors_status: bool = rule(
        "DefaultPreemption",
        "framework/preemption/preemption.go: prepareCandidate",
        {
            False: Text(
                "a victim keeps its status and gets the DisruptionTarget condition",
                "牺牲者保留自己的状态，并得到 DisruptionTarget 状况",
            ),
            True: Text(
                "a victim is given the preemptor's status by mistake, and loses its start time",
                "牺牲者被误写为抢占者的状态，因而失去启动时间",
            ),
        },
    )
    preemption_tries_all_but_unresolvable: bool = rule(
        "DefaultPreemption",
        "framework/preemption/preemption.go: nodesWherePreemptionMightHelp",
        {
            False: Text("preemption tries nodes whose status is Unschedulable", "抢占尝试状态为 Unschedulable 的节点"),
            True: Text(
                "preemption tries all nodes whose status is not UnschedulableAndUnresolvable",
                "抢占尝试状态不是 UnschedulableAndUnresolvable 的所有节点",
            ),
        },
    )
    nodes_named_by_pre_filter_must_exist: bool = rule(
        "",
        "schedule_one.go: findNodesThatFitPod",
        {
            False: Text("PreFilter may name nodes that do not exist", "PreFilter 可以指明不存在的节点"),
            True: Text(
                "the attempt fails with an error if PreFilter names a node that does not exist",
                "如果 PreFilter 指明了不存在的节点，这次尝试会出错",
            ),
        },
    )
    no_node_left_is_unresolvable: bool = rule(
        "",
        "framework/runtime/framework.go: RunPreFilterPlugins",
        {
            True: Text(
                "if PreFilter excludes all nodes, preemption is not tried", "若 PreFilter 排除了所有节点，不尝试抢占"
            ),
            False: Text(
                "if PreFilter excludes all nodes, preemption is tried", "若 PreFilter 排除了所有节点，仍尝试抢占"
            ),
        },
    )
    pre_filter_goes_on_after_a_plain_rejection: bool = rule(
        "",
        "framework/runtime/framework.go: RunPreFilterPlugins",
        {
            True: Text(
                "after an Unschedulable status the remaining PreFilter plugins still run",
                "出现 Unschedulable 状态后，其余 PreFilter 插件仍会运行",
            ),
            False: Text("any rejection stops PreFilter", "任何拒绝都会结束 PreFilter"),
        },
    )
    pre_filter_skips: str = rule(
        "",
        "framework/plugins, PreFilter of interpodaffinity/filtering.go, podtopologyspread/filtering.go and "
        "volumerestrictions/volume_restrictions.go: PreFilter",
        {
            "all": Text(
                "a plugin that has nothing to check for the pod is skipped, even if pods are nominated to the node",
                "对该 Pod 无需检查的插件会被跳过，即使节点上有提名的 Pod",
            ),
            "affinity": Text(
                (
                    "PodTopologySpread and VolumeRestrictions are never skipped: a nominated pod that uses the same "
                    "ReadWriteOncePod claim makes its node infeasible"
                ),
                "PodTopologySpread 和 VolumeRestrictions 从不跳过："
                "若提名的 Pod 使用同一个 ReadWriteOncePod 申领，其节点不可行",
            ),
            "none": Text(
                (
                    "InterPodAffinity, PodTopologySpread and VolumeRestrictions are never skipped: a nominated pod "
                    "whose anti-affinity matches the pod makes its node infeasible"
                ),
                "InterPodAffinity、PodTopologySpread 和 VolumeRestrictions 从不跳过："
                "若提名的 Pod 的反亲和性与该 Pod 匹配，其节点不可行",
            ),
        },
    )
    search_ignores_scorers: bool = rule(
        "",
        "schedule_one.go: findNodesThatPassFilters",
        {
            False: Text(
                "if neither plugins nor extenders score, the search stops at the first feasible node",
                "若没有插件或扩展程序打分，找到第一个可行节点即停止查找",
            ),
            True: Text(
                "the search finds the same number of feasible nodes, even if nothing scores them",
                "即使没有打分，也要找到同样数量的可行节点",
            ),
        },
    )
    extenders_are_blamed: bool = rule(
        "",
        "schedule_one.go: findNodesThatFitPod",
        {
            True: Text(
                "a pod that an extender rejected is retried after any event", "被扩展程序拒绝的 Pod，在任何事件之后重试"
            ),
            False: Text(
                "an extender is not among the plugins that rejected the pod", "扩展程序不算作拒绝了 Pod 的插件"
            ),
        },
    )
    ignorable_extenders_may_fail_to_bind: bool = rule(
        "",
        "schedule_one.go: extendersBinding",
        {
            True: Text(
                "if an ignorable extender fails to bind, the next binder is used",
                "若可忽略的扩展程序绑定失败，由下一个绑定者处理",
            ),
            False: Text(
                "the binding fails if any extender fails to bind, even an ignorable one",
                "任何扩展程序绑定失败，绑定即失败，可忽略的也不例外",
            ),
        },
    )
    post_filter_message_gets_a_dot: bool = rule(
        "",
        "framework/types.go: FitError.Error",
        {
            False: Text("the PostFilter message is appended as it is", "PostFilter 的消息原样附上"),
            True: Text("the PostFilter message is appended with a final period", "PostFilter 的消息附上时末尾加句点"),
        },
    )
    scores_are_allocated_without_skipped: bool = rule(
        "",
        "framework/runtime/framework.go: RunScorePlugins",
        {
            False: Text("PreScore may skip any number of plugins", "PreScore 可以跳过任意数量的插件"),
            True: Text(
                "the scheduler panics if PreScore skips more plugins than there are Score plugins",
                "若 PreScore 跳过的插件多于 Score 插件，调度器会 panic",
            ),
        },
    )
    pre_filter_rejects_every_node: bool = rule(
        "",
        "schedule_one.go: findNodesThatFitPod",
        {
            True: Text(
                "if PreFilter rejects the pod, every node gets that status",
                "若 PreFilter 拒绝了 Pod，每个节点都得到该状态",
            ),
            False: Text(
                "if PreFilter rejects the pod, preemption is tried on every node, although it cannot succeed",
                "若 PreFilter 拒绝了 Pod，仍在每个节点上尝试抢占，虽然不可能成功",
            ),
        },
    )
    post_filter_errors_are_reported: bool = rule(
        "",
        "schedule_one.go: schedulingCycle",
        {
            True: Text("PostFilter errors appear in the message", "消息中包含 PostFilter 的错误"),
            False: Text("PostFilter errors do not appear in the message", "消息中不包含 PostFilter 的错误"),
        },
    )
    only_victims_of_preemption_block_it: bool = rule(
        "DefaultPreemption",
        "plugins/defaultpreemption/default_preemption.go: PodEligibleToPreemptOthers",
        {
            True: Text(
                (
                    "a pod does not preempt again while pods that preemption evicted are terminating on its nominated "
                    "node"
                ),
                "提名节点上由抢占驱逐的 Pod 还在终止时，Pod 不会再次抢占",
            ),
            False: Text(
                "a pod does not preempt again while any pod of lower priority is terminating on its nominated node",
                "提名节点上有任何优先级更低的 Pod 还在终止时，Pod 不会再次抢占",
            ),
        },
    )
    first_rejection_ends_filtering: bool = rule(
        "",
        "framework/runtime/framework.go: RunFilterPlugins",
        {
            True: Text(
                "filtering of a node stops at the first plugin that rejects it", "节点被第一个插件拒绝后，不再继续过滤"
            ),
            False: Text(
                "all plugins filter every node: the reasons are merged, and the strongest rejection counts",
                "所有插件都过滤每个节点：合并原因，以最强的拒绝为准",
            ),
        },
    )
    pre_filter_reasons_are_counted: bool = rule(
        "",
        "schedule_one.go: findNodesThatFitPod",
        {
            False: Text("the message contains the PreFilter reason once", "消息中 PreFilter 的原因只出现一次"),
            True: Text(
                "the message counts the PreFilter reason for every node", "消息中对每个节点都计入 PreFilter 的原因"
            ),
        },
    )
    bind_errors_are_prefixed: bool = rule(
        "",
        "schedule_one.go: scheduleOne",
        {
            False: Text("a Bind error appears in the message as it is", "Bind 的错误在消息中原样出现"),
            True: Text(
                "a Bind error is prefixed with “binding rejected” in the message",
                "消息中 Bind 的错误前加有 “binding rejected”",
            ),
        },
    )
    victims_get_a_condition: bool = rule(
        "DefaultPreemption",
        "framework/preemption/preemption.go: prepareCandidate",
        {
            True: Text(
                "victims get the DisruptionTarget condition before they are deleted",
                "牺牲者在删除前得到 DisruptionTarget 状况",
            ),
            False: Text("victims get no condition before they are deleted", "牺牲者在删除前得不到任何状况"),
        },
    )
