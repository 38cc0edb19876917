"""Rules of the schedulers before 1.19, when not all steps were part of the framework."""

from __future__ import annotations

from dataclasses import dataclass

from scheduler_core.apis.messages import Text
from scheduler_core.releases.rules.rule import rule


@dataclass(frozen=True, kw_only=True)
class RulesBefore119:
    """Rules of the schedulers before 1.19."""

    generic_scheduler: bool = rule(
        "",
        "core/generic_scheduler.go: Schedule, Preempt",
        {
            False: Text(
                "plugins run every step, preemption is one of them, and a nominated node is tried first",
                "每一步都由插件执行，抢占也是其中之一，并先尝试被提名的节点",
            ),
            True: Text(
                (
                    "the scheduling algorithm itself checks the pod's claims first, searches all nodes even for a "
                    "nominated pod, and preempts after every search without result; preemption tries every node and "
                    "writes the nomination before the failure"
                ),
                "由调度算法自身先检查 Pod 的申领；即使 Pod 已被提名，也搜索所有节点；每次搜索无果后执行抢占；"
                "抢占尝试每个节点，并先写入提名再记录失败",
            ),
        },
    )
    nodes_are_taken_from_the_tree: bool = rule(
        "",
        "internal/cache/node_tree.go: Next",
        {
            False: Text(
                "each search continues in the list of the snapshot; the beta or the stable label determines the zone",
                "每次搜索都绕快照的列表进行；可用区由 beta 标签或稳定标签确定",
            ),
            True: Text(
                "each search takes its nodes from the tree of zones one by one, and the next search continues after "
                "the last one; only the beta labels determine the zone",
                "每次搜索从可用区树中逐个取节点，下一次搜索从最后取出的节点之后继续；可用区只由 beta 标签确定",
            ),
        },
    )
    failure_precedes_preemption: bool = rule(
        "",
        "scheduler.go: scheduleOne",
        {
            False: Text("preemption comes before the pod's condition is written", "先抢占，再写入 Pod 的状况"),
            True: Text("the pod's condition is written before preemption", "先写入 Pod 的状况，再抢占"),
        },
    )
    backoff_is_stored_separately: bool = rule(
        "",
        "internal/queue/pod_backoff.go: PodBackoffMap",
        {
            False: Text("the backoff grows with the attempts of the pod", "退避时间随 Pod 的尝试次数增长"),
            True: Text(
                "the backoff is stored separately from the pod and dropped after 10 seconds; it then starts again "
                "with 1 second",
                "退避与 Pod 分开保存，10 秒后被遗忘，然后重新从 1 秒开始",
            ),
        },
    )
    ties_are_taken_in_turn: bool = rule(
        "",
        "core/generic_scheduler.go: selectHost",
        {
            False: Text(
                "if several nodes have the highest score, one of them is selected at random",
                "最佳节点得分相同时随机选择",
            ),
            True: Text(
                "if several nodes have the highest score, they are selected in turn", "得分相同的最佳节点轮流选用"
            ),
        },
    )
    affinity_counters_may_be_missing: bool = rule(
        "InterPodAffinityPriority",
        "algorithm/priorities/interpod_affinity.go: processTerm",
        {
            False: Text("every node has a counter for affinity", "每个节点都有亲和计数器"),
            True: Text(
                "the scheduler panics if a term of an existing pod changes the score of a node without pods that have "
                "affinity",
                "如果已有 Pod 的规则给一个没有带亲和规则的 Pod 的节点加分，调度器会 panic",
            ),
        },
    )
    capacity_ratio_weighs_resources: bool = rule(
        "RequestedToCapacityRatioPriority",
        "algorithm/priorities/requested_to_capacity_ratio.go: buildRequestedToCapacityRatioScorerFunction",
        {
            True: Text(
                "the score is the rounded mean over the resources of the Policy, of those that score more than 0",
                "得分是 Policy 所列资源中得分大于 0 者的加权平均值，四舍五入",
            ),
            False: Text(
                "the score is half of the sum of the scores of cpu and memory, rounded down",
                "得分是 cpu 与内存得分之和的一半，向下取整",
            ),
        },
    )
    extenders_score_from_0_to_10: bool = rule(
        "",
        "core/generic_scheduler.go: PrioritizeNodes",
        {
            False: Text(
                "the scores of extenders are multiplied by ten: from 0 to 100", "扩展程序的得分乘以 10：从 0 到 100"
            ),
            True: Text(
                "the scores of extenders are added unchanged, from 0 to 10", "扩展程序的得分直接计入：从 0 到 10"
            ),
        },
    )
    pods_have_overhead: bool = rule(
        "",
        "nodeinfo/node_info.go: calculateResource",
        {
            True: Text("the overhead of a pod is added to its requests", "Pod 的开销计入其请求"),
            False: Text("the overhead of a pod is ignored", "Pod 的开销不计入"),
        },
    )
    plugins_as_of: str = rule(
        "",
        "algorithmprovider/registry.go: getDefaultConfig",
        {
            "": Text("plugins have their current scores and reasons", "插件的打分和原因与今天相同"),
            "1.18": Text(
                (
                    "plugins have the scores and reasons of 1.18: two scorers for resources, one for services, "
                    "and two reasons for each rejection by another pod's terms"
                ),
                "插件按 1.18 的方式打分和给出原因：资源由两个插件打分，服务由一个插件打分，"
                "因其他 Pod 的规则被拒绝时给出两条原因",
            ),
        },
    )
    victims_use_up_budgets: str = rule(
        "DefaultPreemption",
        "core/generic_scheduler.go: filterPodsWithPDBViolation",
        {
            "all": Text(
                "each victim uses up a disruption of every budget that covers it; pods that a budget counts as "
                "disrupted already use up none",
                "每个牺牲者消耗覆盖它的每个预算的一次干扰；预算已计为受干扰的 Pod 不再消耗",
            ),
            "until violated": Text(
                "each victim uses up a disruption of the budgets that cover it, up to the first one that it violates",
                "每个牺牲者消耗覆盖它的各预算的一次干扰，直到它违反的第一个预算为止",
            ),
            "none": Text(
                "victims use up no disruptions: a budget that allows at least one is never violated",
                "牺牲者不消耗干扰次数：预算只要允许一次，任何牺牲者都不算违反",
            ),
        },
    )
    every_event_moves_every_pod: bool = rule(
        "",
        "internal/queue/scheduling_queue.go: MoveAllToActiveOrBackoffQueue",
        {
            False: Text(
                "an event retries the pods that it may help",
                "事件只让它可能有帮助的 Pod 重试",
            ),
            True: Text(
                ("an event retries all unschedulable pods, or none; any update of a pod in backoff ends its backoff"),
                "事件要么让所有不可调度的 Pod 重试，要么都不重试；退避中的 Pod 一有更新，退避即结束",
            ),
        },
    )
