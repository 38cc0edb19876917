"""The API server during an attempt: its watch events are delivered when the attempt has ended.

The order of the writes is the order of the watch events: for each victim its condition, then its deletion; nominations
of lower-priority pods; the pod's own condition; or the binding.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable

from msgspec.structs import replace

from scheduler_core.apis.core import Pod, PodGroup, PodGroupCondition, PodGroupKey, PodKey
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.releases import Rules
from scheduler_core.scheduler.apiserver.event_handlers import EventHandlers

Condition = tuple[str, str]  # reason and message of PodScheduled=False


class ApiServer:
    """The writes of an attempt. `delete_pod` deletes a victim at once, `terminate(key, time)` at a later time."""

    def __init__(
        self,
        cluster: Cluster,
        handlers: EventHandlers,
        rules: Rules,
        *,
        delete_pod: Callable[[PodKey], None],
        terminate: Callable[[PodKey, float], None],
    ) -> None:
        self._cluster = cluster
        self._handlers = handlers
        self._delete_pod = delete_pod
        self._terminate = terminate
        self._starts_bound_pods = rules.binding_sets_the_start_time
        self._marks_victims = rules.victims_get_a_condition
        self._marks_terminating = rules.terminating_victims_are_marked
        self._copies_status = rules.victims_get_the_preemptors_status
        self._watch: deque[Callable[[], None]] = deque()
        self._conditions: dict[PodKey, Condition] = {}
        self._evicting: set[PodKey] = set()  # since the last delivery
        self.request_deletion: Callable[[Pod, str], None] | None = None  # where kubelets run

    def deliver(self) -> None:
        """Deliver the watch events of all writes to the scheduler, in order."""
        while self._watch:
            self._watch.popleft()()
        self._evicting.clear()

    def defer(self, deliver: Callable[[], None]) -> None:
        """Add a write of another kind; the method `deliver` calls the function in order."""
        self._watch.append(deliver)

    def patch_status(self, key: PodKey, condition: Condition, nominated_node: str | None) -> None:
        """Write the PodScheduled condition and, unless None, status.nominatedNodeName; skipped if nothing changes.

        Changes are determined against the scheduler's version of the pod, which does not include `nominate` yet.
        """
        stored = self._cluster.pods.get(key)
        if stored is not None and nominated_node == stored.nominated_node_name:
            nominated_node = None
        self._watch.append(lambda: self._deliver_patch(key, condition, nominated_node))

    def nominate(self, key: PodKey, node_name: str) -> None:
        """Write status.nominatedNodeName."""
        self._watch.append(lambda: self._deliver_patch(key, None, node_name))

    def clear_nomination(self, key: PodKey) -> None:
        """Clear status.nominatedNodeName (util.ClearNominatedNodeName)."""
        self._watch.append(lambda: self._deliver_patch(key, None, ""))

    def evict(self, victim: Pod, preemptor: str = "") -> float | None:
        """Mark the victim as DisruptionTarget and delete it. Return the time at which its termination ends.

        None: it was already being deleted. Whether the victim is marked depends on the release.
        """
        if self._marks_victims and (not victim.terminating or self._marks_terminating):
            self._watch.append(lambda: self._deliver_mark(victim.key))
        if victim.terminating or victim.key in self._evicting:
            return None
        self._evicting.add(victim.key)
        self._watch.append(lambda: self._deliver_eviction(victim.key, preemptor))
        return self._cluster.now + victim.termination_seconds

    def patch_pod_group(self, key: PodGroupKey, condition: PodGroupCondition) -> None:
        """Write the condition PodGroupScheduled."""
        self._watch.append(lambda: self._deliver_pod_group_patch(key, condition))

    def bind(self, key: PodKey, node_name: str) -> float:
        """Write the binding. Return the start time of the pod, which the kubelet starts in the same second."""
        start_time = float(math.floor(self._cluster.now))
        self._watch.append(lambda: self._deliver_binding(key, node_name, start_time))
        return start_time

    def _deliver_pod_group_patch(self, key: PodGroupKey, condition: PodGroupCondition) -> None:
        group = self._cluster.get("PodGroup", key)
        if isinstance(group, PodGroup):
            self._handlers.applied(replace(group, condition=condition))

    def _deliver_patch(self, key: PodKey, condition: Condition | None, nominated_node: str | None) -> None:
        pod = self._cluster.pods.get(key)
        if pod is None:
            return
        changed = condition is not None and self._conditions.get(key) != condition
        if condition is not None:
            self._conditions[key] = condition
        if nominated_node is not None and nominated_node != pod.nominated_node_name:
            self._handlers.pod_applied(replace(pod, nominated_node_name=nominated_node))
        elif changed:
            self._handlers.pod_applied(pod)

    def _deliver_mark(self, key: PodKey) -> None:
        pod = self._cluster.pods.get(key)
        if pod is not None and self._copies_status:
            self._handlers.pod_applied(replace(pod, disruption_target=True, start_time=None))
        elif pod is not None and not pod.disruption_target:
            self._handlers.pod_applied(replace(pod, disruption_target=True))

    def _deliver_eviction(self, key: PodKey, preemptor: str) -> None:
        pod = self._cluster.pods.get(key)
        if pod is None:
            return
        if self.request_deletion is not None:
            self.request_deletion(pod, preemptor)
            return
        if pod.termination_seconds:
            self._terminate(key, self._cluster.now + pod.termination_seconds)
            self._handlers.pod_applied(replace(pod, terminating=True))
        else:
            self._delete_pod(key)

    def _deliver_binding(self, key: PodKey, node_name: str, start_time: float) -> None:
        pod = self._cluster.pods.get(key)
        if pod is not None:
            start_time_seen = start_time if self._starts_bound_pods else None
            bound = replace(pod, node_name=node_name, start_time=start_time_seen, phase="Running")
            self._handlers.pod_applied(bound)
