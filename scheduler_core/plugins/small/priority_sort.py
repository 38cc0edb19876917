"""PrioritySort: sorts pods by priority, then by waiting time (plugins/queuesort)."""

from __future__ import annotations

from scheduler_core.apis.core import Pod
from scheduler_core.framework.about import About, Text
from scheduler_core.framework.interface import (
    QueueSortPlugin,
)

ABOUT = About(
    rule=Text(
        "Higher priority goes first; pods of equal priority go in the order in which they were queued.",
        "优先级高的在前；优先级相同，先入队的在前。",
    ),
    looks_at=("priority",),
    upstream="queuesort",
)


class PrioritySort(QueueSortPlugin):
    """Sorts pods of equal priority by the time at which they were added to the queue, then by order of arrival."""

    name = "PrioritySort"
    about = ABOUT

    def key(self, pod: Pod, timestamp: float, sequence: int) -> tuple[float, ...]:
        return -pod.priority, timestamp, sequence
