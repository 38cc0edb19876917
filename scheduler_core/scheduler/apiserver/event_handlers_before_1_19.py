"""The scheduler's reactions to changes of objects before 1.19 (kube-scheduler: eventhandlers.go)."""

from __future__ import annotations

from typing import Any

from scheduler_core.apis.core import Node, StorageClass
from scheduler_core.cluster.cluster import kind_of
from scheduler_core.framework.cluster_event import Action, ClusterEvent, Resource
from scheduler_core.framework.pod_changes import first_node_change
from scheduler_core.queue.before_1_19 import SchedulingQueueBefore119
from scheduler_core.scheduler.apiserver.event_handlers import EventHandlers

HANDLED: dict[str, tuple[Resource, tuple[Action, ...]]] = {
    "PersistentVolume": ("PersistentVolume", (Action.ADD, Action.UPDATE)),
    "PersistentVolumeClaim": ("PersistentVolumeClaim", (Action.ADD, Action.UPDATE)),
    "StorageClass": ("storage.k8s.io/StorageClass", (Action.ADD,)),
    "CSINode": ("storage.k8s.io/CSINode", (Action.ADD, Action.UPDATE)),
    "Service": ("Service", (Action.ADD, Action.UPDATE, Action.DELETE)),
}


class EventHandlersBefore119(EventHandlers):
    """Event handlers whose events move all unschedulable pods."""

    _queue: SchedulingQueueBefore119

    def _node_applied(self, node: Node) -> None:
        """Move pods when a node is added or a property that affects scheduling changes."""
        old = self._cluster.node(node.name)
        self._cluster.apply(node)
        if old is None:
            self._queue.move_all_to_active_or_backoff_queue(ClusterEvent("Node", Action.ADD), None, node)
        elif not self._queue.unschedulable:
            self._queue.note_move_request()
        else:
            for event in first_node_change(old, node):
                self._queue.move_all_to_active_or_backoff_queue(event, old, node)

    def _move_pods(self, kind: str, action: Action, old: Any, new: Any) -> None:
        item = old if new is None else new
        handled = HANDLED.get(kind_of(item))
        if handled is None or action not in handled[1]:
            return
        if isinstance(item, StorageClass) and item.volume_binding_mode != "WaitForFirstConsumer":
            return
        self._queue.move_all_to_active_or_backoff_queue(ClusterEvent(handled[0], action), old, new)
