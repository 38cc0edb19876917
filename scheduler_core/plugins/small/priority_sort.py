"""PrioritySort: the pod with the highest priority first, then the one that has waited longest (plugins/queuesort)."""

from __future__ import annotations

from scheduler_core.apis.config import PluginArgs
from scheduler_core.apis.core import Pod
from scheduler_core.framework.interface import (
    Handle,
    QueueSortPlugin,
)
from scheduler_core.plugins.small.priority_sort_about import ABOUT


class PrioritySort(QueueSortPlugin):
    """Equal priorities go by the time at which the pod came to the queue, then by the order in which pods came."""

    name = "PrioritySort"
    about = ABOUT

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        pass

    def key(self, pod: Pod, timestamp: float, sequence: int) -> tuple[float, ...]:
        return -pod.priority, timestamp, sequence
