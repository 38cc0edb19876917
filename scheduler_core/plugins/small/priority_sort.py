"""PrioritySort: sorts pods by priority, then by waiting time (plugins/queuesort)."""

from __future__ import annotations

from scheduler_core.apis.core import Pod
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.interface import (
    QueueSortPlugin,
)


class PrioritySort(QueueSortPlugin):
    """Sorts pods by priority, then by the time when they were added to the queue, then by order of arrival."""

    name = "PrioritySort"
    about = AboutFile("priority_sort.yaml")

    def key(self, pod: Pod, timestamp: float, sequence: int) -> tuple[float, ...]:
        return -pod.priority, timestamp, sequence
