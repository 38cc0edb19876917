"""SchedulingQueue: pending pods, and all rules by which they move (backend/queue/scheduling_queue.go).

The only writer of the queues. Every move is emitted as an event.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from itertools import chain
from typing import Any

from scheduler_core.apis.core import Pod, PodKey
from scheduler_core.cluster.pods import PodTable
from scheduler_core.framework.cluster_event import (
    ASSIGNED_POD_ADD,
    BACKOFF_COMPLETE,
    FORCE_ACTIVATE,
    SCHEDULE_ATTEMPT_FAILURE,
    UNSCHEDULABLE_TIMEOUT,
    UNSCHEDULED_POD_ADD,
    UNSCHEDULED_POD_UPDATE,
    ClusterEvent,
)
from scheduler_core.framework.pod_changes import pod_scheduling_properties_change
from scheduler_core.framework.status import Status
from scheduler_core.queue.active_queue import ActiveQueue
from scheduler_core.queue.backoff_queue import Backoff, BackoffQueue
from scheduler_core.queue.nominator import Cause, Nominator
from scheduler_core.queue.pod_heap import SortKey
from scheduler_core.queue.queued_pod import QueuedPod
from scheduler_core.queue.queueing_hints import QueueingHintMap
from scheduler_core.queue.unschedulable_pods import UnschedulablePods
from scheduler_core.releases import Release
from scheduler_core.releases.rules.queue import QueueRules
from scheduler_core.trace.events import AnyEvent, PodEnqueued, PodGated, PodsKeptWaiting
from scheduler_core.trace.records import Hint, KeptWaiting

UNSCHEDULABLE_FLUSH_SECONDS = 30.0  # between two checks for pods that have waited for too long
MAX_EARLY_POPS = 100  # of one pod from backoffQ at one moment; then it waits for its backoff to end
MAX_EARLY_POPS_OF_A_GROUP = 10
KEPT_SHOWN = 20  # pods that one event does not help, in the trace

_OWN_CHANGES = (UNSCHEDULED_POD_ADD.label, UNSCHEDULED_POD_UPDATE.label)  # the pod is new, or changed
_MEMBER_CHANGES = (UNSCHEDULED_POD_ADD.label, FORCE_ACTIVATE.label)  # events that may complete a gang

PreEnqueue = tuple[str, Callable[[Pod], Status]]
QueueSort = Callable[[Pod, float, int], SortKey]
Labels = Mapping[str, str]


class Strategy(Enum):
    """The queue to which a pod moves after an event."""

    SKIP = 0
    AFTER_BACKOFF = 1
    IMMEDIATELY = 2


class SchedulingQueue:
    """The scheduling queue. `hints` and `pre_enqueue` are by profile name; the simulation sets `now`.

    `labels_of` returns the labels of a namespace; only queues of releases without queueing hints need them.
    """

    def __init__(
        self,
        pods: PodTable,
        *,
        backoff: Backoff,
        queue_sort: QueueSort,
        hints: Mapping[str, QueueingHintMap],
        pre_enqueue: Mapping[str, Sequence[PreEnqueue]],
        emit: Callable[[AnyEvent], None],
        release: Release,
        labels_of: Callable[[str], Labels],
    ) -> None:
        def sort_key(queued: QueuedPod) -> SortKey:
            return queue_sort(queued.pod, queued.timestamp, queued.sequence)

        self.now = 0.0
        self.scheduling_cycle = 0  # the number of pods popped so far
        self.active = ActiveQueue(sort_key)
        self.backoff_queue = BackoffQueue(backoff, sort_key)
        self.unschedulable = UnschedulablePods()
        self.nominator = Nominator(pods, emit)
        self._backoff = backoff
        self._hints = hints
        self._pre_enqueue = pre_enqueue
        self._emit = emit
        self._rules: QueueRules = release.rules
        self._labels_of = labels_of
        self._sequence = 0
        self._interested: dict[ClusterEvent, frozenset[str]] = {}
        self._early: tuple[float, Counter[PodKey]] = (0.0, Counter())  # pops from backoffQ at this moment

    # The life of a pod in the queue

    def add(self, pod: Pod) -> None:
        """Add a new pending pod."""
        self._add_new(pod, UNSCHEDULED_POD_ADD)

    def pop(self) -> tuple[QueuedPod, bool] | None:
        """Remove and return the next pod to schedule, and whether it came from activeQ; None if no pod is ready.

        With SchedulerPopFromBackoffQ, an idle scheduler pops pods from backoffQ before their backoff ends.
        """
        queued = self.active.pop()
        from_active = queued is not None
        if queued is None and self._backoff.aligned:
            queued = self._pop_early()
        if queued is None:
            return None
        self.active.start_attempt(queued)
        self.scheduling_cycle += 1
        return queued, from_active

    def pop_specific(self, key: PodKey) -> QueuedPod | None:
        """Remove a pod from its queue, begin its attempt, and return it (PopSpecificPod).

        Return None if it is gated or in no queue.
        """
        queued = self.active.remove(key) or self._remove_if_admitted(key)
        if queued is None:
            return None
        if queued.initial_attempt is None:
            queued.initial_attempt = self.now
        self.active.start_attempt(queued)
        self.scheduling_cycle += 1
        return queued

    def _remove_if_admitted(self, key: PodKey) -> QueuedPod | None:
        """Remove the pod from unschedulablePods or backoffQ and return it if PreEnqueue passes; None otherwise.

        With aligned backoff, pods in backoffQ have passed it already; without, one that does not pass becomes
        unschedulable.
        """
        queued = self.unschedulable.get(key)
        if queued is not None:
            return self.unschedulable.pop(key) if self._passes_pre_enqueue(queued, FORCE_ACTIVATE.label) else None
        queued = self.backoff_queue.remove(key)
        if queued is None or self._backoff.aligned or self._passes_pre_enqueue(queued, FORCE_ACTIVATE.label):
            return queued
        return None

    def _pop_early(self) -> QueuedPod | None:
        """Pop and return a pod from backoffQ (popBackoff).

        Return None if backoffQ is empty, or the pod was popped too often at this moment.
        """
        if self._early[0] != self.now:
            self._early = self.now, Counter()
        first = self.backoff_queue.first()
        if first is None:
            return None
        group = first.pod.pod_group_key
        if self._early[1][group or first.key] >= (MAX_EARLY_POPS_OF_A_GROUP if group else MAX_EARLY_POPS):
            return None
        self._early[1][group or first.key] += 1
        return self.backoff_queue.pop()

    def done(self, key: PodKey) -> None:
        self.active.done(key)

    def add_unschedulable_if_not_present(self, queued: QueuedPod) -> None:
        """Put a pod back after a failed attempt. Events during the attempt can move it to activeQ or backoffQ."""
        if queued.rejectors:
            queued.unschedulable_count += 1
            queued.consecutive_errors = 0
        else:
            queued.consecutive_errors += 1
        self._stamp(queued)
        queued.backoff_expiration = None
        strategy, hints = self._hint_for_in_flight_pod(queued)
        self._requeue(queued, strategy, SCHEDULE_ATTEMPT_FAILURE, hints)
        self.active.done(queued.key)

    def update(self, old: Pod, new: Pod) -> None:
        """Update an unassigned pod: in its queue, or as events if it is in flight. Add it if it is in no queue.

        An unschedulable pod is requeued if one of its changes may help it.
        """
        events = pod_scheduling_properties_change(old, new)
        if self.active.in_flight(new.key):
            for event in events:
                self.active.record(event, old, new)
            return
        queued = self.active.get(new.key) or self.backoff_queue.get(new.key)
        if queued is not None:
            queued.pod = new
            self.nominator.update(old, new)
            return
        queued = self.unschedulable.get(new.key)
        if queued is None:
            self._add_new(new, UNSCHEDULED_POD_UPDATE)
            return
        queued.pod = new
        self.nominator.update(old, new)
        for event in events:
            strategy, hints = self._worth_requeuing(queued, event, old, new)
            if strategy != Strategy.SKIP and self._requeue(queued, strategy, event.label, hints):
                break

    def delete(self, pod: Pod, cause: Cause) -> None:
        """Remove a pod that was deleted or bound."""
        self.nominator.delete(pod.key, cause)
        if self.active.remove(pod.key) is None and self.backoff_queue.remove(pod.key) is None:
            self.unschedulable.pop(pod.key)

    def activate(self, keys: Iterable[PodKey], before_move: Callable[[PodKey], None] | None = None) -> None:
        """Move pods to activeQ at once, if they pass PreEnqueue; pods in flight are activated after their attempt.

        `before_move` is called with the key of each unschedulable or backing-off pod, before the move is tried.
        """
        for key in keys:
            queued = self.unschedulable.get(key) or self.backoff_queue.remove(key)
            if queued is not None:
                if before_move:
                    before_move(key)
                self._move_to_active(queued, FORCE_ACTIVATE.label, [])
            elif self.active.in_flight(key):
                self.active.record(FORCE_ACTIVATE, None, key)

    # Moves

    def _add_new(self, pod: Pod, event: ClusterEvent) -> None:
        """Add a pod that is in no queue (addPod)."""
        if self._rules.gated_pods_keep_their_nomination:
            self.nominator.add(pod, None)
        self._move_to_active(self._new(pod), event.label, [])

    def assigned_pod_added(self, pod: Pod) -> None:
        """Handle the addition of a pod to a node: the most frequent event, which often affects no waiting pod."""
        if self.unschedulable or self.active.any_in_flight:
            self.move_all_to_active_or_backoff_queue(ASSIGNED_POD_ADD, None, pod)

    def assigned_pod_updated(self, old: Pod, new: Pod) -> None:
        """Handle the update of a pod on a node."""
        for event in pod_scheduling_properties_change(old, new):
            self.move_all_to_active_or_backoff_queue(event, old, new)

    def move_all_to_active_or_backoff_queue(
        self, event: ClusterEvent, old: Any, new: Any, pre_check: Callable[[Pod], bool] | None = None
    ) -> None:
        """Requeue the unschedulable pods that an event may help (MoveAllToActiveOrBackoffQueue).

        `pre_check` None: all pods are considered, otherwise those for which it returns True.
        """
        plugins = self._interested_plugins(event)
        if not plugins and not event.is_wildcard:
            return
        waiting = self.unschedulable if event.is_wildcard else self.unschedulable.rejected_by(plugins)
        self._move([queued for queued in waiting if pre_check is None or pre_check(queued.pod)], event, old, new)

    def flush_backoff_completed(self) -> None:
        """Move pods whose backoff is over to activeQ, if they pass PreEnqueue; called every second."""
        for queued in self.backoff_queue.pop_all_completed(self.now):
            self._move_to_active(queued, BACKOFF_COMPLETE, [])

    def flush_unschedulable_leftover(self) -> None:
        """Requeue pods that have been unschedulable for too long (`unschedulable_pods_are_retried_after`, in seconds).

        Called every 30 s.
        """
        limit = self.now - self._rules.unschedulable_pods_are_retried_after
        pods = [queued for queued in self.unschedulable if queued.timestamp < limit]
        if pods:
            self._move(pods, UNSCHEDULABLE_TIMEOUT, None, None)

    def _move(self, pods: Iterable[QueuedPod], event: ClusterEvent, old: Any, new: Any) -> None:
        kept_waiting: list[KeptWaiting] = []
        for queued in pods:
            if queued.gated and not self._can_move_gated(queued, event):
                continue
            strategy, hints = self._worth_requeuing(queued, event, old, new)
            if strategy != Strategy.SKIP:
                self._requeue(queued, strategy, event.label, hints)
            elif hints:
                kept_waiting.append(KeptWaiting(queued.key, hints))
        if kept_waiting:
            self._emit(PodsKeptWaiting(event.label, kept_waiting[:KEPT_SHOWN], len(kept_waiting)))
        self.active.record(event, old, new)

    def _requeue(self, queued: QueuedPod, strategy: Strategy, event: str, hints: list[Hint]) -> bool:
        """Requeue a pod (requeuePodWithQueueingStrategy). Return whether it moved to activeQ or backoffQ."""
        if strategy == Strategy.SKIP:
            self._put_unschedulable(queued, event, hints)
            return False
        if strategy == Strategy.AFTER_BACKOFF and self._backoff.is_backing_off(queued, self.now):
            return self._move_to_backoff(queued, event, hints)
        return self._move_to_active(queued, event, hints)

    def _move_to_active(self, queued: QueuedPod, event: str, hints: list[Hint]) -> bool:
        """Move the pod to activeQ if PreEnqueue passes (moveToActiveQ). Return whether it moved.

        With aligned backoff, PreEnqueue has already run for pods in backoffQ.
        """
        if not (self._backoff.aligned and event == BACKOFF_COMPLETE) and not self._passes_pre_enqueue(queued, event):
            return False
        self.unschedulable.pop(queued.key)
        self.backoff_queue.remove(queued.key)
        self.active.add(queued)
        if queued.initial_attempt is None:
            queued.initial_attempt = self.now
        self._emit(PodEnqueued(queued.key, "active", event, queued.timestamp, queued.sequence, hints))
        if event in _OWN_CHANGES and not self._rules.gated_pods_keep_their_nomination:
            self.nominator.add(queued.pod, None)
        return True

    def _move_to_backoff(self, queued: QueuedPod, event: str, hints: list[Hint]) -> bool:
        if self._backoff.aligned and not self._passes_pre_enqueue(queued, event):
            return False
        self.unschedulable.pop(queued.key)
        self.backoff_queue.add(queued)
        until = self._backoff.expiration(queued)
        error = self.backoff_queue.is_error(queued.key)
        sequence = queued.place_in_backoff
        self._emit(PodEnqueued(queued.key, "backoff", event, queued.timestamp, sequence, hints, until, error))
        return True

    def _put_unschedulable(self, queued: QueuedPod, event: str, hints: list[Hint]) -> None:
        self.unschedulable.put(queued)
        self._emit(PodEnqueued(queued.key, "unschedulable", event, queued.timestamp, queued.sequence, hints))

    # Rules

    def _passes_pre_enqueue(self, queued: QueuedPod, event: str) -> bool:
        """Run PreEnqueue, beginning with the plugin that gated the pod before. Return whether the pod passes.

        Otherwise it is gated and, unless it is in activeQ or backoffQ, becomes unschedulable.
        """
        before = queued.gating_plugin
        plugins = self._pre_enqueue.get(queued.pod.scheduler_name, ())
        if before:
            plugins = sorted(plugins, key=lambda plugin: plugin[0] != before)
        for name, pre_enqueue in plugins:
            status = pre_enqueue(queued.pod)
            if status.is_success:
                continue
            queued.unschedulable_plugins[name] = None
            queued.gating_plugin = name
            if queued.key not in self.active and queued.key not in self.backoff_queue:
                self.unschedulable.put(queued)
                if name == before and queued.pod.pod_group and event in _MEMBER_CHANGES:
                    return False  # nothing new
                self._emit(PodGated(queued.key, name, status.message, queued.timestamp, queued.sequence, event))
            return False
        queued.gating_plugin = ""
        return True

    def _worth_requeuing(
        self, queued: QueuedPod, event: ClusterEvent, old: Any, new: Any
    ) -> tuple[Strategy, list[Hint]]:
        """Return the queue to which the event moves the pod, and the hints of the plugins that rejected it.

        Mirrors isPodWorthRequeuing.
        """
        rejectors = queued.rejectors
        if not rejectors:
            return Strategy.AFTER_BACKOFF, []
        if event.is_wildcard:
            return (Strategy.AFTER_BACKOFF if new is None or new == queued.key else Strategy.SKIP), []
        hints = self._hints[queued.pod.scheduler_name].call(event, rejectors, queued.pod, old, new)
        hinted_queue = [hint.plugin for hint in hints if hint.hint == "Queue"]
        if not hinted_queue:
            return Strategy.SKIP, hints
        pending = any(plugin in queued.pending_plugins for plugin in hinted_queue)
        return (Strategy.IMMEDIATELY if pending else Strategy.AFTER_BACKOFF), hints

    def _hint_for_in_flight_pod(self, queued: QueuedPod) -> tuple[Strategy, list[Hint]]:
        """Return the best result of all events since the pod was popped (determineSchedulingHintForInFlightPod).

        A pod that no plugin rejected, or a member of a pod group, is requeued in any case, after its backoff.
        """
        if not queued.rejectors or not self.active.in_flight(queued.key) or queued.pod.pod_group:
            return Strategy.AFTER_BACKOFF, []  # groups have no hints yet
        best: tuple[Strategy, list[Hint]] = (Strategy.SKIP, [])
        for in_flight in self.active.events_for(queued.key):
            result = self._worth_requeuing(queued, in_flight.event, in_flight.old, in_flight.new)
            if result[0].value > best[0].value:
                best = result
        return best

    def _can_move_gated(self, queued: QueuedPod, event: ClusterEvent) -> bool:
        """Return whether the event can move a gated pod."""
        hints = self._hints.get(queued.pod.scheduler_name)
        return hints is not None and hints.moves_gated(queued.gating_plugin, event)

    def _interested_plugins(self, event: ClusterEvent) -> frozenset[str]:
        """Return the plugins of all profiles that registered the event; cached, because every binding needs them."""
        plugins = self._interested.get(event)
        if plugins is None:
            registrations = chain.from_iterable(hints.matching(event) for hints in self._hints.values())
            plugins = self._interested[event] = frozenset(registration.plugin for registration in registrations)
        return plugins

    def _new(self, pod: Pod) -> QueuedPod:
        queued = QueuedPod(pod, self.now, 0)
        self._stamp(queued)
        return queued

    def _stamp(self, queued: QueuedPod) -> None:
        """Set the timestamp and the sequence number of a pod that enters the queue."""
        self._sequence += 1
        queued.timestamp, queued.sequence = self.now, self._sequence
