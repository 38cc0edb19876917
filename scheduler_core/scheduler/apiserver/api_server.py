"""The API server as the scheduler writes to it during an attempt: what it wrote is heard of when the attempt has ended.

The order of the writes is the order of the watch events: for each victim its condition, then its deletion; nominations
of lower-priority pods; the pod's own condition; or the binding.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import replace

from scheduler_core.apis.core import Pod, PodGroup, PodGroupCondition, PodGroupKey, PodKey
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.releases import Rules
from scheduler_core.scheduler.apiserver.event_handlers import EventHandlers

Condition = tuple[str, str]  # reason and message of PodScheduled=False


class ApiServer:
    """`terminate(key, at)` is told when a pod's termination begins that ends later."""

    def __init__(
        self,
        cluster: Cluster,
        handlers: EventHandlers,
        delete_pod: Callable[[PodKey], None],
        terminate: Callable[[PodKey, float], None],
        rules: Rules,
    ) -> None:
        self._cluster = cluster
        self._handlers = handlers
        self._delete_pod = delete_pod
        self._terminate = terminate
        self._starts_bound_pods = rules.binding_brings_the_start_time
        self._marks_victims = rules.victims_get_a_condition
        self._marks_terminating = rules.terminating_victims_are_marked
        self._copies_status = rules.victims_take_the_preemptors_status
        self._watch: deque[Callable[[], None]] = deque()
        self._conditions: dict[PodKey, Condition] = {}
        self._evicting: set[PodKey] = set()  # since the last delivery

    def deliver(self) -> None:
        """Let the scheduler hear of everything that was written, in order."""
        while self._watch:
            self._watch.popleft()()
        self._evicting.clear()

    def patch_status(self, key: PodKey, condition: Condition, nominated_node: str | None) -> None:
        """The PodScheduled condition and, unless None, status.nominatedNodeName; no patch if nothing changes."""
        self._watch.append(lambda: self._patched(key, condition, nominated_node))

    def clear_nomination(self, key: PodKey) -> None:
        """util.ClearNominatedNodeName."""
        self._watch.append(lambda: self._patched(key, None, ""))

    def evict(self, victim: Pod) -> float | None:
        """Mark the victim as DisruptionTarget and delete it; returns when it is gone, None if that was under way."""
        if self._marks_victims and (not victim.terminating or self._marks_terminating):
            self._watch.append(lambda: self._marked(victim.key))
        if victim.terminating or victim.key in self._evicting:
            return None
        self._evicting.add(victim.key)
        self._watch.append(lambda: self._evicted(victim.key))
        return self._cluster.now + victim.termination_seconds

    def patch_pod_group(self, key: PodGroupKey, condition: PodGroupCondition) -> None:
        """The condition PodGroupScheduled."""
        self._watch.append(lambda: self._pod_group_patched(key, condition))

    def bind(self, key: PodKey, node_name: str) -> float:
        """The binding; returns the pod's start time (kubelet starts it in that very second)."""
        start_time = float(math.floor(self._cluster.now))
        self._watch.append(lambda: self._bound(key, node_name, start_time))
        return start_time

    def _pod_group_patched(self, key: PodGroupKey, condition: PodGroupCondition) -> None:
        group = self._cluster.get("PodGroup", key)
        if isinstance(group, PodGroup):
            self._handlers.applied(replace(group, condition=condition))

    def _patched(self, key: PodKey, condition: Condition | None, nominated_node: str | None) -> None:
        pod = self._cluster.pods.get(key)
        if pod is None:
            return
        changed = condition is not None and self._conditions.get(key) != condition
        if condition is not None:
            self._conditions[key] = condition
        if nominated_node is not None and nominated_node != pod.nominated_node_name:
            self._handlers.pod_applied(pod.changed(nominated_node_name=nominated_node))
        elif changed:
            self._handlers.pod_applied(pod)

    def _marked(self, key: PodKey) -> None:
        pod = self._cluster.pods.get(key)
        if pod is not None and self._copies_status:
            self._handlers.pod_applied(pod.changed(disruption_target=True, start_time=None))
        elif pod is not None and not pod.disruption_target:
            self._handlers.pod_applied(pod.changed(disruption_target=True))

    def _evicted(self, key: PodKey) -> None:
        pod = self._cluster.pods.get(key)
        if pod is None:
            return
        if pod.termination_seconds:
            self._terminate(key, self._cluster.now + pod.termination_seconds)
            self._handlers.pod_applied(pod.changed(terminating=True))
        else:
            self._delete_pod(key)

    def _bound(self, key: PodKey, node_name: str, start_time: float) -> None:
        pod = self._cluster.pods.get(key)
        if pod is not None:
            seen = start_time if self._starts_bound_pods else None
            bound = pod.changed(node_name=node_name, start_time=seen, phase="Running")
            self._handlers.pod_applied(bound)
