"""The scheduling queue before 1.32, without queueing hints (internal/queue/scheduling_queue.go).

An event that a plugin registered moves every pod that the plugin rejected, so the queue itself selects the pods that a
change of another pod may help. A pod that changed itself is always retried. Of the events during an attempt, the queue
stores only that there was one.
"""

from __future__ import annotations

from typing import Any

from scheduler_core.apis.constraints import PodAffinityTerm
from scheduler_core.apis.core import Pod
from scheduler_core.cluster.pods import PodTable
from scheduler_core.framework.cluster_event import (
    ASSIGNED_POD_ADD,
    ASSIGNED_POD_UPDATE,
    SCHEDULE_ATTEMPT_FAILURE,
    UNSCHEDULED_POD_UPDATE,
    Action,
    ClusterEvent,
)
from scheduler_core.framework.pod_changes import pod_scheduling_properties_change
from scheduler_core.queue.queued_pod import QueuedPod
from scheduler_core.queue.scheduling_queue import Labels, SchedulingQueue, Strategy
from scheduler_core.releases import Release
from scheduler_core.trace.records import Hint

OTHER_UPDATE = ClusterEvent("AssignedPod", Action.UPDATE_POD_OTHER)
GIVEN_BY_ADMISSION = ("nodeName", "priority", "priorityClassName", "preemptionPolicy")  # an update does not change them


class SchedulingQueueBefore132(SchedulingQueue):
    """The queue before 1.32. With SchedulerQueueingHints, events during an attempt are replayed."""

    def __init__(self, pods: PodTable, *, release: Release, **parts: Any) -> None:
        super().__init__(pods, release=release, **parts)
        self._replays = release.has_on("SchedulerQueueingHints")
        self._move_request_cycle = -1

    def add_unschedulable_if_not_present(self, queued: QueuedPod) -> None:
        """Put a pod back after a failed attempt.

        It moves to backoffQ if an event occurred since it was popped and, since 1.28, after an error.
        """
        if self._replays:
            super().add_unschedulable_if_not_present(queued)
            return
        self._stamp(queued)
        queued.backoff_expiration = None
        failed = self._rules.pods_that_nobody_rejected_back_off and not queued.rejectors
        if self._move_request_cycle >= self.scheduling_cycle or failed:
            self._move_to_backoff(queued, SCHEDULE_ATTEMPT_FAILURE, [])
        else:
            self._requeue(queued, Strategy.SKIP, SCHEDULE_ATTEMPT_FAILURE, [])
        self.active.done(queued.key)

    def update(self, old: Pod, new: Pod) -> None:
        """Update an unassigned pod; an unschedulable pod is requeued if more than its status changed."""
        queued = self.unschedulable.get(new.key)
        if queued is None or self.active.get(new.key) or self.backoff_queue.get(new.key):
            super().update(old, new)
            return
        queued.pod = new
        self.nominator.update(old, new)
        if is_pod_updated(old, new):
            self._requeue(queued, Strategy.AFTER_BACKOFF, UNSCHEDULED_POD_UPDATE.label, [])

    def _hint_for_in_flight_pod(self, queued: QueuedPod) -> tuple[Strategy, list[Hint]]:
        """Return the queue of a pod after its attempt, as in 1.28.

        A pod that no plugin rejected moves to backoffQ if an event occurred since it was popped; otherwise it waits for
        the next event.
        """
        if queued.rejectors:
            return super()._hint_for_in_flight_pod(queued)
        has_new_event = self.active.in_flight(queued.key) and self.active.events_for(queued.key)
        return (Strategy.AFTER_BACKOFF if has_new_event else Strategy.SKIP), []

    def assigned_pod_added(self, pod: Pod) -> None:
        self._move_pods_near(pod, ASSIGNED_POD_ADD, None)

    def assigned_pod_updated(self, old: Pod, new: Pod) -> None:
        if not self._rules.assigned_pod_updates_are_split:
            self._move_pods_near(new, ASSIGNED_POD_UPDATE, old)
            return
        for event in pod_scheduling_properties_change(old, new):
            if event.action == Action.UPDATE_POD_SCALE_DOWN:
                self.move_all_to_active_or_backoff_queue(ASSIGNED_POD_UPDATE, old, new)
            else:
                self._move_pods_near(new, OTHER_UPDATE if event.action == Action.UPDATE else event, old)

    def _move_pods_near(self, pod: Pod, event: ClusterEvent, old: Pod | None) -> None:
        """Move the unschedulable pods that the pod may help (getUnschedulablePodsWithCrossTopologyTerm)."""
        if not self._interested_plugins(event):
            return
        labels = self._labels_of(pod.namespace)
        self._move([queued for queued in self.unschedulable if self._is_near(queued, pod, labels)], event, old, pod)

    def _is_near(self, queued: QueuedPod, pod: Pod, labels: Labels) -> bool:
        """Return whether a required affinity term of `queued` matches the pod.

        In 1.31, also whether PodTopologySpread rejected `queued` and the pod is in its namespace.
        """
        if (
            self._rules.assigned_pods_requeue_spread_pods
            and "PodTopologySpread" in queued.unschedulable_plugins
            and queued.pod.namespace == pod.namespace
        ):
            return True
        return any(matches_term(term, pod, labels) for term in queued.pod.required_affinity)

    def _move(self, pods: Any, event: ClusterEvent, old: Any, new: Any) -> None:
        super()._move(pods, event, old, new)
        self._move_request_cycle = self.scheduling_cycle


def is_pod_updated(old: Pod, new: Pod) -> bool:
    """Return whether more than the status changed, or whether the pod is now being deleted."""
    if old.terminating != new.terminating:
        return True
    return old.manifest is not new.manifest and _description(old) != _description(new)


def _description(pod: Pod) -> tuple[Any, Any]:
    """Return (metadata, spec) without empty metadata and without fields that the API server sets."""
    metadata = pod.manifest.get("metadata") or {}
    spec = pod.manifest.get("spec") or {}
    ignored = ("creationTimestamp", "finalizers", "generation", "managedFields", "namespace", "resourceVersion", "uid")
    return (
        {key: value for key, value in metadata.items() if key not in ignored and value},
        {key: value for key, value in spec.items() if key not in GIVEN_BY_ADMISSION},
    )


def matches_term(term: PodAffinityTerm, pod: Pod, labels: Labels) -> bool:
    """Return whether the term matches the pod (AffinityTerm.Matches); `labels` are those of its namespace."""
    selector = term.namespace_selector
    in_namespace = pod.namespace in term.namespaces or (selector is not None and selector.matches(labels))
    return in_namespace and term.selector.matches(pod.labels)
