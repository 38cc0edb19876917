"""Rules of the scheduling queue that differ between releases."""

from __future__ import annotations

from dataclasses import dataclass

from scheduler_core.apis.messages import Text
from scheduler_core.releases.rules.rule import rule


@dataclass(frozen=True, kw_only=True)
class QueueRules:
    """Rules of the scheduling queue and of the event handlers."""

    backoff_counts_every_attempt: bool = rule(
        "",
        "backend/queue/backoff_queue.go: calculateBackoffDuration",
        {
            False: Text(
                "the backoff doubles with every rejection of the pod, or with every consecutive error",
                "每次被拒绝，或每次连续出错，退避时间都加倍",
            ),
            True: Text(
                "the backoff doubles with every attempt, whatever its result", "每次尝试后退避时间都加倍，无论结果如何"
            ),
        },
    )
    backoff_includes_its_end: bool = rule(
        "",
        "backend/queue/backoff_queue.go: isPodBackingoff",
        {
            True: Text(
                "a pod is still backing off at the exact time at which its backoff ends",
                "在退避恰好结束的时刻，Pod 仍在退避中",
            ),
            False: Text(
                "a pod is no longer backing off at the exact time at which its backoff ends",
                "在退避恰好结束的时刻，Pod 已不再退避",
            ),
        },
    )
    errors_back_off_apart: bool = rule(
        "",
        "backend/queue/backoff_queue.go: podErrorBackoffQ",
        {
            True: Text(
                "pods that failed with an error wait in a separate backoff queue",
                "因错误而失败的 Pod 在单独的退避队列中等待",
            ),
            False: Text(
                "pods that failed with an error share the backoff queue with all others",
                "因错误而失败的 Pod 与其他 Pod 共用退避队列",
            ),
        },
    )
    gated_pods_are_checked_on_every_event: bool = rule(
        "",
        "backend/queue/scheduling_queue.go: movePodsToActiveOrBackoffQueue",
        {
            False: Text(
                "a gated pod is checked again on events that its gating plugin registered",
                "被 PreEnqueue 挡住的 Pod，在挡住它的插件所注册的事件发生时重新检查",
            ),
            True: Text(
                "a gated pod is checked again on any event, unless it has scheduling gates",
                "被 PreEnqueue 挡住的 Pod 在任何事件发生时重新检查，除非它带有调度门控",
            ),
        },
    )
    gated_pods_keep_their_nomination: bool = rule(
        "",
        "backend/queue/scheduling_queue.go: addPod",
        {
            False: Text(
                "a pod that is gated when it is created takes no room on its nominated node until it is let in",
                "创建时就被门控的 Pod，在放行之前不占用提名节点上的空间",
            ),
            True: Text(
                "a pod that is gated when it is created takes room on its nominated node",
                "创建时就被门控的 Pod，也占用提名节点上的空间",
            ),
        },
    )
    nominations_wake_pods: bool = rule(
        "",
        "eventhandlers.go: updatePodInSchedulingQueue, deletePodFromSchedulingQueue",
        {
            True: Text(
                "when a nomination ends, waiting pods are retried as if a running pod had been deleted",
                "提名结束时，等待中的 Pod 会重试，如同有运行中的 Pod 被删除",
            ),
            False: Text("when a nomination ends, no waiting pod is retried", "提名结束时，不会有等待中的 Pod 因此重试"),
        },
    )
    event_handlers_check_pods: bool = rule(
        "",
        "eventhandlers.go: preCheckForNode, onStorageClassAdd",
        {
            False: Text(
                "queueing hints alone decide which pods are retried after an event",
                "某个事件之后哪些 Pod 重试，只由 QueueingHint 决定",
            ),
            True: Text(
                (
                    "a node event retries only pods that fit its free resources, labels, ports and taints; an event of "
                    "an assigned pod only those with matching affinity"
                ),
                "节点事件只让资源、标签、端口和污点都合适的 Pod 重试；已分配 Pod 的事件只让亲和规则与之匹配的 Pod 重试",
            ),
        },
    )
    events_match_when_covered: bool = rule(
        "",
        "framework/types.go: ClusterEvent.Match",
        {
            True: Text(
                "an event matches a plugin that registered all of its actions",
                "插件注册了事件的全部动作时，事件才算匹配",
            ),
            False: Text(
                "an event matches a plugin that registered any of its actions", "插件注册了事件的任一动作，事件就算匹配"
            ),
        },
    )
    new_node_events_include_taint_updates: bool = rule(
        "",
        "scheduler.go: buildQueueingHintMap",
        {
            True: Text(
                "taint updates are delivered to plugins that registered for new nodes",
                "污点变化也会通知注册了新节点事件的插件",
            ),
            False: Text(
                "taint updates are not delivered to plugins that registered only for new nodes",
                "污点变化不会通知只注册了新节点事件的插件",
            ),
        },
    )
    deleted_nodes_wake_pods: bool = rule(
        "",
        "eventhandlers.go: deleteNodeFromCache",
        {
            True: Text("pods are retried when a node is deleted", "删除节点后，Pod 会重试"),
            False: Text("no pod is retried when a node is deleted", "删除节点后，没有 Pod 会因此重试"),
        },
    )
    assigned_pods_requeue_spread_pods: bool = rule(
        "PodTopologySpread",
        "internal/queue/scheduling_queue.go: getUnschedulablePodsWithCrossTopologyTerm",
        {
            True: Text(
                "an assigned pod causes a retry of pods that were rejected for their topology spread",
                "有 Pod 分配到节点后，因拓扑分布被拒绝的 Pod 会重试",
            ),
            False: Text(
                "an assigned pod does not cause a retry of pods that were rejected for their topology spread",
                "有 Pod 分配到节点后，因拓扑分布被拒绝的 Pod 不会重试",
            ),
        },
    )
    assigned_pod_updates_are_split: bool = rule(
        "",
        "internal/queue/scheduling_queue.go: AssignedPodUpdated",
        {
            True: Text(
                "an update of an assigned pod is an event for each kind of change",
                "已分配 Pod 的更新，按变化的种类各产生一个事件",
            ),
            False: Text(
                "an update of an assigned pod is a single event, whatever changed",
                "已分配 Pod 的更新只产生一个事件，无论改了什么",
            ),
        },
    )
    node_updates_are_split: bool = rule(
        "",
        "eventhandlers.go: updateNodeInCache",
        {
            True: Text(
                "an update of a node is an event for each kind of change", "节点的更新，按变化的种类各产生一个事件"
            ),
            False: Text(
                "an update of a node is a single event, for the first kind of change; annotations are ignored",
                "节点的更新只产生一个事件，对应第一种变化；注解不计",
            ),
        },
    )
    pods_that_nobody_rejected_back_off: bool = rule(
        "",
        "internal/queue/scheduling_queue.go: AddUnschedulableIfNotPresent",
        {
            True: Text(
                "a pod that no plugin rejected is retried after its backoff", "没有被任何插件拒绝的 Pod，退避结束后重试"
            ),
            False: Text("a pod that no plugin rejected waits for an event", "没有被任何插件拒绝的 Pod 等待事件"),
        },
    )
    unschedulable_pods_are_retried_after: int = rule(
        "",
        "backend/queue/scheduling_queue.go: flushUnschedulablePodsLeftover",
        {
            300: Text("a pod that no event retries is retried after 5 minutes", "没有事件让它重试的 Pod，5 分钟后重试"),
            60: Text("a pod that no event retries is retried after 1 minute", "没有事件让它重试的 Pod，1 分钟后重试"),
        },
    )
