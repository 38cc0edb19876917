"""The simulation: virtual time, what is due when, and one attempt after the other until nothing can happen any more.

At a moment, in this order: terminations that end, timeline events, bindings and Permit timeouts, the backoff flush
(every whole second), the flush of pods that waited too long (every 30 s); then every pod that can be popped is tried.
Then time goes on to the next moment at which something is due.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import numpy as np

from scheduler_core.apis.core import (
    KubernetesObject,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    PodGroup,
    PodGroupCondition,
    PodGroupKey,
    PodKey,
)
from scheduler_core.apis.messages import Message, RunEnded
from scheduler_core.cluster.cluster import Cluster, key_of, kind_of
from scheduler_core.cluster.node_tree import NodeTree
from scheduler_core.framework.interface import WaitingPod
from scheduler_core.framework.runtime.runtime import Registry
from scheduler_core.plugins import REGISTRY
from scheduler_core.queue.queued_pod import QueuedPod
from scheduler_core.scenario.objects.admission import claimed
from scheduler_core.scenario.objects.updates import merge_update
from scheduler_core.scenario.types import Scenario, TimelineEvent
from scheduler_core.scheduler.apiserver.api_server import ApiServer
from scheduler_core.scheduler.apiserver.event_handlers import FINISHED, EventHandlers
from scheduler_core.scheduler.apiserver.faults import Faults
from scheduler_core.scheduler.binding_cycle import binding_cycle, go_on
from scheduler_core.scheduler.podgroup.cycle import schedule_one_pod_group
from scheduler_core.scheduler.schedule_one import schedule_one
from scheduler_core.scheduler.scheduler import Scheduler
from scheduler_core.scheduler.search.find_nodes import Search
from scheduler_core.scheduler.waiting_pods import WaitingPods
from scheduler_core.simulation.agenda import Agenda
from scheduler_core.simulation.assembly import (
    build_async_preemption,
    build_batches,
    build_frameworks,
    build_queue,
    run_started,
)
from scheduler_core.trace.events import (
    AnyEvent,
    AttemptFinished,
    Cause,
    ClockAdvanced,
    ObjectApplied,
    ObjectDeleted,
    PodIgnored,
    RunFinished,
)
from scheduler_core.trace.records import PodGroupState
from scheduler_core.trace.summaries import changes, node_summary, pod_group_summary, pod_summary, storage

UNSCHEDULABLE_FLUSH_SECONDS = 30.0
PATIENCE_SECONDS = 60.0  # with nothing but backoff left, the run goes on for so long after the last event
GANG_SCHEDULING_GATE = "GangScheduling"
MOST_TRIES = 1000  # of one pod at one moment; attempts take no virtual time, so pods that wake each other never end


class EndlessMoment(RunEnded):
    """A pod is tried over and over without virtual time going on; the sentence says which, and when."""


def simulate(scenario: Scenario, registry: Registry = REGISTRY) -> Iterator[AnyEvent]:
    """The events of a run, lazily. The same scenario always gives the same events. Raises RunEnded."""
    yield from Simulation(scenario, registry).run()


class Simulation:
    """One run. Implements `framework.runtime.Services` for the plugins."""

    def __init__(self, scenario: Scenario, registry: Registry) -> None:
        self.scenario = scenario
        self.cluster = Cluster(counts_images_once=scenario.release.rules.images_are_counted_once)
        self._events: list[AnyEvent] = []
        self._emit = self._events.append
        self._agenda = Agenda(scenario.events)
        self._last_change = 0.0  # the last timeline event or end of a termination
        self._deleted: list[PodKey] = []
        self._standing: dict[PodKey, str] = {}  # where pods stood when the run began
        self._finished: dict[PodKey, str] = {}  # pods in phase Succeeded or Failed, and where they ran
        self._order: list[str] = []
        self._frameworks = build_frameworks(scenario, registry, self.cluster, self)
        self._queue = build_queue(scenario, self._frameworks, self.cluster, self._emit)
        for framework in self._frameworks.values():
            framework.nominator = self._queue.nominator
        waiting = WaitingPods()
        self._handlers = EventHandlers(
            self.cluster,
            self._queue,
            waiting,
            self._frameworks,
            scenario.release.rules,
            new_pods_wake_others=scenario.feature_gates.get(GANG_SCHEDULING_GATE, False),
        )
        self.scheduler = Scheduler(
            self.cluster,
            self._queue,
            self._frameworks,
            ApiServer(self.cluster, self._handlers, self._delete_victim, self._terminate, scenario.release.rules),
            self._emit,
            Search(scenario.config.percentage_of_nodes_to_score),
            waiting,
            Faults(scenario.faults),
            scenario.release.rules,
            build_batches(scenario, self._frameworks),
            build_async_preemption(scenario),
            None if scenario.seed is None else np.random.Generator(np.random.PCG64(scenario.seed)),
            scenario.binding_seconds,
            feature_gates=scenario.feature_gates,
            later=self._agenda.do_later,
        )

    def run(self) -> Iterator[AnyEvent]:
        """All events, from RunStarted to RunFinished."""
        self._load()
        moment: float | None = 0.0
        while moment is not None:
            for _ in self._moment():
                yield from self._taken()
            yield from self._taken()
            moment = self._next_moment()
        yield from self._finish()

    # Services for plugins

    def waiting_pods(self) -> Sequence[WaitingPod]:
        return self.scheduler.waiting.all()

    def activate(self, pod: Pod, keys: Sequence[PodKey]) -> None:
        attempt = self.scheduler.current
        assert attempt is not None
        assert attempt.pod.key == pod.key, f"{pod.key} has no cycle under way"
        attempt.activate.update(dict.fromkeys(keys))

    def activate_now(self, keys: Sequence[PodKey]) -> None:
        self._queue.activate(keys)

    def is_running_preemption(self, pod: Pod) -> bool:
        preemption = self.scheduler.async_preemption
        return preemption is not None and preemption.is_running(pod)

    def write(self, item: KubernetesObject, action: Literal["create", "update"]) -> None:
        self._tell_applied(action, item)
        self._handlers.applied(item)

    # Time

    def _load(self) -> None:
        """All initial objects, pending pods last."""
        pending: list[Pod] = []
        for item in self.scenario.objects:
            if isinstance(item, Pod) and item.phase in FINISHED:
                self._finished[item.key] = item.node_name
                continue
            if isinstance(item, Pod) and not item.node_name:
                pending.append(item)
            else:
                self.cluster.apply(item)
        self._standing = {pod.key: pod.node_name for pod in self.cluster.pods.all()}
        self._order = self.cluster.order()
        self._emit(run_started(self.scenario, self.cluster, pending, self._frameworks))
        for pod in pending:
            self._handlers.pod_applied(pod)
            self._tell_ignored(pod)

    def _moment(self) -> Iterator[None]:
        """Everything that is due now; pauses after each attempt so that its events can be taken."""
        now = self.cluster.now
        for key, uid in self._agenda.terminations(now):
            self._last_change = now
            pod = self.cluster.pods.get(key)
            if pod is not None and pod.uid == uid:
                self._delete_victim(key)
                self._settle()
        for event in self._agenda.events(now):
            self._happen(event)
            self._settle()
        for act in self._agenda.actions(now):
            act()
            self._settle()
        self.scheduler.waiting.expire(now)
        self._settle()
        if now > 0 and now == math.floor(now):
            self._queue.flush_backoff_completed()
            if now % UNSCHEDULABLE_FLUSH_SECONDS == 0:
                self._queue.flush_unschedulable_leftover()
        tries: dict[PodKey, int] = {}
        while (popped := self._queue.pop()) is not None:
            key = popped[0].pod.key
            tries[key] = tries.get(key, 0) + 1
            if tries[key] > MOST_TRIES:
                sentence = Message(
                    "{pod} was tried {tries} times at {now:g} s: pods wake each other without end",
                    pod=key,
                    tries=MOST_TRIES,
                    now=now,
                )
                raise EndlessMoment(sentence)
            self._attempt(*popped)
            yield

    def _next_moment(self) -> float | None:
        """Move the clock to when something is due next; None if nothing is, or not before the end."""
        due = self._agenda.due()
        deadline = self.scheduler.waiting.next_deadline()
        if deadline is not None:
            due.append((deadline, "permit-timeout"))
        until, now = self.scenario.until_seconds, self.cluster.now
        if self._queue.unschedulable and (due or until is not None):
            periods = math.floor(now / UNSCHEDULABLE_FLUSH_SECONDS) + 1
            due.append((periods * UNSCHEDULABLE_FLUSH_SECONDS, "unschedulable-flush"))
        flush = self._queue.backoff_queue.next_completion()
        if flush is not None:
            flush = max(flush, math.floor(now) + 1.0)
            if due or until is not None or flush <= self._last_change + PATIENCE_SECONDS:
                due.append((flush, "backoff"))
        if not due:
            return None
        time, cause = min(due, key=lambda one: one[0])
        if until is not None and time > until:
            return None
        self._advance(time, cause)
        return time

    def _advance(self, time: float, cause: Cause) -> None:
        self.cluster.now = self._queue.now = time
        self._events[:] = [ClockAdvanced(time, cause)]

    def _finish(self) -> Iterator[AnyEvent]:
        until = self.scenario.until_seconds
        if until is not None and until > self.cluster.now:
            self._advance(until, "end")
        for key in self._deleted:
            self._standing.pop(key, None)
        where = {pod.key: pod.node_name for pod in self.cluster.pods.all()}
        pending = sorted(key for key, node_name in where.items() if not node_name)
        where |= self._finished
        moved = {key: node_name for key, node_name in where.items() if node_name != self._standing.get(key, "")}
        bound, stayed = dict(sorted(moved.items())), len(self._standing)
        self._emit(RunFinished(self.cluster.now, bound, self._deleted, pending, self._pod_groups(), stayed))
        yield from self._taken()

    def _pod_groups(self) -> dict[PodGroupKey, PodGroupState | None] | None:
        """The condition of each PodGroup; None if the scenario has none."""
        every = (*self.scenario.objects, *(event.object for event in self.scenario.events))
        if not any(isinstance(item, PodGroup) for item in every):
            return None
        groups = [item for item in self.cluster.objects("PodGroup") if isinstance(item, PodGroup)]
        return {group.key: _as_told(group.condition) for group in sorted(groups, key=lambda group: group.key)}

    # What happens

    def _attempt(self, queued: QueuedPod, from_active: bool) -> None:
        if queued.pod.pod_group:
            self._attempt_group(queued, from_active)
            return
        attempt = schedule_one(self.scheduler, queued, from_active=from_active)
        if attempt is None:
            return
        if attempt.outcome == "Scheduled" and self.scheduler.waiting.get(attempt.pod.key) is None:
            binding_cycle(self.scheduler, attempt)
        self._settle()
        node_name = attempt.node_name if attempt.outcome == "Scheduled" else ""
        self._emit(AttemptFinished(attempt.number, attempt.pod.key, attempt.outcome, node_name))

    def _attempt_group(self, queued: QueuedPod, from_active: bool) -> None:
        cycle = schedule_one_pod_group(self.scheduler, queued, from_active=from_active)
        if cycle is not None:
            self._settle()
            cycle.finish()

    def _settle(self) -> None:
        """Deliver what was written; then go on with waiting pods that were allowed or rejected."""
        self.scheduler.api.deliver()
        while self.scheduler.waiting.decided:
            go_on(self.scheduler, self.scheduler.waiting.decided.pop(0))
            self.scheduler.api.deliver()

    def _happen(self, event: TimelineEvent) -> None:
        """One event of the timeline."""
        self._last_change = self.cluster.now
        key = f"{event.namespace}/{event.name}" if event.namespace else event.name
        if event.action == "delete":
            if event.kind == "Pod" and self._finished.pop(key, None) is not None:
                self._deleted.append(key)
            self._delete(event.kind, key)
            return
        assert event.object is not None
        old = self._stored(event.kind, key)
        item = event.object if old is None else merge_update(old, event.object, self.scenario.release)
        if isinstance(item, Pod) and item.phase in FINISHED:
            self._finished[key] = item.node_name
            if old is not None:
                self._delete("Pod", key)
            return
        self._tell_applied(event.action, item)
        self._handlers.applied(item)
        if isinstance(item, PersistentVolumeClaim):
            self._bind_volume(item)
        if isinstance(item, Pod) and (not isinstance(old, Pod) or item.scheduler_name != old.scheduler_name):
            self._tell_ignored(item)

    def _bind_volume(self, claim: PersistentVolumeClaim) -> None:
        """The PV controller, played: the volume of a claim that comes bound knows its claim from then on."""
        pv = self.cluster.get("PersistentVolume", claim.volume_name) if claim.bound else None
        if isinstance(pv, PersistentVolume) and (bound := claimed(pv, claim)) != pv:
            self._tell_applied("update", bound)
            self._handlers.applied(bound)

    def _delete(self, kind: str, key: str) -> None:
        if self._stored(kind, key) is None:
            return
        namespace, _, name = key.rpartition("/")
        order = self._changed_order(lambda tree: tree.remove(name)) if kind == "Node" else None
        self._emit(ObjectDeleted(kind, name, namespace, order))
        if kind == "Pod" and key not in self._finished:
            self._deleted.append(key)
        self._handlers.deleted(kind, key)

    def _stored(self, kind: str, key: str) -> KubernetesObject | None:
        if kind == "Pod":
            return self.cluster.pods.get(key)
        return self.cluster.node(key) if kind == "Node" else self.cluster.get(kind, key)

    def _delete_victim(self, key: PodKey) -> None:
        """The victim of a preemption is gone."""
        namespace, _, name = key.partition("/")
        self._emit(ObjectDeleted("Pod", name, namespace, cause="preemption"))
        self._deleted.append(key)
        self._handlers.deleted("Pod", key)

    def _terminate(self, key: PodKey, at: float) -> None:
        pod = self.cluster.pods.get(key)
        assert pod is not None
        self._agenda.terminate(at, key, pod.uid)

    # Telling

    def _taken(self) -> list[AnyEvent]:
        """What was told since the last time. That time went on is told with what happens then."""
        if len(self._events) == 1 and isinstance(self._events[0], ClockAdvanced):
            return []
        events = self._events.copy()
        self._events.clear()
        return events

    def _tell_applied(self, action: Literal["create", "update", "delete"], item: KubernetesObject) -> None:
        assert action != "delete"
        old = self._stored(kind_of(item), key_of(item)) if action == "update" else None
        self._emit(
            ObjectApplied(
                action,
                kind_of(item),
                item.name,
                getattr(item, "namespace", ""),
                node_summary(item) if isinstance(item, Node) else None,
                pod_summary(item) if isinstance(item, Pod) else None,
                self._changed_order(lambda tree: tree.update(item)) if isinstance(item, Node) else None,
                changes(old, item),
                storage(item),
                pod_group_summary(item) if isinstance(item, PodGroup) else None,
            )
        )

    def _changed_order(self, change: Callable[[NodeTree], None]) -> list[str] | None:
        """The snapshot's order after a change of the nodes, None if it stays."""
        order = self.cluster.order_after(change)
        if order == self._order:
            return None
        self._order = order
        return order

    def _tell_ignored(self, pod: Pod) -> None:
        if not pod.node_name and pod.scheduler_name not in self._frameworks:
            self._emit(PodIgnored(pod.key, pod.scheduler_name))


def _as_told(condition: PodGroupCondition | None) -> PodGroupState | None:
    return None if condition is None else PodGroupState(condition.status, condition.reason, condition.message)
