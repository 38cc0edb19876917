"""The scheduler's reactions to changes of objects (kube-scheduler: eventhandlers.go)."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from typing import Any

from msgspec.structs import replace

from scheduler_core.apis.core import CoschedulingPodGroup, KubernetesObject, Node, Pod, PodGroup
from scheduler_core.cluster.cluster import Cluster, key_of, kind_of
from scheduler_core.framework.cluster_event import (
    ASSIGNED_POD_DELETE,
    UNSCHEDULED_POD_ADD,
    Action,
    ClusterEvent,
    Resource,
)
from scheduler_core.framework.pod_changes import first_node_change, node_scheduling_properties_change
from scheduler_core.queue.scheduling_queue import SchedulingQueue
from scheduler_core.releases import Rules
from scheduler_core.scheduler.apiserver.event_checks import EventChecks
from scheduler_core.scheduler.waiting_pods import WaitingPods

RESOURCES: dict[str, Resource] = {
    "PersistentVolume": "PersistentVolume",
    "PersistentVolumeClaim": "PersistentVolumeClaim",
    "StorageClass": "storage.k8s.io/StorageClass",
    "CSINode": "storage.k8s.io/CSINode",
    "CSIDriver": "storage.k8s.io/CSIDriver",
    "CSIStorageCapacity": "storage.k8s.io/CSIStorageCapacity",
    "VolumeAttachment": "storage.k8s.io/VolumeAttachment",
    "ResourceClaim": "resource.k8s.io/ResourceClaim",
    "ResourceSlice": "resource.k8s.io/ResourceSlice",
    "DeviceClass": "resource.k8s.io/DeviceClass",
}
FINISHED = ("Succeeded", "Failed")  # pods in these phases do not exist for the scheduler


Watch = Callable[[str, KubernetesObject | None, KubernetesObject | None], None]  # (kind, before, after)


class EventHandlers:
    """Applies changes to the cluster and requeues pods. `profiles` are the scheduler names of the profiles."""

    def __init__(
        self,
        cluster: Cluster,
        queue: SchedulingQueue,
        waiting: WaitingPods,
        profiles: Container[str],
        rules: Rules,
        *,
        new_pods_wake_others: bool = False,
    ) -> None:
        self._cluster = cluster
        self._queue = queue
        self._waiting = waiting
        self._profiles = profiles
        self._rules = rules
        self._new_pods_wake_others = new_pods_wake_others  # with GangScheduling
        self.watchers: list[Watch] = []  # the controllers, if any run
        self._checks = EventChecks(cluster, rules) if rules.event_handlers_check_pods else None
        splits_updates = rules.node_updates_are_split
        self._node_changes = node_scheduling_properties_change if splits_updates else first_node_change

    def applied(self, item: KubernetesObject) -> None:
        """Handle an object that was created or replaced."""
        if isinstance(item, Pod):
            self.pod_applied(item)
        elif isinstance(item, Node):
            before = self._cluster.node(item.name)
            self._node_applied(item)
            self._notify_watchers("Node", before, item)
        else:
            kind, old = kind_of(item), self._cluster.get(kind_of(item), key_of(item))
            with self._slice_updates(kind):
                self._cluster.apply(item)
            self._move_pods(kind, Action.ADD if old is None else Action.UPDATE, old, item)
            self._notify_watchers(kind, old, item)

    def deleted(self, kind: str, key: str) -> None:
        """Handle the deletion of an object."""
        if kind == "Pod":
            self.pod_deleted(key)
        elif kind == "Node":
            node = self._cluster.node(key)
            if self._rules.deleted_nodes_wake_pods:
                self._queue.move_all_to_active_or_backoff_queue(ClusterEvent("Node", Action.DELETE), node, None)
            self._cluster.delete("Node", key)
            self._notify_watchers("Node", node, None)
        else:
            old = self._cluster.get(kind, key)
            with self._slice_updates(kind):
                self._cluster.delete(kind, key)
            self._move_pods(kind, Action.DELETE, old, None)
            self._notify_watchers(kind, old, None)

    @contextmanager
    def _slice_updates(self, kind: str) -> Iterator[None]:
        """Handle the updates of ResourceSlices by a DeviceTaintRule, after the block (tracker.go: `syncSlice`)."""
        if kind != "DeviceTaintRule":
            yield
            return
        slices = {key_of(item): item for item in self._cluster.objects("ResourceSlice")}
        yield
        for new in list(self._cluster.objects("ResourceSlice")):
            old = slices[key_of(new)]
            if new is not old:
                self._move_pods("ResourceSlice", Action.UPDATE, old, new)
                self._notify_watchers("ResourceSlice", old, new)

    def pod_applied(self, pod: Pod) -> None:
        """Handle a created or updated pod (addPodToCache, updatePodInCache, add/updatePodInSchedulingQueue).

        A pod that gets a node is added to the cache, then deleted from the queue.
        """
        old = self._cluster.pods.get(pod.key)
        was_assumed = pod.key in self._cluster.assumed
        self._cluster.apply_pod(pod)
        if pod.node_name and (old is None or not old.node_name):
            self._queue.assigned_pod_added(pod)
            if old is not None and self._responsible(old):
                self._unassigned_deleted(old, bound=True)
        elif pod.node_name and old is not None:
            self._queue.assigned_pod_updated(old, pod)
        elif not self._responsible(pod):
            if old is not None and self._responsible(old):
                self._unassigned_deleted(old, bound=False)
        elif old is None or not self._responsible(old):
            self._queue.add(pod)
            if self._new_pods_wake_others:
                self._queue.move_all_to_active_or_backoff_queue(UNSCHEDULED_POD_ADD, None, pod)
        elif not was_assumed:
            self._unassigned_updated(old, pod)
        self._notify_watchers("Pod", old, pod)

    def pod_deleted(self, key: str) -> None:
        """Handle a deleted pod (deletePodFromCache, deletePodFromSchedulingQueue)."""
        pod = self._cluster.pods.get(key)
        assert pod is not None
        if not pod.node_name and self._responsible(pod):
            binding = key in self._cluster.assumed and self._waiting.get(key) is None
            node_name = self._cluster.pods.node_name[self._cluster.pods.slot_of[key]]
            self._unassigned_deleted(pod, bound=False)
            self._cluster.delete_pod(key)
            if binding:  # kube-scheduler frees the resources only when Bind finds no such pod
                self._queue.move_all_to_active_or_backoff_queue(
                    ASSIGNED_POD_DELETE, replace(pod, node_name=node_name), None
                )
        else:
            self._cluster.delete_pod(key)
            if pod.node_name:
                self._queue.move_all_to_active_or_backoff_queue(ASSIGNED_POD_DELETE, pod, None)
        self._notify_watchers("Pod", pod, None)

    def _notify_watchers(self, kind: str, old: KubernetesObject | None, new: KubernetesObject | None) -> None:
        for watch in self.watchers:
            watch(kind, old, new)

    def _unassigned_updated(self, old: Pod, new: Pod) -> None:
        self._queue.update(old, new)
        if not self._rules.nominations_wake_pods:
            return
        if old.nominated_node_name and old.nominated_node_name != new.nominated_node_name:
            self._queue.move_all_to_active_or_backoff_queue(
                ASSIGNED_POD_DELETE, old, None, lambda pod: pod.priority <= old.priority
            )

    def _unassigned_deleted(self, pod: Pod, *, bound: bool) -> None:
        """Remove the pod from the queue, and requeue the pods that its nomination or wait on Permit kept out."""
        self._queue.delete(pod, "bound" if bound else "deleted")
        if bound and not self._rules.binding_a_nominated_pod_wakes_others:
            return
        waiting = self._waiting.get(pod.key)
        if waiting is not None:
            waiting.reject("", "removed")
            self._queue.move_all_to_active_or_backoff_queue(ASSIGNED_POD_DELETE, pod, None)
        elif pod.nominated_node_name and self._rules.nominations_wake_pods:
            self._queue.move_all_to_active_or_backoff_queue(
                ASSIGNED_POD_DELETE, pod, None, lambda other: other.priority <= pod.priority
            )

    def _node_applied(self, node: Node) -> None:
        old = self._cluster.node(node.name)
        self._cluster.apply(node)
        events = [ClusterEvent("Node", Action.ADD)] if old is None else self._node_changes(old, node)
        may_fit = self._checks.may_fit(node) if self._checks else None
        for event in events:
            self._queue.move_all_to_active_or_backoff_queue(event, old, node, may_fit)

    def _move_pods(self, kind: str, action: Action, old: Any, new: Any) -> None:
        if self._checks and not self._checks.matters(new):
            return
        item = old if new is None else new
        if kind in RESOURCES:
            resource = RESOURCES[kind]
        elif isinstance(item, PodGroup):
            resource = "scheduling.k8s.io/PodGroup"
        elif isinstance(item, CoschedulingPodGroup):
            resource = "scheduling.x-k8s.io/PodGroup"
        else:
            return
        self._queue.move_all_to_active_or_backoff_queue(ClusterEvent(resource, action), old, new)

    def _responsible(self, pod: Pod) -> bool:
        return pod.scheduler_name in self._profiles
