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
