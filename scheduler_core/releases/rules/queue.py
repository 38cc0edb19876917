"""How the scheduling queue differs from release to release."""

from __future__ import annotations

from dataclasses import dataclass

from scheduler_core.apis.messages import Message
from scheduler_core.releases.rules.rule import rule


@dataclass(frozen=True, kw_only=True)
class QueueRules:
    """The scheduling queue, and the event handlers that wake its pods."""

    backoff_counts_every_attempt: bool = rule(
        "",
        "backend/queue/backoff_queue.go: calculateBackoffDuration",
        {
            False: Message("the backoff doubles with each rejection in all, or with each error in a row"),
            True: Message("the backoff doubles with each attempt, whatever came of it"),
        },
    )
    backoff_includes_its_end: bool = rule(
        "",
        "backend/queue/backoff_queue.go: isPodBackingoff",
        {
            True: Message("at the very moment at which its backoff ends a pod still waits"),
            False: Message("at the very moment at which its backoff ends a pod waits no more"),
        },
    )
    errors_back_off_apart: bool = rule(
        "",
        "backend/queue/backoff_queue.go: podErrorBackoffQ",
        {
            True: Message("pods that come back from an error wait in a backoff queue of their own"),
            False: Message("pods that come back from an error wait in the same backoff queue as the others"),
        },
    )
    gated_pods_hear_every_event: bool = rule(
        "",
        "backend/queue/scheduling_queue.go: movePodsToActiveOrBackoffQueue",
        {
            False: Message(
                "a pod that PreEnqueue holds back is asked again at events that the holding plugin registered"
            ),
            True: Message(
                "a pod that PreEnqueue holds back is asked again at any event, unless it has scheduling gates"
            ),
        },
    )
    nominations_wake_pods: bool = rule(
        "",
        "eventhandlers.go: updatePodInSchedulingQueue, deletePodFromSchedulingQueue",
        {
            True: Message("a nomination that ends wakes pods, as the deletion of a running pod does"),
            False: Message("a nomination that ends wakes no pod"),
        },
    )
    event_handlers_check_pods: bool = rule(
        "",
        "eventhandlers.go: preCheckForNode, onStorageClassAdd",
        {
            False: Message("the queueing hints alone decide which pods an event wakes"),
            True: Message(
                "a node wakes only pods that fit its free room, labels, ports and taints, a pod on a node only those "
                "with matching affinity"
            ),
        },
    )
    events_match_when_covered: bool = rule(
        "",
        "framework/types.go: ClusterEvent.Match",
        {
            True: Message("an event wakes for a plugin that registered all that it says"),
            False: Message("an event wakes for a plugin that registered some of what it says"),
        },
    )
    new_nodes_stand_for_taint_updates: bool = rule(
        "",
        "scheduler.go: buildQueueingHintMap",
        {
            True: Message("a plugin that waits for new nodes is asked again when taints change"),
            False: Message("a plugin that waits for new nodes is not asked again when taints change"),
        },
    )
    deleted_nodes_wake_pods: bool = rule(
        "",
        "eventhandlers.go: deleteNodeFromCache",
        {
            True: Message("a node that is deleted wakes pods"),
            False: Message("a node that is deleted wakes no pod"),
        },
    )
    assigned_pods_wake_spreading_ones: bool = rule(
        "PodTopologySpread",
        "internal/queue/scheduling_queue.go: getUnschedulablePodsWithCrossTopologyTerm",
        {
            True: Message("a pod that comes to a node wakes those that were rejected for their spread"),
            False: Message("a pod that comes to a node wakes none of those that were rejected for their spread"),
        },
    )
    assigned_pod_updates_tell_what_changed: bool = rule(
        "",
        "internal/queue/scheduling_queue.go: AssignedPodUpdated",
        {
            True: Message("an update of a pod on a node is told by what changed"),
            False: Message("an update of a pod on a node is one event, whatever changed"),
        },
    )
    node_updates_are_told_one_by_one: bool = rule(
        "",
        "eventhandlers.go: updateNodeInCache",
        {
            True: Message("an update of a node is one event for each kind of change"),
            False: Message("an update of a node is one event, for the first kind of change; annotations do not count"),
        },
    )
    pods_that_nobody_rejected_back_off: bool = rule(
        "",
        "internal/queue/scheduling_queue.go: AddUnschedulableIfNotPresent",
        {
            True: Message("a pod that no plugin rejected is tried again after its backoff"),
            False: Message("a pod that no plugin rejected waits for an event"),
        },
    )
