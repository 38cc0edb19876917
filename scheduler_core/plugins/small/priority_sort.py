"""PrioritySort: sorts pods by priority, then by the time at which they entered the queue (plugins/queuesort)."""

from __future__ import annotations

from scheduler_core.apis.core import Pod
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.interface import (
    QueueSortPlugin,
)


class PrioritySort(QueueSortPlugin):
    """Sorts pods by descending priority, then by the time and order in which they were last added to the queue.

    A pod is added again after each failed attempt.
    """

    name = "PrioritySort"
    about = AboutFile("priority_sort.yaml")

    def key(self, pod: Pod, timestamp: float, sequence: int) -> tuple[float, ...]:
        return -pod.priority, timestamp, sequence
