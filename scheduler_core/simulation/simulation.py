"""The simulation: virtual time, due actions, and scheduling attempts until no action is left.

At each point in time, in this order: ends of terminations, timeline events, other due actions (bindings, preemptions,
controllers, kubelets, retries), Permit timeouts, the backoff flush (every whole second), and the flush of pods that
have waited too long (every 30 s). Then every pod that can be popped is scheduled, and the clock advances to the next
due action.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Literal

from msgspec.structs import replace

from scheduler_core.apis.core import (
    KubernetesObject,
    Node,
    Pod,
    PodGroup,
    PodGroupCondition,
    PodGroupKey,
    PodKey,
    Workload,
)
from scheduler_core.apis.devices import DeviceTaintRule, ResourceClaim, ResourceSlice
from scheduler_core.apis.karpenter import NodeClaim
from scheduler_core.apis.messages import Message, RunEnded
from scheduler_core.autoscaling.actors import build_actors
from scheduler_core.cluster.cluster import key_of, kind_of
from scheduler_core.cluster.node_tree import NodeTree
from scheduler_core.cluster.statuses import PREEMPTED
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.at_once import AtOnce, has_work_at_once
from scheduler_core.controllers.causes import because
from scheduler_core.controllers.live import Actor, Live
from scheduler_core.framework.interface import WaitingPod
from scheduler_core.framework.runtime.runtime import Registry
from scheduler_core.plugins import REGISTRY
from scheduler_core.plugins.dynamic_resources.claims import claim_keys
from scheduler_core.queue.queued_pod import QueuedPod
from scheduler_core.queue.scheduling_queue import UNSCHEDULABLE_FLUSH_SECONDS
from scheduler_core.scenario.objects.admission import Admission
from scheduler_core.scenario.objects.updates import merge_update
from scheduler_core.scenario.settings.timeline import OBJECT_VERBS
from scheduler_core.scenario.types import Scenario, TimelineEvent
from scheduler_core.scheduler.apiserver.event_handlers import FINISHED
from scheduler_core.scheduler.attempt import Attempt
from scheduler_core.scheduler.binding_cycle import binding_cycle, resume_waiting_pod
from scheduler_core.scheduler.observed import not_tried, schedule_as_observed
from scheduler_core.scheduler.podgroup.cycle import schedule_one_pod_group
from scheduler_core.scheduler.schedule_one import schedule_one
from scheduler_core.scheduler.scheduler import Later
from scheduler_core.simulation.agenda import Agenda
from scheduler_core.simulation.assembly import build_scheduler, run_started
from scheduler_core.trace.events import (
    AnyEvent,
    AttemptFinished,
    Cause,
    ClockAdvanced,
    DeletionCause,
    ObjectApplied,
    ObjectDeleted,
    PodIgnored,
    RunFinished,
)
from scheduler_core.trace.records import Because, PodGroupState, WorkloadState
from scheduler_core.trace.summaries import (
    changes,
    claim_state,
    node_claim_state,
    node_summary,
    pod_group_summary,
    pod_summary,
    slice_state,
    storage,
)

# If only backoffs and retries of refused requests are left, the run continues for this time after the last event of the
# timeline, the last end of a termination, and (for retries) the last removal of a pod.
PATIENCE_SECONDS = 60.0
HORIZON_SECONDS = 86_400.0  # if only controllers and kubelets are left, the run continues for this time
MAX_TRIES = 1000  # of one pod at one moment; attempts take no virtual time, so pods could requeue each other endlessly


class LimitReached(RunEnded):
    """Raised if the run exceeds `Scenario.limits`."""


class EndlessMoment(RunEnded):
    """Raised if a pod is retried endlessly at the same virtual time."""


def simulate(scenario: Scenario, registry: Registry = REGISTRY) -> Iterator[AnyEvent]:
    """Yield the events of a run. The same scenario always yields the same events. Raises RunEnded."""
    yield from Simulation(scenario, registry).run()


class Simulation:
    """A run. It implements `assembly.Surroundings` for its scheduler and plugins."""

    def __init__(self, scenario: Scenario, registry: Registry) -> None:
        self.scenario = scenario
        self._events: list[AnyEvent] = []
        self.emit = self._events.append
        self._agenda = Agenda(scenario.events, scenario.observed)
        self.later: Later = self._agenda.do_later
        self.scheduler = build_scheduler(scenario, registry, self)
        self.cluster = self.scheduler.cluster
        self._queue = self.scheduler.queue
        self._handlers = self.scheduler.handlers
        self._last_change = 0.0  # the last timeline event or end of a termination
        self._last_removal = 0.0  # of a pod
        self._deleted: list[PodKey] = []
        self._initial_nodes: dict[PodKey, str] = {}  # the initial node of each pod
        self._finished: dict[PodKey, str] = {}  # pods in phase Succeeded or Failed, and their nodes
        self._order: list[str] = []
        self._steps = 0
        self._live: Live | None = None
        if scenario.controllers or any(event.action not in OBJECT_VERBS for event in scenario.events):
            self._live = Live(scenario, self.cluster, self, self.later)
            self._live.actors = tuple(build_actors(scenario, self._live))
            if "disruption-controller" in scenario.controllers:
                self.cluster.statuses.allowed_disruptions = self._live.allowed_disruptions
            self.scheduler.api.request_deletion = self._live.preempt
        self._at_once: AtOnce | None = None
        if has_work_at_once(scenario):
            self._at_once = AtOnce(self._live.api if self._live is not None else self._bare_api())
        watchers = (self._at_once, self._live)
        self._handlers.watchers = [watcher.watch for watcher in watchers if watcher is not None]

    def _bare_api(self) -> Api:
        """Return the API server for a run without kubelets and other controllers."""
        scenario = self.scenario
        admission = Admission(scenario.release, scenario.feature_gates)
        return Api(self.cluster, self, admission, scenario.node_lifecycle)

    @property
    def actors(self) -> Sequence[Actor]:
        """Return the autoscalers and the descheduler of the run, which explain their plans; () if none can run."""
        return () if self._live is None else self._live.actors

    def run(self) -> Iterator[AnyEvent]:
        """Yield all events, from RunStarted to RunFinished."""
        self._load()
        moment: float | None = 0.0
        while moment is not None:
            for _ in self._run_moment():
                self._require_limits(moment)
                yield from self._take_events()
            self._require_limits(moment)
            yield from self._take_events()
            moment = self._next_moment()
        yield from self._finish()

    def _require_limits(self, moment: float) -> None:
        """Count the new events as steps, and check the limits of the run. Raises LimitReached.

        A moment in which nothing happens is a step too, so that a run with only such moments ends.
        """
        limits = self.scenario.limits
        self._steps += len(self._events)
        if limits.steps and self._steps > limits.steps.most:
            raise LimitReached(
                Message(
                    "The run was stopped after {most:,} steps, which is the limit ({setting}).{actors}",
                    **limits.steps._asdict(),
                    actors="" if self._live is None else self._live.busiest(),
                )
            )
        if limits.attempts and self.scheduler.attempts > limits.attempts.most:
            raise LimitReached(
                Message(
                    "The run was stopped after {most:,} attempts to schedule a pod, which is the limit ({setting}).",
                    **limits.attempts._asdict(),
                )
            )
        if limits.pods and len(self.cluster.pods.slot_of) > limits.pods.most:
            raise LimitReached(
                Message(
                    "The run was stopped when its cluster had more than {most:,} pods, which is the limit "
                    "({setting}).{actors}",
                    **limits.pods._asdict(),
                    actors="" if self._live is None else self._live.busiest(),
                )
            )
        if limits.virtual_seconds and moment > limits.virtual_seconds.most:
            raise LimitReached(
                Message(
                    "The run was stopped at {most:,} s of virtual time, which is the limit ({setting}).",
                    **limits.virtual_seconds._asdict(),
                )
            )

    # Surroundings of the scheduler

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
        self._emit_applied(action, item)
        self._handlers.applied(item)

    def write_later(self, item: KubernetesObject) -> None:
        if not self.scenario.observed:  # a recording has what the cluster's own scheduler wrote
            self.scheduler.api.defer(lambda: self._update(item))

    def delete_later(self, kind: str, key: str) -> None:
        if not self.scenario.observed:
            self.scheduler.api.defer(lambda: self._delete(kind, key))

    def _update(self, item: KubernetesObject) -> None:
        """Deliver the watch event of an update. Updates of pods are not in the trace."""
        if self._find(kind_of(item), key_of(item)) is None:
            return
        if not isinstance(item, Pod):
            self._emit_applied("update", item)
        self._handlers.applied(item)

    def delete_pod(self, key: PodKey) -> None:
        """Delete a preemption victim after its termination."""
        namespace, _, name = key.partition("/")
        self.emit(ObjectDeleted("Pod", name, namespace, cause="preemption"))
        self._deleted.append(key)
        self._handlers.deleted("Pod", key)

    def terminate(self, key: PodKey, at: float) -> None:
        pod = self.cluster.pods.get(key)
        assert pod is not None
        self._agenda.terminate(at, key, pod.uid)

    # Writes of controllers

    def apply(
        self,
        item: KubernetesObject,
        action: Literal["create", "update"],
        *,
        workload: WorkloadState | None = None,
        called: str = "",
        revision: int = 0,
        by: str = "",
        because: Because | None = None,
    ) -> None:
        """Write an object: emit it to the trace, and deliver its watch event to the scheduler."""
        if self._live is None:  # the trace of such a run has no actors
            by, because = "", None
        self._emit_applied(action, item, workload=workload, called=called, revision=revision, by=by, because=because)
        self._handlers.applied(item)

    def show(self, item: KubernetesObject, workload: WorkloadState) -> None:
        """Emit a workload that exists from the start."""
        self._emit_applied("create", item, workload=workload)

    def remove(self, kind: str, key: str, *, by: str = "", because: Because | None = None) -> None:
        """Delete an object, also a finished pod, which the scheduler no longer knows."""
        if self._live is None:
            by, because = "", None
        cause: DeletionCause = "timeline"
        if kind == "Pod":
            self._last_removal = self.cluster.now
            if self.cluster.statuses.pods[key].disruption == PREEMPTED:
                cause = "preemption"
        if kind == "Pod" and key not in self.cluster.pods.slot_of:
            namespace, _, name = key.rpartition("/")
            self.emit(ObjectDeleted(kind, name, namespace, cause=cause, by=by, because=because))
            self._deleted.append(key)
        else:
            self._delete(kind, key, by, because, cause)

    def take_pod_from_scheduler(self, key: PodKey) -> None:
        """Remove a finished pod from the scheduler."""
        self._handlers.pod_deleted(key)

    def update_pod(self, pod: Pod) -> None:
        """Write a pod's status or metadata, which is not in the trace."""
        self._handlers.pod_applied(pod)

    # Time

    def _load(self) -> None:
        """Load the initial objects, pending pods last, and emit the first events."""
        pending: list[Pod] = []
        for given in self.scenario.objects:
            item = given if self._live is None else self._live.load(given)
            if isinstance(item, Pod) and item.phase in FINISHED:
                self._finished[item.key] = item.node_name
                continue
            if isinstance(item, Pod) and not item.node_name:
                pending.append(item)
            else:
                self.cluster.apply(self._with_uids(item))
                if isinstance(item, Pod) and self._at_once is not None:
                    self._at_once.watch("Pod", None, item)
        self._events.clear()
        self._initial_nodes = {pod.key: pod.node_name for pod in self.cluster.pods.all()}
        self._order = self.cluster.order()
        self._emit_started(pending)
        for pod in pending:
            self._handlers.pod_applied(pod)
            self._emit_ignored(pod)
        if self._at_once is not None:
            self._at_once.start(self.cluster.objects("ResourceClaim"))
        if self._live is not None:
            self._live.start(self.scenario.objects)
            self._settle()

    def _emit_started(self, pending: Sequence[Pod]) -> None:
        """Emit the first event, which describes the whole cluster."""
        self.emit(run_started(self.scenario, self.cluster, pending, self.scheduler.frameworks))

    def _run_moment(self) -> Iterator[None]:
        """Run all actions that are due now, and yield after each scheduling attempt. Raises EndlessMoment."""
        now = self.cluster.now
        for key, uid in self._agenda.terminations(now):
            self._last_change = now
            pod = self.cluster.pods.get(key)
            if pod is not None and pod.uid == uid:
                self.delete_pod(key)
                self._settle()
        for event in self._agenda.events(now):
            self._apply_event(event)
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
        if self.scenario.observed:
            yield from self._follow(now)
            return
        tries: dict[PodKey, int] = {}
        while (popped := self._queue.pop()) is not None:
            key = popped[0].pod.key
            tries[key] = tries.get(key, 0) + 1
            if tries[key] > MAX_TRIES:
                sentence = Message(
                    "{pod} was tried {tries} times at {now:g} s: pods requeue each other endlessly",
                    pod=key,
                    tries=MAX_TRIES,
                    now=now,
                )
                raise EndlessMoment(sentence)
            self._attempt(*popped)
            yield

    def _follow(self, now: float) -> Iterator[None]:
        """Schedule only the pods that the cluster's own scheduler tried, and yield after each of them."""
        for observed in self._agenda.observed(now):
            queued = self._queue.pop_specific(observed.pod)
            if queued is None:
                self.emit(not_tried(observed, self.cluster.pods.get(observed.pod), self.scheduler.frameworks))
            else:
                self.scheduler.observed = observed
                self._attempt(queued, True)
                self.scheduler.observed = None
            yield

    def _next_moment(self) -> float | None:
        """Advance the clock to the next action and return the time; None if there is none before the end."""
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
        retry = self._agenda.next_retry()
        if retry is not None:
            patience = max(self._last_change, self._last_removal) + PATIENCE_SECONDS
            if due or until is not None or retry <= patience:
                due.append((retry, "controller"))
        if not due:
            return None
        time, cause = min(due, key=itemgetter(0))
        if until is not None and (time > until or (time == until and cause in ("controller", "kubelet"))):
            return None
        if until is None and cause in ("controller", "kubelet") and time > self._last_change + HORIZON_SECONDS:
            return None
        self._advance(time, cause)
        return time

    def _advance(self, time: float, cause: Cause) -> None:
        """Set the clock. The new ClockAdvanced replaces one that no event followed."""
        self.cluster.now = self._queue.now = time
        self._events[:] = [ClockAdvanced(time, cause)]

    def _finish(self) -> Iterator[AnyEvent]:
        """Yield the last events, up to RunFinished."""
        until = self.scenario.until_seconds
        if until is not None and until > self.cluster.now:
            self._advance(until, "end")
        for key in self._deleted:
            self._initial_nodes.pop(key, None)
        node_names = {pod.key: pod.node_name for pod in self.cluster.pods.all()}
        pending = sorted(key for key, node_name in node_names.items() if not node_name)
        node_names |= self._finished
        node_names |= {key: pod.node_name for key, pod in self.cluster.statuses.finished.items() if pod.node_name}
        moved = {
            key: node_name for key, node_name in node_names.items() if node_name != self._initial_nodes.get(key, "")
        }
        bound, stayed = dict(sorted(moved.items())), len(self._initial_nodes)
        self.emit(RunFinished(self.cluster.now, bound, self._deleted, pending, self._pod_groups(), stayed))
        yield from self._take_events()

    def _pod_groups(self) -> dict[PodGroupKey, PodGroupState | None] | None:
        """Return the condition of each PodGroup; None if the scenario has no PodGroup."""
        items = (*self.scenario.objects, *(event.object for event in self.scenario.events))
        if not any(isinstance(item, PodGroup) for item in items):
            return None
        groups = [item for item in self.cluster.objects("PodGroup") if isinstance(item, PodGroup)]
        return {group.key: _condition_state(group.condition) for group in sorted(groups, key=lambda group: group.key)}

    # Attempts and events

    def _attempt(self, queued: QueuedPod, from_active: bool) -> None:
        observed = self.scheduler.observed
        if queued.pod.pod_group and observed is None:
            self._attempt_group(queued, from_active)
            return
        attempt: Attempt | None
        if observed is not None:
            attempt = schedule_as_observed(self.scheduler, queued, observed)
        else:
            attempt = schedule_one(self.scheduler, queued, from_active=from_active)
        if attempt is None:
            return
        if observed is None and attempt.outcome == "Scheduled" and self.scheduler.waiting.get(attempt.pod.key) is None:
            binding_cycle(self.scheduler, attempt)
        self._settle()
        node_name = attempt.node_name if attempt.outcome == "Scheduled" else ""
        pod = self.cluster.pods.get(attempt.pod.key) or attempt.pod
        self.emit(AttemptFinished(attempt.number, pod.key, attempt.outcome, node_name, claim_keys(pod)))

    def _attempt_group(self, queued: QueuedPod, from_active: bool) -> None:
        cycle = schedule_one_pod_group(self.scheduler, queued, from_active=from_active)
        if cycle is not None:
            self._settle()
            cycle.finish()

    def _settle(self) -> None:
        """Deliver the API writes, continue with waiting pods that were allowed or rejected, and run the controllers.

        Repeat this as long as waiting pods are decided.
        """
        self.scheduler.api.deliver()
        while self.scheduler.waiting.decided:
            resume_waiting_pod(self.scheduler, self.scheduler.waiting.decided.pop(0))
            self.scheduler.api.deliver()
        if self._live is not None:
            self._live.run()
            if self.scheduler.waiting.decided:
                self._settle()

    def _apply_event(self, event: TimelineEvent) -> None:
        """Apply one event of the timeline."""
        self._last_change = self.cluster.now
        if self._live is not None and self._live.apply_event(event):
            return
        key = f"{event.namespace}/{event.name}" if event.namespace else event.name
        if event.action == "delete":
            self._apply_deletion(event.kind, key)
            return
        assert event.object is not None
        old = self._find(event.kind, key)
        item = event.object
        if old is None and event.kind == "Pod" and event.action == "update" and not self.scenario.observed:
            return  # a victim, or deleted before: there is nothing to update
        if old is None:
            item = self._with_uids(item)
        elif not self.scenario.observed:  # a recording has whole objects
            item = merge_update(old, item, self.scenario.release)
        elif isinstance(item, Pod) and isinstance(old, Pod) and not item.node_name:
            item = replace(item, node_name=old.node_name)  # already bound here; the recording binds it later
        if isinstance(item, Pod) and item.phase in FINISHED:
            self._finished[key] = item.node_name
            if old is not None:
                self._delete("Pod", key)
            return
        assert event.action in ("create", "update")
        if self._live is not None and isinstance(item, Workload):
            self.apply(item, event.action, workload=self._live.api.state(item))
        else:
            self.apply(item, event.action)
        if isinstance(item, Pod) and (not isinstance(old, Pod) or item.scheduler_name != old.scheduler_name):
            self._emit_ignored(item)

    def _apply_deletion(self, kind: str, key: str) -> None:
        if kind == "Pod" and self._finished.pop(key, None) is not None:
            self._deleted.append(key)
        item = self._find(kind, key)
        if isinstance(item, ResourceClaim) and self._at_once is not None:
            self._at_once.delete(item)
        else:
            self._delete(kind, key)

    def _with_uids(self, item: KubernetesObject) -> KubernetesObject:
        """Return the object; in a ResourceClaim, consumers without a uid get that of the pod with their name."""
        if not isinstance(item, ResourceClaim) or all(consumer.uid for consumer in item.reserved_for):
            return item
        pods = {pod.key: pod.uid for pod in (*self.scenario.objects, *self.cluster.pods.all()) if isinstance(pod, Pod)}
        users = tuple(
            consumer if consumer.uid else replace(consumer, uid=pods.get(f"{item.namespace}/{consumer.name}", ""))
            for consumer in item.reserved_for
        )
        return replace(item, reserved_for=users)

    def _delete(
        self,
        kind: str,
        key: str,
        by: str = "",
        because: Because | None = None,
        cause: DeletionCause = "timeline",
    ) -> None:
        if self._find(kind, key) is None:
            return
        namespace, _, name = key.rpartition("/")
        order = self._order_after(lambda tree: tree.remove(name)) if kind == "Node" else None
        self.emit(ObjectDeleted(kind, name, namespace, order, cause, by, because))
        if kind == "DeviceTaintRule":
            self._emit_tainted_slices(name, None)
        if kind == "Pod" and key not in self._finished:
            self._deleted.append(key)
        self._handlers.deleted(kind, key)

    def _find(self, kind: str, key: str) -> KubernetesObject | None:
        if kind == "Pod":
            return self.cluster.pods.get(key)
        return self.cluster.node(key) if kind == "Node" else self.cluster.get(kind, key)

    # Events of the trace

    def _take_events(self) -> list[AnyEvent]:
        """Remove and return the new events; none while there is only a ClockAdvanced, which waits for another event."""
        if len(self._events) == 1 and isinstance(self._events[0], ClockAdvanced):
            return []
        events = self._events.copy()
        self._events.clear()
        return events

    def _emit_applied(
        self,
        action: Literal["create", "update"],
        item: KubernetesObject,
        *,
        workload: WorkloadState | None = None,
        called: str = "",
        revision: int = 0,
        by: str = "",
        because: Because | None = None,
    ) -> None:
        old = self._find(kind_of(item), key_of(item)) if action == "update" else None
        self.emit(
            ObjectApplied(
                action,
                kind_of(item),
                item.name,
                getattr(item, "namespace", ""),
                node_summary(item) if isinstance(item, Node) else None,
                pod_summary(item) if isinstance(item, Pod) else None,
                self._order_after(lambda tree: tree.update(item)) if isinstance(item, Node) else None,
                changes(old, item),
                storage(item),
                pod_group_summary(item) if isinstance(item, PodGroup) else None,
                claim_state(item) if isinstance(item, ResourceClaim) else None,
                slice_state(self.cluster.tainted(item)) if isinstance(item, ResourceSlice) else None,
                workload,
                called,
                revision,
                by,
                because,
                node_claim_state(item, detailed=action == "create") if isinstance(item, NodeClaim) else None,
            )
        )
        if isinstance(item, DeviceTaintRule):
            self._emit_tainted_slices(item.name, item)

    def _emit_tainted_slices(self, name: str, rule: DeviceTaintRule | None) -> None:
        """Emit the slices whose taints change when the DeviceTaintRule is written, or deleted (None)."""
        for item in self.cluster.slices_after(name, rule):
            self._emit_applied("update", item, because=because("device-taint-rule", rule=name))

    def _order_after(self, change: Callable[[NodeTree], None]) -> list[str] | None:
        """Return the order of the snapshot after a change of the nodes, None if it is unchanged."""
        order = self.cluster.order_after(change)
        if order == self._order:
            return None
        self._order = order
        return order

    def _emit_ignored(self, pod: Pod) -> None:
        if not pod.node_name and pod.scheduler_name not in self.scheduler.frameworks:
            self.emit(PodIgnored(pod.key, pod.scheduler_name))


def _condition_state(condition: PodGroupCondition | None) -> PodGroupState | None:
    return None if condition is None else PodGroupState(condition.status, condition.reason, condition.message)
