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
    nominations_wake_pods: bool = rule(
        "",
        "eventhandlers.go: updatePodInSchedulingQueue, deletePodFromSchedulingQueue",
        {
            True: Message("a nomination that ends wakes pods, as the deletion of a running pod does"),
            False: Message("a nomination that ends wakes no pod"),
        },
    )
