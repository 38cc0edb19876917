"""What scheduling and binding do differently from release to release."""

from __future__ import annotations

from dataclasses import dataclass

from scheduler_core.apis.messages import Message
from scheduler_core.releases.rules.rule import rule


@dataclass(frozen=True, kw_only=True)
class CycleRules:
    """In the order of an attempt."""

    ties_are_drawn: bool = rule(
        "",
        "schedule_one.go: newSortedNodeScores, selectHost",
        {
            False: Message("of several best nodes the top of a binary heap is taken, which is not random"),
            True: Message("one of several best nodes is drawn at random"),
        },
    )
    binding_a_nominated_pod_wakes_others: bool = rule(
        "",
        "eventhandlers.go: deletePodFromSchedulingQueue",
        {
            False: Message("binding a pod that had a nominated node wakes no waiting pod"),
            True: Message(
                "binding a pod that had a nominated node wakes waiting pods of its priority or lower, as if it had "
                "been deleted"
            ),
        },
    )
