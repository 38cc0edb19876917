"""A whole run in plain steps: virtual time, due actions, the queue, and one attempt after another.

Of the engine, it uses only the parsed scenario and `merge_update`. docs/fidelity.md describes the order of actions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from scheduler_core.apis.core import KubernetesObject, Node, PersistentVolumeClaim, Pod
from scheduler_core.scenario.objects.updates import merge_update
from scheduler_core.scenario.types import Scenario, TimelineEvent
from tests.reference.framework.cluster_event import Event, node_events, pod_events
from tests.reference.scheduler.cluster import FINISHED, ReferenceCluster, key_of, kind_of
from tests.reference.scheduler.extenders import Extenders, ignoring_managed_resources
from tests.reference.scheduler.queue import Queue, Waiting
from tests.reference.scheduler.schedule_one import Attempt, schedule_one

Record = dict[str, Any]
PATIENCE = 60.0  # seconds after the last change in which backoffs alone keep the run going


class EndlessMoment(Exception):
    """More than 2000 attempts at one moment: the pods requeue each other without end."""


def run(scenario: Scenario) -> Iterator[Record]:
    """Yield a decision record for each attempt."""
    return Simulation(scenario).run()


class Simulation:
    def __init__(self, scenario: Scenario) -> None:
        config = self.config = ignoring_managed_resources(scenario.config)
        self.scenario = scenario
        self.cluster = ReferenceCluster()
        self.queue = Queue(
            {profile.scheduler_name: profile for profile in config.profiles},
            config.pod_initial_backoff_seconds,
            config.pod_max_backoff_seconds,
            scenario.feature_gates.get("SchedulerPopFromBackoffQ", True),
        )
        self.extenders = Extenders([(one, scenario.script_for(one.url_prefix)) for one in config.extenders])
        self.timeline = list(scenario.events)
        self.conditions: dict[str, tuple[str, str]] = {}
        self.terminations: list[tuple[float, int, str, str]] = []  # (time, order, pod key, pod uid)
        self.number = 0
        self.now = self.last_change = 0.0

    def run(self) -> Iterator[Record]:
        for item in self.scenario.objects:
            if isinstance(item, Pod) and item.phase in FINISHED:
                continue
            self.cluster.apply(item)
        self.cluster.own_events.clear()
        self.queue.workloads = self.cluster.workloads
        for pod in list(self.cluster.pending.values()):
            if self._handles(pod):
                self.queue.add(pod)
        moment: float | None = 0.0
        while moment is not None:
            self.now = self.queue.now = moment
            yield from self._moment()
            moment = self._next_moment()

    def _moment(self) -> Iterator[Record]:
        for end in sorted(one for one in self.terminations if one[0] <= self.now):
            self.terminations.remove(end)
            self.last_change = self.now
            pod = self.cluster.get("Pod", end[2])
            if isinstance(pod, Pod) and pod.uid == end[3]:
                self._delete("Pod", end[2])
        while self.timeline and self.timeline[0].at <= self.now:
            self.last_change = self.now
            self._apply_event(self.timeline.pop(0))
            self.queue.workloads = self.cluster.workloads
        if self.now > 0 and self.now == math.floor(self.now):
            self.queue.flush_backoff()
            if self.now % 30 == 0:
                self.queue.flush_unschedulable()
        tries = 0
        while (waiting := self.queue.pop()) is not None:
            tries += 1
            if tries > 2000:
                raise EndlessMoment
            yield self._attempt(waiting)

    def _next_moment(self) -> float | None:
        until = self.scenario.until_seconds
        due = [event.at for event in self.timeline[:1]] + [end[0] for end in sorted(self.terminations)[:1]]
        if self.queue.unschedulable and (due or until is not None):
            due.append((math.floor(self.now / 30) + 1) * 30.0)
        flush = self.queue.next_flush()
        if flush is not None:
            flush = max(flush, math.floor(self.now) + 1.0)
            if due or until is not None or flush <= self.last_change + PATIENCE:
                due.append(flush)
        if not due or (until is not None and min(due) > until):
            return None
        return min(due)

    def _handles(self, pod: Pod) -> bool:
        return self.config.profile_for(pod.scheduler_name) is not None

    # One attempt, and the events that it causes

    def _attempt(self, waiting: Waiting) -> Record:
        cluster, config = self.cluster, self.config
        pod = cluster.pending[waiting.pod.key]
        profile = config.profile_for(pod.scheduler_name)
        assert profile is not None
        nominated = dict(cluster.nominated)
        cluster.gone_at.clear()
        percentage = config.percentage_of_nodes_to_score
        attempt = schedule_one(cluster, pod.key, profile, self.now, percentage, self.extenders)
        own_events, cluster.own_events = cluster.own_events, []
        if attempt.node is None:
            waiting.pod = pod
            self.queue.put_back(waiting, set() if attempt.error else attempt.rejectors - {""})
        for event in own_events:
            self.queue.move_pods(event)
        for key, end in cluster.gone_at.items():
            victim = cluster.get("Pod", key)
            assert isinstance(victim, Pod)
            self.number += 1
            self.terminations.append((end, self.number, key, victim.uid))
        if attempt.node is None:
            self._patch_statuses(attempt, pod, nominated)
        record = {"time": self.now, "pod": pod.key, **attempt.record(), "queues": self.queue.record()}
        return record

    def _patch_statuses(self, attempt: Attempt, pod: Pod, before: dict[str, str]) -> None:
        """Update the pods whose nomination the attempt cleared, then the pod if its condition or nomination changed.

        `before`: the nominations before the attempt.
        """
        for key in before:
            if key != pod.key and key not in self.cluster.nominated:
                self._patch(self.cluster.pending[key], "")
        condition = ("error" if attempt.error else "rejected", attempt.message or "")
        changed = self.conditions.get(pod.key) != condition
        self.conditions[pod.key] = condition
        now = self.cluster.nominated.get(pod.key, "")
        if changed or now != pod.nominated_node_name:
            self._patch(pod, now)

    def _patch(self, old: Pod, nominated_node: str) -> None:
        new = replace(old, nominated_node_name=nominated_node)
        self.cluster.pending[old.key] = new
        self._updated(old, new)

    def _updated(self, old: Pod, new: Pod) -> None:
        if not self._handles(new):
            return
        self.queue.update(old, new)
        if old.nominated_node_name and old.nominated_node_name != new.nominated_node_name:
            self.queue.move_pods(Event("AssignedPod", "Delete", old), old.priority)

    # Changes from the timeline

    def _apply_event(self, event: TimelineEvent) -> None:
        if event.object is None:
            self._delete(event.kind, f"{event.namespace}/{event.name}" if event.namespace else event.name)
            return
        old = self.cluster.get(event.kind, key_of(event.object))
        new = event.object if old is None else merge_update(old, event.object)
        if isinstance(new, Pod) and new.phase in FINISHED:
            self._delete("Pod", new.key)
            return
        self.cluster.apply(new)
        self._notify_queue(old, new)
        own_events, self.cluster.own_events = self.cluster.own_events, []
        if isinstance(new, PersistentVolumeClaim):
            for one in own_events:
                self.queue.move_pods(one)

    def _notify_queue(self, old: KubernetesObject | None, new: KubernetesObject) -> None:
        if isinstance(new, Node):
            for event in [Event("Node", "Add", None, new)] if old is None else node_events(old, new):  # type: ignore[arg-type]
                self.queue.move_pods(event)
        elif isinstance(new, Pod) and new.node_name:
            for event in [Event("AssignedPod", "Add", None, new)] if old is None else pod_events(old, new):  # type: ignore[arg-type]
                self.queue.move_pods(event)
        elif isinstance(new, Pod):
            if old is not None:
                self._updated(old, new)  # type: ignore[arg-type]
            elif self._handles(new):
                self.queue.add(new)
        else:
            self.queue.move_pods(Event(kind_of(new), "Add" if old is None else "Update", old, new))

    def _delete(self, kind: str, key: str) -> None:
        old = self.cluster.get(kind, key)
        if old is None:
            return
        self.cluster.delete(kind, key)
        if not isinstance(old, Pod):
            self.queue.move_pods(Event(kind, "Delete", old))
        elif old.node_name:
            self.queue.move_pods(Event("AssignedPod", "Delete", old))
        elif self._handles(old):
            self.queue.delete(key)
            if old.nominated_node_name:
                self.queue.move_pods(Event("AssignedPod", "Delete", old), old.priority)
